"""Ridge regression of a frame on the frames before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

RIDGES = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0)
AT_ONCE = 10_000
"""Rows that are multiplied at once: many enough for a fast product, few enough to fit into memory."""


@dataclass(frozen=True)
class Rows:
    """Inputs `x [rows, inputs]`, side information `y [rows, columns]` and what follows, `v [rows, channels]`."""

    x: np.ndarray
    y: np.ndarray
    v: np.ndarray

    def part(self, begin: int, end: int | None) -> Rows:
        """Some of the rows."""
        return Rows(self.x[begin:end], self.y[begin:end], self.v[begin:end])

    def residuals(self, weights: Float[np.ndarray, "groups inputs channels"]) -> np.ndarray:
        """What the weights leave over."""
        return self.v - applied(self.x, self.y, weights)


def lagged(array: Float[np.ndarray, "time channels"], order: int) -> Float[np.ndarray, "time order*channels"]:
    """The last `order` frames of every frame, the newest first; what lies before the start, and gaps, count as zero.

    >>> lagged(np.array([[1.0], [2.0], [3.0]]), 2)
    array([[0., 0.],
           [1., 0.],
           [2., 1.]])
    """
    known = np.nan_to_num(array)
    delayed = (np.vstack([np.zeros((lag, known.shape[1])), known[:-lag]]) for lag in range(1, order + 1))
    return np.hstack([one[: len(known)] for one in delayed])


def stacked(rows: Iterable[Rows]) -> Rows:
    """All rows without missing values, end to end."""
    rows = list(rows)
    x, y, v = (np.concatenate([getattr(one, name) for one in rows]) for name in "xyv")
    complete = ~np.isnan(v).any(axis=1)
    return Rows(x[complete], y[complete], v[complete])


def in_chunks(rows: Iterable[Rows], size: int = AT_ONCE) -> Iterator[Rows]:
    """The rows without missing values, some thousands together: those of many large sequences do not fit at once.

    >>> few = Rows(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)))
    >>> [len(chunk.v) for chunk in in_chunks([few, few, few], size=3)]
    [4, 2]
    """
    waiting: list[Rows] = []
    for one in rows:
        waiting.append(one)
        if sum(len(row.v) for row in waiting) >= size:
            yield stacked(waiting)
            waiting = []
    if waiting:
        yield stacked(waiting)


class Products(NamedTuple):
    """Inputs with inputs, and inputs with what follows: all that a ridge of any size needs to know of its rows."""

    inner: Float[np.ndarray, "inputs inputs"]
    outer: Float[np.ndarray, "inputs channels"]


def products(rows: Rows, share: np.ndarray | None = None) -> Products:
    """Of all rows, each counted by its share."""
    kept = slice(None) if share is None else share > 0
    x, v = rows.x[kept], rows.v[kept]
    weighted = x.T if share is None else x.T * share[kept]
    return Products(weighted @ x, weighted @ v)


def solved(found: Products, penalty: Float[np.ndarray, " inputs"]) -> Float[np.ndarray, "inputs channels"]:
    """The weights of least squares with a penalty per input."""
    return np.linalg.solve(found.inner + np.diag(penalty), found.outer)


Learn = Callable[[Rows], list[Products]]
Solve = Callable[[list[Products], float], Float[np.ndarray, "groups inputs channels"]]


def learnt(rows: Iterable[Rows], learn: Learn) -> list[Products]:
    """What `learn` finds in all rows together."""

    def added(some: list[Products], more: list[Products]) -> list[Products]:
        return [Products(*map(np.add, a, b)) for a, b in zip(some, more, strict=True)]

    return reduce(added, map(learn, in_chunks(rows)))


def best_ridge(rows: Callable[[], Iterable[Rows]], order: int, validation: float, learn: Learn, solve: Solve) -> float:
    """The one of `RIDGES` whose weights, `solve(learn(rows), ridge)`, predict the last share of every sequence best."""

    def cut(one: Rows) -> int:
        return max(order + 1, round(len(one.v) * (1 - validation)))

    early = learnt((one.part(order, cut(one)) for one in rows()), learn)
    late = stacked(one.part(cut(one), None) for one in rows())
    return min(RIDGES, key=lambda ridge: np.square(late.residuals(solve(early, ridge))).sum())


def spread(rows: Iterable[Rows], weights: Float[np.ndarray, "groups inputs channels"]) -> np.ndarray:
    """Standard deviation of what the weights leave over, per channel."""
    left = (chunk.residuals(weights) for chunk in in_chunks(rows))
    count, total, squares = map(
        sum, zip(*((len(r), r.sum(axis=0), np.square(r).sum(axis=0)) for r in left), strict=True)
    )
    if not count:
        raise ValueError("sequences hold no frame that has all its values and enough frames before it to learn from")
    return np.sqrt(np.maximum(squares / count - np.square(total / count), 0.0))


def applied(x: np.ndarray, y: np.ndarray, weights: Float[np.ndarray, "groups inputs channels"]) -> np.ndarray:
    """`[rows, channels]`: each group's answer, mixed by its share where there are several groups."""
    if len(weights) == 1:
        return x @ weights[0]
    return sum((y[:, g : g + 1] * (x @ one) for g, one in enumerate(weights)), np.zeros((len(x), weights.shape[2])))
