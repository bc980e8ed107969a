"""Weights made ready for walking through time, one step after the other.

A single step multiplies vectors with matrices, and there it matters how the matrices lie in memory: outputs next to
each other are computed together, inputs next to each other are not. Each map is therefore turned once, before the walk:

    features = x @ inward        one block per lag
    out      = (features * y @ gains) @ outward      or, without `outward`, the sum of the blocks of features

Constant side information goes further: the gains become part of the matrices, a tensor the one matrix it amounts to,
and a factored map a plain matrix where that is less work. What remains is a network without side information.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from tsbn.model.network import Network
from tsbn.model.weights import Factored, Shared, Tensor, WeightMap


class Walking(WeightMap):
    """A map as a step of the walk uses it."""

    inward: Float[Array, "source lags_features"]
    gains: Float[Array, "side features"] | None
    outward: Float[Array, "features target"] | None
    target: int = eqx.field(static=True)
    lags: tuple[int, ...] = eqx.field(static=True)

    @property
    def projection(self):
        return self.inward.reshape(self.inward.shape[0], len(self.lags), -1).transpose(1, 2, 0)

    def combine(self, features, y):
        if self.gains is not None:
            features = features * (y @ self.gains)
        if self.outward is not None:
            return features @ self.outward
        return jnp.sum(features.reshape(*features.shape[:-1], -1, self.target), axis=-2)

    def matrices(self, y):
        return jax.vmap(jax.vmap(lambda column: self.combine(column, y), 1, 1))(self.projection)

    def arriving(self, x):
        return (x @ self.inward).reshape(len(self.lags), -1)


def walking(weights: WeightMap) -> Walking:
    """The same map, ready for side information that may change at every step."""
    gains = outward = None
    match weights:
        case Factored():
            target, gains, outward = weights.Wa.shape[0], weights.Wb.T, weights.Wa.T
        case Tensor():
            side, target = weights.W.shape[1:3]
            gains = jnp.repeat(jnp.eye(side, dtype=weights.W.dtype), target, axis=1)
        case _:
            target = weights.projection.shape[1]
    return Walking(inward=_turned(weights.projection), gains=gains, outward=outward, target=target, lags=weights.lags)


def settled(weights: WeightMap, y: Float[Array, " side"]) -> Walking:
    """The map that is left when the side information stays `y`."""
    if isinstance(weights, Factored):
        lags, factors, source = weights.Wc.shape
        target = weights.Wa.shape[0]
        if factors * (lags * source + target) < lags * source * target:
            outward = (weights.Wa * (weights.Wb @ y)[None]).T
            return Walking(inward=_turned(weights.Wc), gains=None, outward=outward, target=target, lags=weights.lags)
    return walking(Shared(W=weights.matrices(y), lags=weights.lags))


def _turned(projection: Float[Array, "lags features source"]) -> Float[Array, "source lags_features"]:
    return projection.transpose(2, 0, 1).reshape(projection.shape[2], -1)


def ready(network: Network, y: Float[Array, "when side"]) -> tuple[Network, Float[Array, "_ _"]]:
    """The network as a walk under `y` uses it, and the side information it then needs.

    Constant side information (`[1, side]`) leaves a network without any: `y` becomes a single 1.
    """

    def is_map(leaf):
        return isinstance(leaf, WeightMap)

    def turned(change):
        return jax.tree.map(lambda leaf: change(leaf) if is_map(leaf) else leaf, network, is_leaf=is_map)

    if y.shape[0] > 1:
        return turned(walking), y
    fixed = turned(lambda weights: settled(weights, y[0]))

    def biases(n: Network):
        return [layer.B for layer in n.layers] + [head.C for head in n.heads]

    fixed = eqx.tree_at(biases, fixed, [bias @ y.T for bias in biases(network)])
    return fixed, jnp.ones((1, 1), y.dtype)
