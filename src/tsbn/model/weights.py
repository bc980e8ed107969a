"""Weights that depend on side information: shared, three-way tensor, or factored.

Every kind is the same three moves, so that one mechanism serves them all:

    project   x -> features        linear, does not see y, one block of features per lag
    add up    features of all lags
    combine   features, y -> out    the side information enters here

| kind     | W(y)               | features         | combine              |
|----------|--------------------|------------------|----------------------|
| shared   | W                  | W x              | as they are          |
| tensor   | sum_s y_s W_s      | W_s x for all s  | weighted by y        |
| factored | Wa diag(Wb y) Wc   | Wc x             | Wa (Wb y * features) |

Because features of different lags simply add up, a generator that walks through time carries the sums still to come
(`Pending`) instead of a history of states: each new state is projected once and added to the next `n` steps.
"""

import abc
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

Module = TypeVar("Module")
Pending = Float[Array, "_ _"]
"""Features still to come, `[lags, features]`; sizes differ between the maps of a model."""
PRESENT = (0,)
LAGS_AT_ONCE = 3
"""Lags that share a product over a whole sequence: 2 and 3 were fastest of 1, 2, 3, 4, 6 and 12 (orders 6 and 12)."""


UNKNOWN = "weights are {!r:.60}, expected a shared, a tensor or a factored map"


def past(order: int) -> tuple[int, ...]:
    """The lags 1..order."""
    return tuple(range(1, order + 1))


class WeightMap(eqx.Module):
    """A linear map from one source, at one or several lags, to one target, steered by side information `y`.

    `lags` is `(0,)` for the present or `(1, ..., n)` for the past. Side information is `[time, side]`,
    or `[1, side]` where it is constant over the sequence.
    """

    lags: eqx.AbstractVar[tuple[int, ...]]

    @property
    @abc.abstractmethod
    def projection(self) -> Float[Array, "lags features source"]:
        """The matrices that turn the source into features, one per lag."""

    @abc.abstractmethod
    def combine(
        self, features: Float[Array, "*time features"], y: Float[Array, "*when side"]
    ) -> Float[Array, "*time target"]:
        """The output, from features summed over the lags and the side information."""

    @abc.abstractmethod
    def matrices(self, y: Float[Array, " side"]) -> Float[Array, "lags target source"]:
        """The ordinary weight matrices W(y), one per lag."""

    def __call__(self, x: Float[Array, "*time source"], y: Float[Array, "*when side"]) -> Float[Array, "*time target"]:
        """Apply the map at every step of a whole sequence at once; before its start everything is zero.

        (A map of the present may also be applied at a single step: `[source], [side] -> [target]`.)
        """
        return self.combine(project(self.projection, self.lags, x), y)

    def blank(self) -> Pending:
        """Nothing has happened yet: the features of the next `n` steps are zero."""
        return jnp.zeros(self.projection.shape[:2], self.projection.dtype)

    def recall(self, pending: Pending, y: Float[Array, " side"]) -> Float[Array, " target"]:
        """What the past contributes to the present step."""
        return self.combine(pending[0], y)

    def remember(self, pending: Pending, x: Float[Array, " source"]) -> Pending:
        """Add the present state to the steps still to come, and move one step on."""
        return self.arriving(x) + jnp.concatenate([pending[1:], jnp.zeros_like(pending[:1])])

    def arriving(self, x: Float[Array, " source"]) -> Pending:
        """The features of the present state, for each of the next `n` steps."""
        lags, features, source = self.projection.shape
        return (x @ self.projection.reshape(lags * features, source).T).reshape(lags, features)


def project(
    matrices: Float[Array, "lags features source"], lags: tuple[int, ...], x: Float[Array, "*time source"]
) -> Float[Array, "*time features"]:
    """Features of every step, summed over the lags.

    Several lags go through one product, with their past frames side by side. One product per lag is slower: its
    automatic derivative copies the incoming signal, shifted and turned over, once per lag and map, while the frames
    side by side are made once for all maps of a source. All lags at once is slower too: what is made should still be in
    the processor's cache when it is used (`LAGS_AT_ONCE`).
    """
    if len(lags) == 1:
        return delay(x @ matrices[0].T, lags[0])
    blocks = [
        jnp.concatenate([delay(x, lag) for lag in lags[at : at + LAGS_AT_ONCE]], axis=-1)
        @ side_by_side(matrices[at : at + LAGS_AT_ONCE]).T
        for at in range(0, len(lags), LAGS_AT_ONCE)
    ]
    return sum(blocks[1:], blocks[0])


