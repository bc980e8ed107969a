"""Leave-one-out: several chains per sequence, each one's signal centred by the mean of the others. No baseline network.

The chains are independent, so the others' sums of terms are a valid baseline at every step: unbiased.
"""

import equinox as eqx
import jax
import jax.numpy as jnp

from tsbn.inference.terms import batch_terms, counted_mean
from tsbn.learning.gradients.estimator import (
    GradientEstimator,
    Result,
    closed_form_parts,
    per_counted_step,
    score,
    to_come,
)


class LeaveOneOut(GradientEstimator):
    """Closed-form divergence, sum of later terms, and the other chains as the baseline."""

    chains: int = eqx.field(static=True, default=2)
    horizon: int | None = eqx.field(static=True, default=None)

    def __check_init__(self):
        if self.chains < 2:
            raise ValueError(f"chains is {self.chains}, leave-one-out needs at least 2")

    def start(self, model, key):
        return None, None

    def surrogate(self, model, baseline, statistics, batch, key, warmth):
        terms = batch_terms(model, batch, key, self.chains)
        parts = closed_form_parts(terms, warmth)
        counted = batch.counted[None]  # for every chain
        later = to_come(parts.total, counted, self.horizon)
        signals = tuple(centred(jnp.where(counted, now, 0.0) + later) for now in parts.present)
        objective = per_counted_step(parts.direct, score(terms, signals, centred(later), batch), counted, self.chains)
        return Result(-objective, counted_mean(terms.bound, counted), statistics)


def centred(signals):
    """Each chain's signal less the mean of the others': `[chains, ...]`."""
    chains = signals.shape[0]
    signals = jax.lax.stop_gradient(signals)
    return (signals - jnp.mean(signals, axis=0, keepdims=True)) * (chains / (chains - 1))
