"""Baselines that centre the learning signal: one predicted from the frame, one running mean and variance."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray


class Baseline(eqx.Module):
    """A network with one layer of tanh units that predicts the learning signal from a frame."""

    inward: Float[Array, "units visible"]
    thresholds: Float[Array, " units"]
    outward: Float[Array, "outputs units"]
    offsets: Float[Array, " outputs"]

    def __call__(self, v: Float[Array, "batch time visible"]) -> Float[Array, "outputs batch time"]:
        units = jnp.tanh(v @ self.inward.T + self.thresholds[None, None, :])
        return jnp.moveaxis(units @ self.outward.T + self.offsets[None, None, :], -1, 0)


def new_baseline(visible: int, outputs: int, key: PRNGKeyArray, units: int = 100) -> Baseline:
    """A baseline that starts at zero for every frame."""
    inward = jax.random.normal(key, (units, visible)) / jnp.sqrt(visible)
    return Baseline(inward, jnp.zeros(units), jnp.zeros((outputs, units)), jnp.zeros(outputs))


class Statistics(NamedTuple):
    """Running mean and variance of the learning signal, kept between steps (kappa and tau of Algorithm 1)."""

    mean: Float[Array, " signals"]
    variance: Float[Array, " signals"]


def no_statistics(signals: int = 1) -> Statistics:
    return Statistics(jnp.zeros(signals), jnp.zeros(signals))


def updated(
    statistics: Statistics,
    signals: Float[Array, "signals *batch time"],
    counted: Bool[Array, "*batch time"],
    momentum: float = 0.9,
) -> Statistics:
    """Statistics moved towards those of a batch."""
    where = jnp.broadcast_to(counted[None], signals.shape)
    axes = tuple(range(1, signals.ndim))
    mean = jnp.mean(signals, axes, where=where)
    variance = jnp.var(signals, axes, where=where)
    return Statistics(
        momentum * statistics.mean + (1 - momentum) * mean,
        momentum * statistics.variance + (1 - momentum) * variance,
    )
