"""How far frames and sequences are from one another: is it copying, and do seeds differ?

The distance of two frames is the root of their mean squared difference over channels, of scaled features.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from jaxtyping import Float

Frames = Float[np.ndarray, "time channels"]

# Averages over more frames than these differ in the third digit, and cost a square of them.
ENOUGH = 1000


def distances(a: Float[np.ndarray, "n channels"], b: Float[np.ndarray, "m channels"]) -> Float[np.ndarray, "n m"]:
    """Between every two frames.

    >>> distances(np.array([[0.0, 0.0]]), np.array([[3.0, 3.0], [0.0, 0.0]]))
    array([[3., 0.]])
    """
    squares = np.square(a).sum(axis=1)[:, None] + np.square(b).sum(axis=1) - 2 * a @ b.T
    return np.sqrt(np.maximum(squares, 0) / a.shape[1])


def nearest(frames: Frames, real: Sequence[Frames]) -> float:
    """The distance of a frame to the nearest real one, averaged over (at most `ENOUGH`) frames.

    >>> nearest(np.array([[1.0], [9.0]]), [np.array([[0.0], [1.0]]), np.array([[8.0]])])
    0.5
    """
    some = frames[_evenly(len(frames), ENOUGH)]
    return float(np.min([distances(some, one).min(axis=1) for one in real], axis=0).mean())


def nearest_elsewhere(real: Sequence[Frames], which: Sequence[int], gap: int) -> float:
    """The same for frames of the real sequences `which` themselves: the nearest that is `gap` frames away or more.

    Frames of other sequences always are. NaN where nothing is that far away.

    >>> nearest_elsewhere([np.array([[0.0], [1.0], [3.0]])], [0], gap=2)
    3.0
    """
    found = []
    for i in which:
        at = _evenly(len(real[i]), max(1, ENOUGH // len(which)))
        rows = np.full(len(at), np.inf)
        for j, other in enumerate(real):
            apart = distances(real[i][at], other)
            if i == j:
                apart[np.abs(at[:, None] - np.arange(len(other))) < gap] = np.inf
            rows = np.minimum(rows, apart.min(axis=1))
        found.append(rows[np.isfinite(rows)])
    every = np.concatenate(found)
    return float(every.mean()) if every.size else np.nan


def seeds_apart(sequences: Sequence[Frames]) -> float:
    """How far sequences of one length are apart at the same time, averaged over time and pairs; NaN for one alone.

    >>> seeds_apart([np.zeros((4, 2)), np.ones((4, 2))])
    1.0
    """
    pairs = [np.sqrt(np.square(a - b).mean(axis=1)).mean() for a, b in combinations(sequences, 2)]
    return float(np.mean(pairs)) if pairs else np.nan


def stretches_apart(sequences: Sequence[Frames], gap: int) -> float:
    """How far real sequences of one style are apart at times that have nothing to do with one another.

    The average over all pairs of frames that are of different sequences or `gap` frames apart or more; it is what
    `seeds_apart` tends to for sequences that are as different as stretches of the real motion.

    >>> stretches_apart([np.array([[0.0], [1.0], [3.0]])], gap=2)
    3.0
    """
    sums, count = 0.0, 0
    for i, a in enumerate(sequences):
        for j, b in enumerate(sequences[i:], start=i):
            apart = distances(a, b)
            far = (
                np.abs(np.arange(len(a))[:, None] - np.arange(len(b))) >= gap if i == j else np.ones(apart.shape, bool)
            )
            sums, count = sums + apart[far].sum(), count + far.sum()
    return float(sums / count) if count else np.nan


def _evenly(frames: int, most: int) -> np.ndarray:
    return np.linspace(0, frames - 1, min(frames, most)).round().astype(int)
