"""A piece of data as the models see it: a whole sequence or a window of one, with its masks."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float


class Piece(NamedTuple):
    """One piece (or, with a leading axis everywhere, a batch of pieces).

    - `v [time, visible]`: the frames; unseen entries hold zero.
    - `y [time or 1, side]`: side information, one row where it is constant.
    - `valid [time]`: False where the frame is padding.
    - `counted [time]`: False where the frame only gives context (or is padding).
    - `seen [time, visible]`: False where an entry is missing; None where nothing is, which is the faster path.
    """

    v: Float[Array, "*batch time visible"]
    y: Float[Array, "*batch when side"]
    valid: Bool[Array, "*batch time"]
    counted: Bool[Array, "*batch time"]
    seen: Bool[Array, "*batch time visible"] | None = None


def whole(
    v: Float[Array, "time visible"],
    y: Float[Array, "when side"] | None = None,
    seen: Bool[Array, "time visible"] | None = None,
) -> Piece:
    """A whole sequence as one piece; without side information `y` is a single constant 1."""
    everything = jnp.ones(v.shape[0], bool)
    return Piece(v, jnp.ones((1, 1), v.dtype) if y is None else y, everything, everything, seen)
