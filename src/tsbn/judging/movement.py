"""How much and how fast a figure moves: spread, speed and jerk of scaled features.

All three are averages over channels that are only then divided by one another, never averages of ratios: a joint that
hardly moves in the real motion counts for what it is, and does not blow the ratio up.
"""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

Frames = Float[np.ndarray, "time channels"]
Measure = Callable[[Frames], float]


def spread(frames: Frames) -> float:
    """The standard deviation of each channel over time, averaged over channels.

    >>> spread(np.array([[0.0, 5.0], [2.0, 5.0]]))
    0.5
    """
    return float(frames.std(axis=0).mean())


def speed(frames: Frames) -> float:
    """The absolute change from frame to frame, averaged over frames and channels.

    >>> speed(np.array([[0.0, 5.0], [2.0, 5.0], [0.0, 5.0]]))
    1.0
    """
    return float(np.abs(np.diff(frames, axis=0)).mean())


def jerk(frames: Frames) -> float:
    """The absolute third difference, averaged over time and channels; the motion needs four frames.

    >>> jerk(np.arange(5.0)[:, None] ** 3)
    6.0
    """
    return float(np.abs(np.diff(frames, n=3, axis=0)).mean())


def relative(measure: Measure, generated: Sequence[Frames], real: Sequence[Frames]) -> float:
    """A measure of generated sequences, averaged over them, over that of real ones.

    >>> relative(spread, [np.array([[0.0], [2.0]])], [np.array([[0.0], [8.0]])])
    0.25
    """
    return ratio(float(np.mean([measure(one) for one in generated])), float(np.mean([measure(one) for one in real])))


def ratio(generated: float, real: float) -> float:
    """One over the other; of two that are nothing 1, and infinite where only the real one is.

    >>> ratio(1.0, 2.0), ratio(0.0, 0.0), ratio(1.0, 0.0)
    (0.5, 1.0, inf)
    """
    if real == 0:
        return 1.0 if generated == 0 else float("inf")
    return generated / real


def stretches(frames: Frames, length: int) -> list[Frames]:
    """Pieces of equal length that cover a sequence and overlap by half or more; all of it, if it is no longer.

    What is measured over time depends on how much time there is: compare stretches of equal length.

    >>> [piece.ravel().tolist() for piece in stretches(np.arange(5.0)[:, None], 4)]
    [[0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]]
    """
    spare = len(frames) - length
    if spare <= 0:
        return [frames]
    starts = np.linspace(0, spare, 1 + int(np.ceil(2 * spare / length))).round().astype(int)
    return [frames[start : start + length] for start in starts]