def side_by_side(matrices: Float[Array, "lags features source"]) -> Float[Array, "features lags_source"]:
    """One matrix for the sources of all lags, one after the other."""
    return matrices.transpose(1, 0, 2).reshape(matrices.shape[1], -1)


def together(
    maps: Sequence[WeightMap | None], x: Float[Array, "time source"], y: Float[Array, "when side"]
) -> list[Float[Array, "time _"] | float]:
    """The contribution of each map of the same source and the same lags; that of an absent one is 0.

    With several lags their matrices stand below each other, so that the frames side by side go through one wide product
    instead of several narrow ones (orders 6 and 12: 3 to 8 % more frames per second). A single lag has nothing to
    share, and taking the results apart costs more than it saves (up to 15 % fewer for single sequences).
    """
    present = [one for one in maps if one is not None]
    if not present or len(present[0].lags) == 1:
        return [0.0 if one is None else one(x, y) for one in maps]
    matrices = [one.projection for one in present]
    features = project(jnp.concatenate(matrices, axis=1), present[0].lags, x)
    ends = np.cumsum([one.shape[1] for one in matrices])[:-1]
    parts = iter(jnp.split(features, ends, axis=-1))
    return [0.0 if one is None else one.combine(next(parts), y) for one in maps]


def delay(x: Float[Array, "*time features"], steps: int) -> Float[Array, "*time features"]:
    """Move a sequence `steps` later, with zeros entering at its start."""
    if steps == 0:
        return x
    return jnp.pad(x, ((steps, 0), (0, 0)))[: x.shape[0]]


class Shared(WeightMap):
    """The same weights whatever the side information."""

    W: Float[Array, "lags target source"]
    lags: tuple[int, ...] = eqx.field(static=True)

    @property
    def projection(self):
        return self.W

    def combine(self, features, y):
        return features

    def matrices(self, y):
        return self.W


class Tensor(WeightMap):
    """A weight matrix per style, mixed by `y`."""

    W: Float[Array, "lags side target source"]
    lags: tuple[int, ...] = eqx.field(static=True)

    @property
    def projection(self):
        lags, side, target, source = self.W.shape
        return self.W.reshape(lags, side * target, source)

    def combine(self, features, y):
        side, target = self.W.shape[1:3]
        by_style = features.reshape(*features.shape[:-1], side, target)
        return jnp.sum(by_style * y[..., None], axis=-2)

    def matrices(self, y):
        return jnp.einsum("ksoi,s->koi", self.W, y)


class Factored(WeightMap):
    """`W(y) = Wa diag(Wb y) Wc`: what goes into and out of the factors is shared, each style sets their gains.

    All lags feed the same factors, each through its own `Wc`: the paper's form, with the past frames stacked into one
    long vector.
    """

    Wa: Float[Array, "target factors"]
    Wb: Float[Array, "factors side"]
    Wc: Float[Array, "lags factors source"]
    lags: tuple[int, ...] = eqx.field(static=True)

    @property
    def projection(self):
        return self.Wc

    def combine(self, features, y):
        return (features * (y @ self.Wb.T)) @ self.Wa.T

    def matrices(self, y):
        return jnp.einsum("of,f,kfi->koi", self.Wa, self.Wb @ y, self.Wc)


class InitialScales(NamedTuple):
    """Standard deviations (and the mean of the style gains) that new weights start from.

    The default starts the gains `Wb` near 1: a factored map then begins as a plain low-rank map that all styles share,
    and styles grow apart as the data ask for it. Three factors near zero multiply to a gradient near zero instead.
    """

    dense: float = 0.02
    factor: float = 0.1
    gain: float = 0.1
    gain_mean: float = 1.0


DEFAULT_SCALES = InitialScales()
PAPER_SCALES = InitialScales(dense=0.001, factor=0.01, gain=0.01, gain_mean=0.0)


