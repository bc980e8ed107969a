"""Training data on the device: all frames end to end, stored once, from which windows are cut by index.

Memory is that of the data plus batch times window, however long the longest sequence is.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from tsbn.inference.piece import Piece


class Window(NamedTuple):
    """How windows are cut: `size` frames that count, after up to `context` frames that only lead in."""

    size: int
    context: int


class Corpus(NamedTuple):
    """Sequences end to end, padded once at the end by a window.

    `side` has one row per sequence where side information is constant within each, else one per frame; `odds` are
    cumulative probabilities of picking each sequence. Windows are drawn from the first `lengths` frames of a sequence.
    """

    frames: Float[Array, "frames visible"]
    seen: Bool[Array, "frames visible"] | None
    side: Float[Array, "rows side"]
    starts: Int[Array, " sequences"]
    lengths: Int[Array, " sequences"]
    odds: Float[Array, " sequences"]


class Places(NamedTuple):
    """Where windows begin to count: a sequence, and a frame within it; the count ends at `until`."""

    sequence: Int[Array, "*windows"]
    first: Int[Array, "*windows"]
    until: Int[Array, "*windows"]


def cut(corpus: Corpus, window: Window, place: Places) -> Piece:
    """One window: frames `first` to `first + size` count, and the frames before them (if any) lead in."""
    begin = jnp.maximum(place.first - window.context, 0)
    time = window.size + window.context
    at = corpus.starts[place.sequence] + begin

    def slice_of(rows):
        return jax.lax.dynamic_slice_in_dim(rows, at, time)

    steps = begin + jnp.arange(time)
    valid = steps < place.until
    per_frame = corpus.side.shape[0] == corpus.frames.shape[0]
    return Piece(
        v=slice_of(corpus.frames),
        y=slice_of(corpus.side) if per_frame else corpus.side[place.sequence][None],
        valid=valid,
        counted=valid & (steps >= place.first) & (steps < place.first + window.size),
        seen=None if corpus.seen is None else slice_of(corpus.seen),
    )


def random_batch(corpus: Corpus, window: Window, size: int, key: PRNGKeyArray) -> Piece:
    """Windows from random sequences at random places.

    Places up to half a window outside a sequence are moved to its nearest end, so that the first and last frames, which
    few windows would reach, are seen about as often as the others.
    """
    which, where = jax.random.split(key)
    sequence = jnp.searchsorted(corpus.odds, jax.random.uniform(which, (size,)) * corpus.odds[-1], side="right")
    sequence = jnp.minimum(sequence, corpus.odds.shape[0] - 1)
    last = jnp.maximum(corpus.lengths[sequence] - window.size, 0)
    margin = window.size // 2
    first = jax.random.randint(where, (size,), -margin, last + 1 + margin)
    places = Places(sequence, jnp.clip(first, 0, last), corpus.lengths[sequence])
    return jax.vmap(cut, in_axes=(None, None, 0))(corpus, window, places)


def tiles(begins: np.ndarray, ends: np.ndarray, size: int, batch: int) -> Places:
    """Windows side by side that count every frame from `begins` to `ends` of each sequence once: `[batches, batch]`."""
    rows = [
        (sequence, first, end)
        for sequence, (begin, end) in enumerate(zip(begins, ends, strict=True))
        for first in range(int(begin), int(end), size)
    ]
    missing = -len(rows) % batch
    rows += [(0, 0, 0)] * missing  # counts nothing
    sequence, first, until = np.array(rows, np.int32).reshape(-1, batch, 3).transpose(2, 0, 1)
    return Places(jnp.asarray(sequence), jnp.asarray(first), jnp.asarray(until))
