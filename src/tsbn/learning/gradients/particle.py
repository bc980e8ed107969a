"""The particle bound as a training objective.

Each proposed state is credited with the bound's increments from its step on; the present one is centred by leaving the
particle out, later ones by a running mean. As usual for this bound (Maddison et al. 2017), the score of the resampling
choices is left out: it is very noisy, and leaving it out biases the recognition model's gradient.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp

from tsbn.inference.particles import particle_filter
from tsbn.learning.gradients.baseline import no_statistics, updated
from tsbn.learning.gradients.estimator import GradientEstimator, Pieces, several, to_come
from tsbn.learning.gradients.multi_sample import without_each


class Particle(GradientEstimator):
    """Particle bound of whole pieces; its divergence is not warmed up, and its past never slips."""

    particles: int = eqx.field(static=True, default=8)

    def __check_init__(self):
        several("particles", self.particles)

    def start(self, model, key):
        return None, no_statistics()

    def pieces(self, model, baseline, statistics, batch, key, warmth, slips=0.0):
        keys = jax.random.split(key, batch.v.shape[0])
        passes = jax.vmap(particle_filter, in_axes=(None, 0, 0, None))(model, batch, keys, self.particles)
        later = to_come(passes.increments - statistics.mean[0], batch.counted)
        statistics = updated(statistics, jax.lax.stop_gradient(passes.increments)[None], batch.counted)
        weights = jnp.moveaxis(passes.carried + passes.log_weights, -1, 0)  # [particles, batch, time]
        own = logsumexp(weights, axis=0)[None] - without_each(weights) - jnp.log(self.particles)
        signals = jax.lax.stop_gradient(jnp.where(batch.counted[None], own, 0.0) + later[None])
        scores = jnp.where(batch.valid, jnp.sum(signals * jnp.moveaxis(passes.log_q, -1, 0), axis=0), 0.0)
        bound = jnp.sum(jnp.where(batch.counted, passes.increments, 0.0), axis=-1)
        return Pieces(-(bound + jnp.sum(scores, axis=-1)), passes.increments, passes.increments, statistics)
