"""A classifier of styles, trained on real motion: which style does each frame of a sequence look like?

Softmax regression on windows of scaled features. It is linear, so that it cannot reward frames for being copies, as a
nearest-neighbour rule would; its penalty is the best of a few on real motion held out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from tsbn.data.extras import needs

Frames = Float[np.ndarray, "time channels"]

WINDOW = 7
FOLDS = 5
PENALTIES = (1e-3, 1e-2, 1e-1, 1.0)
"""Inverse strengths, as scikit-learn's ``C``."""


@dataclass(frozen=True, eq=False)
class Recogniser:
    """Tells styles apart by `window` frames at a time.

    `accuracy`: for each style, the share of real windows recognised by classifiers that had not seen them.
    """

    styles: tuple[str, ...]
    window: int
    accuracy: Mapping[str, float]
    classifier: Any

    @staticmethod
    def fit(real: Mapping[str, Sequence[Frames]], *, window: int = WINDOW, gap: int = 0) -> Recogniser:
        """Learn from scaled sequences of two styles or more.

        For the accuracy every sequence is cut into `FOLDS` stretches, each recognised by what was learned from the
        others, less `gap` frames on either side of it (at most a fifth of the sequence, and at least enough that no
        window shares a frame with it).
        """
        if len(real) < 2:
            raise ValueError(f"real has the styles {list(real)}: there is nothing to recognise in fewer than two")
        for style, sequences in real.items():
            for frames in sequences:
                if len(frames) < FOLDS * window:
                    raise ValueError(
                        f"a sequence of style {style!r} has {len(frames)} frames, expected at least {FOLDS * window} "
                        f"to judge a classifier of windows of {window} frames"
                    )
        looks = [(k, windows(one, window)) for k, sequences in enumerate(real.values()) for one in sequences]
        held_out = {penalty: _held_out(looks, penalty, window, gap) for penalty in PENALTIES}
        best = max(PENALTIES, key=lambda penalty: held_out[penalty].mean())
        accuracy = dict(zip(real, held_out[best].tolist(), strict=True))
        x, y = _joined([(k, look, slice(None)) for k, look in looks])
        return Recogniser(tuple(real), window, accuracy, _softmax(best).fit(x, y))

    def recognise(self, frames: Frames) -> Int[np.ndarray, " time"]:
        """The number of the style that each frame, in the middle of its window, looks like.

        The first and last frames, which are in the middle of none, go with the nearest that is.
        """
        found = self.classifier.predict(windows(frames, self.window))
        before = (self.window - 1) // 2
        return np.pad(found, (before, self.window - 1 - before), mode="edge")

    def share(self, frames: Frames, style: str) -> float:
        """The share of frames that look like a style."""
        return float((self.recognise(frames) == self.styles.index(style)).mean())


def windows(frames: Frames, length: int) -> Float[np.ndarray, "windows features"]:
    """All windows of consecutive frames, each as one row.

    >>> windows(np.arange(3.0)[:, None], 2).tolist()
    [[0.0, 1.0], [1.0, 2.0]]
    """
    if len(frames) < length:
        raise ValueError(f"frames has {len(frames)} frames, expected at least a window of {length}")
    return np.lib.stride_tricks.sliding_window_view(frames, length, axis=0).reshape(len(frames) - length + 1, -1)


def majority(found: Int[np.ndarray, " time"], width: int) -> Int[np.ndarray, " time"]:
    """Each frame's most frequent style among the `width` frames around it (fewer at the ends; ties: the first style).

    >>> majority(np.array([0, 0, 1, 0, 0, 1, 1, 1]), 3).tolist()
    [0, 0, 0, 0, 0, 1, 1, 1]
    """
    counts = np.cumsum(np.vstack([np.zeros(found.max() + 1), np.eye(found.max() + 1)[found]]), axis=0)
    at = np.arange(len(found))
    first, last = np.maximum(at - (width - 1) // 2, 0), np.minimum(at + width // 2 + 1, len(found))
    return (counts[last] - counts[first]).argmax(axis=1)


def _held_out(
    looks: Sequence[tuple[int, np.ndarray]], penalty: float, window: int, gap: int
) -> Float[np.ndarray, " styles"]:
    """The share of windows of each style recognised while held out."""
    right, count = np.zeros((2, 1 + max(k for k, _ in looks)))
    for others, stretch in _folds(looks, window, gap):
        x, y = _joined(stretch)
        found = _softmax(penalty).fit(*_joined(others)).predict(x)
        np.add.at(right, y, found == y)
        np.add.at(count, y, 1)
    return right / count


def _folds(looks: Sequence[tuple[int, np.ndarray]], window: int, gap: int) -> Iterator[tuple[list, list]]:
    """Windows to learn from and windows to recognise, stretch after stretch of every sequence."""
    for fold in range(FOLDS):
        others, stretch = [], []
        for k, look in looks:
            begin, end = len(look) * fold // FOLDS, len(look) * (fold + 1) // FOLDS
            apart = max(window, min(window + gap, len(look) // FOLDS))
            stretch.append((k, look, slice(begin, end)))
            others += [(k, look, slice(0, max(0, begin - apart))), (k, look, slice(end + apart, None))]
        yield others, stretch


def _joined(parts: Sequence[tuple[int, np.ndarray, slice]]) -> tuple[np.ndarray, np.ndarray]:
    pieces = [look[at] for _, look, at in parts]
    return np.concatenate(pieces), np.repeat([k for k, _, _ in parts], [len(piece) for piece in pieces])


def _softmax(penalty: float) -> Any:
    with needs("scikit-learn", "judging", "recognising styles"):
        from sklearn.linear_model import LogisticRegression
    # More steps than that change which style is the most probable in next to no window.
    return LogisticRegression(C=penalty, tol=1e-3, max_iter=1000)
