"""How the training engine takes a neural baseline: its own loss for a gradient, its own cost on held-out frames."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.baselines.neural.net import Net
from tsbn.learning.corpus import Corpus, Places, Window, cut
from tsbn.learning.gradients.estimator import GradientEstimator, Pieces


class LossOfNet(GradientEstimator):
    """The derivative of the net's own loss; there is nothing to warm up, and no hidden past to disturb."""

    def start(self, model, key):
        return None, None

    def pieces(self, model, baseline, statistics, batch, key, warmth, slips=0.0):
        losses = jax.vmap(model.loss)(batch, jax.random.split(key, batch.counted.shape[0]))
        return Pieces(jnp.sum(jnp.where(batch.counted, losses, 0.0), axis=1), -losses, -losses, statistics)


class Look(NamedTuple):
    """Minus the cost of a held-out frame: the best net is the one where it is highest."""

    validation: Float[Array, ""]


@eqx.filter_jit
def cost_of_net(net: Net, corpus: Corpus, places: Places, window: Window, key: PRNGKeyArray) -> Look:
    """Count every held-out frame once; the same key gives the same noise, so looks compare."""

    def one_batch(now):
        place, k = now
        batch = jax.vmap(cut, in_axes=(None, None, 0))(corpus, window, place)
        costs = jax.vmap(net.cost)(batch, jax.random.split(k, place.first.shape[0]))
        return jnp.sum(jnp.where(batch.counted, costs, 0.0)), jnp.sum(batch.counted, dtype=costs.dtype)

    total, frames = jax.lax.map(one_batch, (places, jax.random.split(key, places.first.shape[0])))
    return Look(-jnp.sum(total) / jnp.sum(frames))
