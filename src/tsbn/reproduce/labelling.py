"""Windows of one clip a style, of which a consecutive part has labels, another has none, and a third is held out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from tsbn.data import Scaler, Sequences, cut_windows

PLACES = {"end": 400, "middle": 200, "start": 0}
"""Where the held-out frames begin."""
FRAMES, HELD_OUT, WINDOW = 500, 100, 7
GOLDEN = 0.6180339887
Spans = list[tuple[int, int]]


class Cases(NamedTuple):
    """Windows and the number of the style of each."""

    windows: Float[np.ndarray, "cases time channels"]
    styles: Int[np.ndarray, " cases"]

    @property
    def flat(self) -> Float[np.ndarray, "cases inputs"]:
        """Each window as one row."""
        return self.windows.reshape(len(self.windows), -1)


class Problem(NamedTuple):
    """What is learnt from, with labels and without (their styles are not to be looked at), and what is judged on."""

    labelled: Cases
    unlabelled: Cases
    test: Cases


def spans(place: str, fraction: float, trial: int = 0, *, rehearsal: bool = False) -> tuple[Spans, Spans, Spans]:
    """Frames with labels, without, and held out.

    The labelled stretch of trial 0 begins with the first frame; those of later trials are spread over the clip. In a
    `rehearsal`, to choose settings by, the second half of the labelled frames is judged on, and the held-out ones do
    not occur at all.

    >>> spans("middle", 0.75)
    ([(0, 200), (300, 400)], [(400, 500)], [(200, 300)])
    """
    begin = PLACES[place]
    rest = [(a, b) for a, b in ((0, begin), (begin + HELD_OUT, FRAMES)) if b > a]
    amount = round(fraction * (FRAMES - HELD_OUT))
    skipped = int((FRAMES - HELD_OUT - amount) * (trial * GOLDEN % 1))
    before, others = _first(rest, skipped)
    labelled, after = _first(others, amount)
    if not rehearsal:
        return labelled, before + after, [(begin, begin + HELD_OUT)]
    kept, judged = _first(labelled, amount // 2)
    return kept, before + after, judged


def problem(data: Sequences, place: str, fraction: float, trial: int = 0, *, rehearsal: bool = False) -> Problem:
    """All windows of these parts, scaled by the frames that are learnt from; `data` has one clip a style."""
    parts = spans(place, fraction, trial, rehearsal=rehearsal)

    def pieces(chosen: Spans) -> Sequences:
        return data.pieces((i, slice(a, b)) for i in range(len(data)) for a, b in chosen)

    scaler = Scaler.fit(pieces(parts[0] + parts[1]))

    def cases(chosen: Spans) -> Cases:
        cut = cut_windows(scaler.transform(pieces(chosen)), WINDOW, hop=1)
        rows = cut.pieces.side
        if rows is None:
            raise ValueError("data have no labels, expected one style a clip")
        return Cases(cut.array.astype(np.float32), np.array([int(np.argmax(row)) for row in rows]))

    return Problem(*map(cases, parts))


def _first(parts: Spans, amount: int) -> tuple[Spans, Spans]:
    """So many frames from the beginning, and the others."""
    taken, left = [], []
    for a, b in parts:
        middle = min(a + amount, b)
        amount -= middle - a
        taken += [(a, middle)] if middle > a else []
        left += [(middle, b)] if b > middle else []
    return taken, left
