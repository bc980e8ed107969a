"""Sequences that go on past their end, by returning to where they were most alike before."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from tsbn.arguments import number_within, whole_number
from tsbn.data.sequences import Sequences


def looped(data: Sequences, extra: int, *, match: int = 12, blend: int = 12, leave: float = 0.2) -> Sequences:
    """Sequences that go on: what was cut off in the middle, such as a walk, continues for `extra` frames.

    A model learns nothing about what follows the last frames of a recording, and tends to stay there for ever. Here a
    sequence is left at a moment of its last part (a share `leave` of it) and goes on from the most similar moment at
    least `extra` frames before, drawn over `blend` frames from the one to the other. Moments are `match` frames long,
    with each channel in units of its own spread, and their difference counts relative to how much they move: a walk
    that comes to rest is left while it still walks. What came after that is not kept (at most `extra` frames: no
    sequence gets shorter).

    It suits data that repeat themselves, like cyclic motion; leave it where an end is an end. Side information must be
    constant within each sequence.

    >>> steps = np.arange(20)
    >>> wave = Sequences([np.stack([np.sin(steps * np.pi / 4), np.cos(steps * np.pi / 4)], axis=1)])
    >>> longer = looped(wave, 8, match=3, blend=2, leave=0)
    >>> bool(np.allclose(longer[0][20:], wave[0][4:12], atol=1e-6))
    True
    """
    extra, match, blend = (whole_number(name, n) for name, n in (("extra", extra), ("match", match), ("blend", blend)))
    leave = number_within("leave", leave, 0, 1, "a share of each sequence from 0 to 1")
    if data.side is not None and any(row.ndim == 2 for row in data.side):
        raise ValueError("side information that changes within a sequence cannot be looped, expected it constant")
    for name, frames in zip(data.names, data, strict=True):
        if len(frames) < extra + match:
            needed = f"{extra} to go on with and {match} to compare"
            raise ValueError(f"sequence {name!r} has {len(frames)} frames, expected at least {needed}")
        if np.isnan(frames).any():
            raise ValueError(f"sequence {name!r} has missing values, expected none: they cannot be compared")
    return data.replace(values=[_extended(frames, extra, match, blend, leave) for frames in data])


def _extended(
    frames: Float[np.ndarray, "time channels"], extra: int, match: int, blend: int, leave: float
) -> Float[np.ndarray, "longer channels"]:
    """The frames up to a late moment, and those that followed the one most like it."""
    earliest = max(int(np.ceil((1 - leave) * len(frames))), len(frames) - extra, extra + match)
    ends = np.arange(earliest, len(frames) + 1)
    centred = frames - frames.mean(axis=0, dtype=float)  # or a large offset would drown all else in rounding
    end, back = _most_alike(centred / np.maximum(centred.std(axis=0), 1e-6), ends, extra, match)
    fading = np.clip(1 - np.arange(1, extra + 1) / (blend + 1), 0, 1)[:, None]
    followed = frames[back : back + extra] + fading * (frames[end - 1] - frames[back - 1])
    return np.concatenate([frames[:end], followed]).astype(frames.dtype)


def _most_alike(
    frames: Float[np.ndarray, "time channels"], ends: Int[np.ndarray, " ends"], extra: int, match: int
) -> tuple[int, int]:
    """Where to leave and where to return to: the frames before both differ least, relative to how much they move."""
    moments = np.lib.stride_tricks.sliding_window_view(frames, match, axis=0)  # moment i ends before frame i + match
    movement = np.square(moments - moments.mean(axis=-1, keepdims=True)).sum(axis=(1, 2))
    moments = moments.reshape(len(moments), -1)
    late, early = ends - match, np.arange(ends[-1] - extra - match + 1)
    squares = np.square(moments).sum(axis=1)
    gaps = squares[late, None] + squares[early] - 2 * moments[late] @ moments[early].T
    gaps[early > late[:, None] - extra] = np.inf
    gaps /= np.maximum(movement[late, None] + movement[early], 1e-9)
    at, to = np.unravel_index(np.argmin(gaps), gaps.shape)
    return int(ends[at]), int(early[to]) + match
