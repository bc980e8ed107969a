"""NVIL as the paper's Algorithm 1 gives it: each step's sample is credited with that step's l_t alone.

The signal is centred by a data-dependent and a running baseline and divided by a running standard deviation. Leaving
out the later terms makes the recognition model's gradient biased; see `later` for the estimator that keeps them.
"""

import jax
import jax.numpy as jnp

from tsbn.inference.terms import batch_terms
from tsbn.learning.gradients.baseline import new_baseline, no_statistics, updated
from tsbn.learning.gradients.estimator import GradientEstimator, Pieces, sampled_parts


class Nvil(GradientEstimator):
    """Algorithm 1, with the running statistics kept between steps."""

    def start(self, model, key):
        visible = model.network.heads[0].C.shape[0]
        return new_baseline(visible, 1, key), no_statistics()

    def pieces(self, model, baseline, statistics, batch, key, warmth, slips=0.0):
        terms = jax.tree.map(lambda x: x[0], batch_terms(model, batch, key, slips=slips))
        parts = sampled_parts(terms, warmth)
        predicted = baseline(batch.v)[0]
        centred = jax.lax.stop_gradient(parts.total - predicted)
        statistics = updated(statistics, centred[None], batch.counted)
        signal = (centred - statistics.mean[0]) / jnp.maximum(1.0, jnp.sqrt(statistics.variance[0]))
        objective = parts.direct + signal * (sum(terms.posterior) + predicted)
        loss = -jnp.sum(jnp.where(batch.counted, objective, 0.0), axis=-1)
        return Pieces(loss, parts.total, terms.bound, statistics)
