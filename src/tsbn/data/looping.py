"""Sequences that go on past their end, by returning to where they were most alike before."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from tsbn.arguments import whole_number
from tsbn.data.sequences import Sequences


def looped(data: Sequences, extra: int, *, match: int = 12, blend: int = 12) -> Sequences:
    """Sequences `extra` frames longer: what was cut off in the middle, such as a walk, goes on.

    A model learns nothing about what follows the last frames of a recording, and tends to stay there for ever. Here the
    frames after the last one are those that followed the most similar moment at least `extra` frames before (by `match`
    frames, each channel in units of its own spread), drawn over `blend` frames from where the sequence ended to where
    that moment went on. It suits data that repeat themselves, like cyclic motion; leave it where an end is an end. Side
    information must be constant within each sequence.

    >>> steps = np.arange(20)
    >>> wave = Sequences([np.stack([np.sin(steps * np.pi / 4), np.cos(steps * np.pi / 4)], axis=1)])
    >>> longer = looped(wave, 8, match=3, blend=2)
    >>> bool(np.allclose(longer[0][20:], wave[0][4:12], atol=1e-6))
    True
    """
    extra, match, blend = (whole_number(name, n) for name, n in (("extra", extra), ("match", match), ("blend", blend)))
    if data.side is not None and any(row.ndim == 2 for row in data.side):
        raise ValueError("side information that changes within a sequence cannot be looped, expected it constant")
    for name, frames in zip(data.names, data, strict=True):
        if len(frames) < extra + match:
            raise ValueError(f"sequence {name!r} has {len(frames)} frames, expected {extra + match} (extra + match)")
        if np.isnan(frames).any():
            raise ValueError(f"sequence {name!r} has missing values, expected none: they cannot be compared")
    return data.replace(values=[_extended(frames, extra, match, blend) for frames in data])


def _extended(
    frames: Float[np.ndarray, "time channels"], extra: int, match: int, blend: int
) -> Float[np.ndarray, "longer channels"]:
    """The frames, and those that followed the most similar moment with so many frames after it."""
    scaled = frames / np.maximum(frames.std(axis=0), 1e-6)
    places = np.arange(match, len(frames) - extra + 1)
    gaps = [np.square(scaled[place - match : place] - scaled[-match:]).sum() for place in places]
    back = places[np.argmin(gaps)]
    fading = np.clip(1 - np.arange(1, extra + 1) / (blend + 1), 0, 1)[:, None]
    followed = frames[back : back + extra] + fading * (frames[-1] - frames[back - 1])
    return np.concatenate([frames, followed]).astype(frames.dtype)
