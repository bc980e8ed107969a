"""Windows: every sequence cut into pieces of equal length, and put together again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from tsbn.data.sequences import Sequences


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows of sequences, and where each came from.

    - `pieces`: the windows as `Sequences`, named like ``walk[10:20]``;
    - `origin`: the number of the sequence each was cut from, `start`: its first frame there;
    - `source`: the sequences they were cut from.
    """

    pieces: Sequences
    origin: Int[np.ndarray, " windows"]
    start: Int[np.ndarray, " windows"]
    source: Sequences = field(repr=False)

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def array(self) -> Float[np.ndarray, "windows time channels"]:
        """All windows in one array; they must all have the same length."""
        if len(set(self.pieces.lengths.tolist())) > 1:
            raise ValueError("the windows differ in length (tail='keep'): they do not fit one array")
        return np.stack(list(self.pieces))

    def join(self, pieces: Sequences | None = None) -> Sequences:
        """The sequences put together from their windows; where these overlap the later one counts.

        `pieces`, if given, stand in for the windows: what a model made of them, say.

        >>> data = Sequences([np.arange(6.0)[:, None]])
        >>> cut_windows(data, 2).join() == data
        True
        """
        pieces = self.pieces if pieces is None else pieces
        if pieces.lengths.tolist() != self.pieces.lengths.tolist():
            raise ValueError("the pieces to join must be as many and as long as the windows")
        lengths = self.source.lengths
        covered = [np.zeros(length, dtype=bool) for length in lengths]
        values = [np.empty((length, pieces.channels), dtype=pieces[0].dtype) for length in lengths]
        for i, start, piece in zip(self.origin, self.start, pieces, strict=True):
            values[i][start : start + len(piece)] = piece
            covered[i][start : start + len(piece)] = True
        for name, seen in zip(self.source.names, covered, strict=True):
            if not seen.all():
                raise ValueError(
                    f"the windows do not cover sequence {name!r}: frame {int(np.argmin(seen))} is in none; "
                    "cut with hop <= length and tail='keep'"
                )
        return self.source.replace(values=values, channel_names=pieces.channel_names)


def cut_windows(
    sequences: Sequences, length: int, hop: int | None = None, tail: Literal["drop", "keep"] = "drop"
) -> Windows:
    """Windows of ``length`` frames, one every ``hop`` frames (``length`` unless given: they tile).

    What is left at the end of a sequence is dropped, or kept as a shorter window. A sequence shorter than one
    window gives none (or itself, with ``tail="keep"``).

    >>> cut_windows(Sequences([np.zeros((10, 3))]), 4, hop=2).array.shape
    (4, 4, 3)
    """
    hop = length if hop is None else hop
    for name, given in (("length", length), ("hop", hop)):
        if given < 1:
            raise ValueError(f"{name} is {given}: expected 1 frame or more")
    if tail not in ("drop", "keep"):
        raise ValueError(f"tail is {tail!r}: expected 'drop' or 'keep'")
    spans = [
        (i, slice(start, min(start + length, frames)))
        for i, frames in enumerate(sequences.lengths.tolist())
        for start in _starts(frames, length, hop, tail)
    ]
    pieces = sequences.pieces(spans, [f"{sequences.names[i]}[{at.start}:{at.stop}]" for i, at in spans])
    origin = np.array([i for i, _ in spans], dtype=int)
    start = np.array([frames.start for _, frames in spans], dtype=int)
    return Windows(pieces, origin, start, sequences)


def _starts(frames: int, length: int, hop: int, tail: str) -> range:
    whole = range(0, frames - length + 1, hop)
    if tail == "drop" or (whole and whole[-1] + length >= frames):
        return whole
    return range(0, len(whole) * hop + 1, hop) if len(whole) * hop < frames else whole
