"""`sample`: what every fitted model that can make sequences is asked in the same words."""

import abc
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from tsbn.arguments import seed_number, whole_number
from tsbn.choices import AS_THE_MODEL, Choices, checked
from tsbn.data import Sequences
from tsbn.estimators.inputs import as_float32
from tsbn.estimators.side import SideEncoder
from tsbn.inference.piece import Piece, whole
from tsbn.preparation import Preparation
from tsbn.styles import Path


class Sampler(abc.ABC):
    """Draws sequences, from nothing or going on from given frames."""

    side_: SideEncoder
    preparation_: Preparation | None

    @abc.abstractmethod
    def _checked(self, sequences: Any, side: Any = None, name: str = "sequences") -> Sequences: ...

    @abc.abstractmethod
    def _drawn(
        self, y: np.ndarray, opening: Piece | None, length: int, num: int, seed: int, choices: Choices
    ) -> Array | np.ndarray:
        """`[num, length, channels]` under side information `y [1 or length, columns]`."""

    def sample(
        self,
        side: Any = None,
        length: int | None = None,
        num: int | None = None,
        *,
        opening: Any = None,
        opening_side: Any = None,
        seed: int = 0,
        choices: Choices = AS_THE_MODEL,
    ) -> np.ndarray:
        """Draw new sequences: `[length, channels]`, or `[num, length, channels]` where `num` is given.

        `side` is a label, a vector, an array `[length, columns]` that changes on the way, or a path of styles (see
        `tsbn.styles`). With `opening` frames `[time, channels]` the sequence goes on from them (under `opening_side`,
        by default as `side` begins); they are not part of the result. `choices` says what is drawn and what is not.
        """
        self._fitted()
        y = self.side_.encode_one(side, None)
        if length is None and not (isinstance(side, Path) or np.ndim(side) == 2 or len(y) > 1):
            raise ValueError("length is missing; it can be left out only where side has a row per frame")
        length = len(y) if length is None else whole_number("length", length)
        copies = 1 if num is None else whole_number("num", num)
        if len(y) not in (1, length):
            raise ValueError(f"side has {len(y)} rows, expected 1 or length = {length}")
        piece = self._opening(opening, opening_side, y)
        drawn = self._drawn(y, piece, length, copies, seed_number(seed), checked(choices))
        return np.asarray(drawn if num is not None else drawn[0])

    @abc.abstractmethod
    def _fitted(self) -> Any:
        """What was learnt; an error if nothing was yet."""

    def _opening(self, opening: Any, opening_side: Any, y: np.ndarray) -> Piece | None:
        if opening is None:
            if opening_side is not None:
                raise ValueError("opening_side was given without an opening")
            return None
        (frames,) = as_float32(self._checked([opening], None, "opening"))
        lead = y[:1] if opening_side is None else self.side_.encode_one(opening_side, len(frames), "opening_side")
        seen = ~np.isnan(frames)
        filled = jnp.nan_to_num(jnp.asarray(frames))
        return whole(filled, jnp.asarray(lead), None if seen.all() else jnp.asarray(seen))
