"""The multi-sample bound log (1/K) sum_k w_k, by VIMCO: each sample is credited with what it adds to the others."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.scipy.special import logsumexp
from jaxtyping import Array, Float

from tsbn.inference.terms import batch_terms
from tsbn.learning.gradients.estimator import GradientEstimator, Pieces, sampled_parts, several, whole_at_the_end


class MultiSample(GradientEstimator):
    """Importance-weighted bound of whole pieces."""

    chains: int = eqx.field(static=True, default=8)

    def __check_init__(self):
        several("chains", self.chains)

    def start(self, model, key):
        return None, None

    def pieces(self, model, baseline, statistics, batch, key, warmth, slips=0.0):
        terms = batch_terms(model, batch, key, self.chains, slips)
        counted = batch.counted[None]  # for every chain
        log_weights = jnp.sum(jnp.where(counted, sampled_parts(terms, warmth).total, 0.0), axis=-1)
        # The weights also change directly with theta and phi; log q enters twice: there, and as the score.
        bound = logsumexp(log_weights, axis=0) - jnp.log(self.chains)
        signals = jax.lax.stop_gradient(bound[None] - without_each(log_weights))
        log_q = sum(terms.posterior) if terms.filled is None else sum(terms.posterior) + terms.filled
        scores = jnp.sum(signals * jnp.sum(jnp.where(batch.valid[None], log_q, 0.0), axis=-1), axis=0)
        true_weights = jnp.sum(jnp.where(counted, terms.bound, 0.0), axis=-1)
        true_bound = logsumexp(true_weights, axis=0) - jnp.log(self.chains)
        value, true_value = (whole_at_the_end(b, batch.counted) for b in (bound, true_bound))
        return Pieces(-(bound + scores), value, true_value, statistics)


def without_each(log_weights: Float[Array, "chains *batch"]) -> Float[Array, "chains *batch"]:
    """The bound with each sample's weight replaced by the geometric mean of the others."""
    chains = log_weights.shape[0]
    others = (jnp.sum(log_weights, axis=0, keepdims=True) - log_weights) / (chains - 1)
    same = jnp.eye(chains, dtype=bool).reshape(chains, chains, *(1,) * (log_weights.ndim - 1))
    replaced = jnp.where(same, others[:, None], log_weights[None])
    return logsumexp(replaced, axis=1) - jnp.log(chains)
