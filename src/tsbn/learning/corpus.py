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
    """How windows are cut: `size` frames that count, after up to `context` frames that only lead in.

    The first `opening` frames of a sequence never count.
    """

    size: int
    context: int
    opening: int = 0


class Places(NamedTuple):
    """Where windows begin to count: a sequence, and a frame within it; the count ends at `until`."""

    sequence: Int[Array, "*windows"]
    first: Int[Array, "*windows"]
    until: Int[Array, "*windows"]


class Corpus(NamedTuple):
    """Sequences end to end, padded once at the end by a window or more.

    `side` has one row per sequence where side information is constant within each, else one per frame; `odds` are
    cumulative probabilities of picking each sequence (the last one may be there several times, picked once). Windows
    are drawn from the first `lengths` frames of a sequence; with `spans` (parts of sequences), `odds` are those of the
    spans, and windows are drawn from within these.
    """

    frames: Float[Array, "frames visible"]
    seen: Bool[Array, "frames visible"] | None
    side: Float[Array, "sequences 1 side"] | Float[Array, "frames side"]
    starts: Int[Array, " sequences"]
    lengths: Int[Array, " sequences"]
    odds: Float[Array, " spans"]
    spans: Places | None = None


def cut(corpus: Corpus, window: Window, place: Places) -> Piece:
    """One window: frames `first` to `first + size` count, and the frames before them (if any) lead in."""
    begin = jnp.maximum(place.first - window.context, 0)
    time = window.size + window.context
    at = corpus.starts[place.sequence] + begin

    def slice_of(rows):
        return jax.lax.dynamic_slice_in_dim(rows, at, time)

    steps = begin + jnp.arange(time)
    valid = steps < place.until
    constant = corpus.side.ndim == 3
    return Piece(
        v=slice_of(corpus.frames),
        y=corpus.side[place.sequence] if constant else slice_of(corpus.side),
        valid=valid,
        counted=valid & (steps >= jnp.maximum(place.first, window.opening)) & (steps < place.first + window.size),
        seen=None if corpus.seen is None else slice_of(corpus.seen),
    )


def random_batch(corpus: Corpus, window: Window, size: int, key: PRNGKeyArray, even: bool = False) -> Piece:
    """Windows from random sequences (or spans) at random places; `even` spreads them over the odds, in order.

    Places up to half a window outside a sequence are moved to its nearest end, so that the first and last frames, which
    few windows would reach, are seen about as often as the others.
    """
    which, where = jax.random.split(key)
    chance = jax.random.uniform(which, (size,))
    if even:
        # A little less than 1, lest rounding move a window from the end of its share to the next one's beginning.
        chance = (jnp.arange(size, dtype=chance.dtype) + 0.999 * chance) / size
    span = jnp.searchsorted(corpus.odds, chance * corpus.odds[-1], side="right")
    span = jnp.minimum(span, corpus.odds.shape[0] - 1)
    if corpus.spans is None:
        sequence, begin, end = span, jnp.zeros_like(span), corpus.lengths[span]
    else:
        sequence, begin, end = (column[span] for column in corpus.spans)
    lowest = jnp.minimum(begin, jnp.maximum(corpus.lengths[sequence] - window.size, 0))
    last = jnp.maximum(end - window.size, lowest)
    margin = window.size // 2
    first = jax.random.randint(where, (size,), lowest - margin, last + 1 + margin)
    places = Places(sequence, jnp.clip(first, lowest, last), corpus.lengths[sequence])
    return jax.vmap(cut, in_axes=(None, None, 0))(corpus, window, places)


def rounded(size: int) -> int:
    """A size a little larger (an eighth at most) of which there are few, so that similar data share compiled programs.

    >>> [rounded(size) for size in (5, 17, 100, 3820, 3940)]
    [5, 18, 104, 3840, 4096]
    """
    step = 1 << max(size.bit_length() - 4, 0)
    return -(-size // step) * step


def repeated_last(rows: np.ndarray) -> np.ndarray:
    """Rows of which the last is repeated up to a `rounded` number."""
    return np.pad(rows, [(0, rounded(len(rows)) - len(rows)), *[(0, 0)] * (rows.ndim - 1)], mode="edge")


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