def new_map(
    kind: str,
    source: int,
    target: int,
    lags: tuple[int, ...],
    gain_means: Float[Array, " side"],
    *,
    factors: int,
    scales: InitialScales,
    normal: Callable[..., Array],
) -> WeightMap:
    """A freshly drawn map of the named kind.

    `normal(*shape)` draws standard normal numbers; `gain_means` says around what each side column's gains start.
    """
    side = gain_means.shape[0]
    match kind:
        case "shared":
            return Shared(W=scales.dense * normal(len(lags), target, source), lags=lags)
        case "tensor":
            return Tensor(W=scales.dense * normal(len(lags), side, target, source), lags=lags)
        case "factored":
            return Factored(
                Wa=scales.factor * normal(target, factors),
                Wb=scales.gain * normal(factors, side) + scales.gain_mean * gain_means[None, :],
                Wc=scales.factor * normal(len(lags), factors, source),
                lags=lags,
            )
    raise ValueError(f"kind of weights is {kind!r}, expected 'shared', 'tensor' or 'factored'")


def set_to(
    weights: WeightMap, matrices: Float[np.ndarray, "lags target source"], gain_means: Float[Array, " side"]
) -> WeightMap:
    """The map of the same kind that has these matrices under every style; factored ones as well as they can.

    Factors that the matrices do not need keep what they give out and take nothing in, so that they can be learnt.
    """
    match weights:
        case Shared():
            return eqx.tree_at(lambda m: m.W, weights, jnp.asarray(matrices, jnp.float32))
        case Tensor():
            mixed = matrices[:, None] * np.asarray(gain_means)[:, None, None]
            return eqx.tree_at(lambda m: m.W, weights, jnp.asarray(mixed, jnp.float32))
        case Factored():
            lags, target, source = matrices.shape
            given, strengths, taken = np.linalg.svd(
                matrices.transpose(1, 0, 2).reshape(target, lags * source), full_matrices=False
            )
            rank = min(len(strengths), weights.Wa.shape[1])
            into = np.zeros((weights.Wa.shape[1], lags * source))
            into[:rank] = strengths[:rank, None] * taken[:rank]
            into = into.reshape(-1, lags, source).transpose(1, 0, 2)
            return Factored(
                Wa=weights.Wa.at[:, :rank].set(given[:, :rank]),
                Wb=jnp.broadcast_to(gain_means, weights.Wb.shape),
                Wc=jnp.asarray(into, jnp.float32),
                lags=weights.lags,
            )
    raise TypeError(UNKNOWN.format(weights))


def times(weights: WeightMap, scales: Float[Array, " target"]) -> WeightMap:
    """The map with every output multiplied by its scale."""
    match weights:
        case Factored():
            return eqx.tree_at(lambda m: m.Wa, weights, weights.Wa * scales[:, None])
        case Shared() | Tensor():
            rows = scales.reshape(*(1 for _ in weights.W.shape[:-2]), -1, 1)
            return eqx.tree_at(lambda m: m.W, weights, weights.W * rows)
    raise TypeError(UNKNOWN.format(weights))


def silent(weights: WeightMap) -> WeightMap:
    """The same map with output zero; of a factored one `Wc` alone is zero, so that its gradient is not."""
    match weights:
        case Factored():
            return eqx.tree_at(lambda m: m.Wc, weights, jnp.zeros_like(weights.Wc))
        case Shared() | Tensor():
            return eqx.tree_at(lambda m: m.W, weights, jnp.zeros_like(weights.W))
    raise TypeError(UNKNOWN.format(weights))


def specialise(module: Module, y: Float[Array, "when side"]) -> Module:
    """Where side information is constant (`[1, side]`), replace each tensor by the one matrix it amounts to.

    A sequence then pays for one style instead of for all of them: several times faster with many styles.
    """
    if y.shape[0] != 1:
        return module

    def settle(leaf):
        return Shared(W=leaf.matrices(y[0]), lags=leaf.lags) if isinstance(leaf, Tensor) else leaf

    return jax.tree.map(settle, module, is_leaf=lambda leaf: isinstance(leaf, Tensor))
