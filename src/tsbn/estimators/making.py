"""What a fitted model makes: new sequences, forecasts of given ones, and frames on demand."""

import abc
from typing import Any, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from tsbn.arguments import seed_number, whole_number
from tsbn.choices import AS_THE_MODEL, Choices, checked
from tsbn.estimators.results import Forecast
from tsbn.estimators.sampling import Sampler
from tsbn.estimators.side import SideEncoder
from tsbn.estimators.whole_sequences import over_sequences
from tsbn.inference.generation import forecast, generate, recent_after
from tsbn.inference.piece import Piece
from tsbn.inference.stream import FrameSource, Snap
from tsbn.model.build import Model

AT_ONCE = 100
"""Sequences drawn side by side: few enough that their memory stays in the processor's cache."""


class Maker(Sampler):
    """`sample`, `forecast` and `stream` of a fitted model."""

    @abc.abstractmethod
    def _fitted(self) -> Model: ...

    @abc.abstractmethod
    def _given(self, sequences: Any, side: Any) -> tuple[Model, list[np.ndarray], list[np.ndarray]]: ...

    def _drawn(
        self, y: np.ndarray, opening: Piece | None, length: int, num: int, seed: int, choices: Choices
    ) -> jax.Array:
        # Random bits that need not be the same however arrays are spread over devices cost half, and noise is what
        # most of the time goes into.
        with jax.threefry_partitionable(False):
            return _generated(self._fitted(), jnp.asarray(y), opening, jax.random.key(seed), length, num, choices)

    def forecast(
        self,
        sequences: Any,
        side: Any = None,
        *,
        horizon: int,
        future_side: Any = None,
        samples: int = 100,
        seed: int = 0,
        choices: Choices = AS_THE_MODEL,
    ) -> list[Forecast]:
        """Sampled continuations of each sequence beyond its end, `horizon` frames long.

        `future_side` has one entry per sequence (a label, a vector, or `[horizon, columns]`), or is one label for all;
        by default everything stays as each sequence ends. The hidden states of the given frames come from the
        recognition model, anew for every sample. A forecast from nothing is `sample(num=...)`.
        """
        horizon, samples = whole_number("horizon", horizon), whole_number("samples", samples)
        choices = checked(choices)
        model, arrays, sides = self._given(sequences, side)
        futures = self._futures(future_side, sides, horizon)

        # A partial that compares by what it holds: the same question is compiled once.
        question = jax.tree_util.Partial(_continued, horizon=horizon, choices=choices)
        return [Forecast(found) for found in over_sequences(question, model, arrays, sides, samples, seed, futures)]

    def stream(
        self,
        side: Any = None,
        *,
        opening: Any = None,
        opening_side: Any = None,
        seed: int = 0,
        choices: Choices = AS_THE_MODEL,
        snap: Snap | None = None,
    ) -> "Stream":
        """Frames on demand: see `Stream`. The arguments are those of `sample`; `side` is that of the first frame.

        `snap(frame)` takes the place of each frame before the next one follows: the nearest of the frames that are
        possible, say, where only some are.
        """
        model, seed, choices = self._fitted(), seed_number(seed), checked(choices)
        y = self.side_.encode_one(side, 1)
        piece = self._opening(opening, opening_side, y)
        recent = None if piece is None else _recent(model, piece, jax.random.key(seed))
        source = FrameSource(model.network, recent, random=np.random.default_rng(seed), choices=choices, snap=snap)
        return Stream(source, self.side_, y[0])

    def _futures(self, future_side: Any, sides: list[np.ndarray], horizon: int) -> list[np.ndarray]:
        """Side information of each forecast, all `[1, columns]` or all `[horizon, columns]`."""
        if future_side is None:
            return [side[-1:] for side in sides]
        entries = [future_side] * len(sides) if isinstance(future_side, str | int | np.integer) else list(future_side)
        if len(entries) != len(sides):
            raise ValueError(
                f"future_side has {len(entries)} entries for {len(sides)} sequences: give one per sequence"
            )
        rows = [self.side_.encode_one(entry, horizon, f"future_side[{i}]") for i, entry in enumerate(entries)]
        if all(len(row) == 1 for row in rows):
            return rows
        return [np.broadcast_to(row, (horizon, row.shape[1])) for row in rows]


class Stream:
    """Frames on demand, `[channels]` each: `stream.next()`, or `stream.next(side)` where side information changes.

    New side information (a label or a vector) stays until the next change. Made for interaction: one frame takes some
    tens of microseconds.

    >>> import itertools, tsbn
    >>> slow = [np.sin(np.arange(60) / 6 + start)[:, None] for start in range(3)]
    >>> fast = [np.sin(np.arange(60) / 2 + start)[:, None] for start in range(3)]
    >>> model = tsbn.FCTSBN(hidden=(8,), factors=4, steps=50).fit(slow + fast, ["slow"] * 3 + ["fast"] * 3)
    >>> stream = model.stream("slow")
    >>> stream.next().shape, stream.next("fast").shape, stream.next([0.5, 0.5]).shape
    ((1,), (1,), (1,))
    >>> np.stack(list(itertools.islice(stream, 20))).shape
    (20, 1)
    """

    def __init__(self, source: FrameSource, encoder: SideEncoder, y: np.ndarray):
        self._source, self._encoder, self._y = source, encoder, y

    def next(self, side: Any = None) -> np.ndarray:
        """The next frame, under new side information if any is given."""
        if side is not None:
            self._y = self._encoder.encode_one(side, 1)[0]
        return self._source.frame(self._y)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> np.ndarray:
        return self.next()


def _continued(model, piece, key, samples, future, *, horizon, choices):
    return forecast(model, piece, future, key, horizon=horizon, samples=samples, choices=choices)


@eqx.filter_jit
def _generated(model, y, opening, key, length, num, choices):
    def one(k):
        for_opening, for_rest = jax.random.split(k)
        recent = None if opening is None else recent_after(model, opening, for_opening)
        return generate(model.network, y, for_rest, recent, length=length, choices=choices).v

    # A batch of one would make matrix products of what are products with a vector.
    return one(key)[None] if num == 1 else jax.lax.map(one, jax.random.split(key, num), batch_size=min(num, AT_ONCE))


_recent = eqx.filter_jit(recent_after)
