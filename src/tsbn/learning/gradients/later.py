"""Score-function estimators that credit each sample with everything it influences: unbiased.

`Later` uses the sampled terms as they are. `ClosedForm` takes divergences and entropies in closed form, which removes
their sampling noise. Both are centred, step by step, by a baseline network and a running mean; since a baseline at a
later step does not depend on the present sample, subtracting it there is as valid as subtracting it here.
"""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp

from tsbn.inference.piece import Piece
from tsbn.inference.terms import Terms, batch_terms
from tsbn.learning.gradients.baseline import new_baseline, no_statistics, updated
from tsbn.learning.gradients.estimator import (
    GradientEstimator,
    Parts,
    Pieces,
    closed_form_parts,
    per_piece,
    sampled_parts,
    score,
    to_come,
)


class Later(GradientEstimator):
    """Sum of later terms. A `horizon` keeps only the next so many: less noise, a little bias; None keeps all."""

    horizon: int | None = eqx.field(static=True, default=None)

    def start(self, model, key):
        return _start(model, key)

    def pieces(self, model, baseline, statistics, batch, key, warmth, slips=0.0):
        terms = batch_terms(model, batch, key, slips=slips)
        return _centred_score(terms, sampled_parts(terms, warmth), baseline, statistics, batch, self.horizon)


class ClosedForm(GradientEstimator):
    """Closed-form divergence per step, and the sum of later terms as the signal of what is left."""

    horizon: int | None = eqx.field(static=True, default=None)

    def start(self, model, key):
        return _start(model, key)

    def pieces(self, model, baseline, statistics, batch, key, warmth, slips=0.0):
        terms = batch_terms(model, batch, key, slips=slips)
        return _centred_score(terms, closed_form_parts(terms, warmth), baseline, statistics, batch, self.horizon)


def _start(model, key):
    """One baseline output for a step's total, one for each layer's present part."""
    layers = sum(not layer.rectified for layer in model.network.layers)
    return new_baseline(model.network.heads[0].C.shape[0], 1 + layers, key), no_statistics(1 + layers)


def _centred_score(
    terms: Terms, parts: Parts, baseline: Callable, statistics, batch: Piece, horizon: int | None
) -> Pieces:
    counted = batch.counted[None]  # for every chain
    predicted = baseline(batch.v)[:, None]  # [1 + layers, chains, batch, time]
    raw = jax.lax.stop_gradient(jnp.stack([parts.total, *parts.present]) - predicted)
    # The mean over earlier batches: one that held this batch's samples would bias their gradient.
    total, *present = raw - statistics.mean[:, None, None, None]
    later = to_come(total, counted, horizon)
    signals = tuple(jnp.where(counted, now, 0.0) + later for now in present)
    fit = -0.5 * jnp.sum(jnp.square(raw + jax.lax.stop_gradient(predicted) - predicted), axis=0)
    objective = per_piece(parts.direct + fit, score(terms, signals, later, batch), counted)
    statistics = updated(statistics, raw, jnp.broadcast_to(counted, parts.total.shape))
    return Pieces(-objective, jnp.mean(parts.total, axis=0), jnp.mean(terms.bound, axis=0), statistics)
