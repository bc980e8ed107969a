"""Leave-one-out: several chains per sequence, each one's signal centred by the mean of the others. No baseline network.

The chains are independent, so the others' sums of terms are a valid baseline at every step: unbiased.
"""

import equinox as eqx
import jax
import jax.numpy as jnp

from tsbn.inference.piece import Piece
from tsbn.inference.terms import Terms, batch_terms
from tsbn.learning.gradients.estimator import (
    GradientEstimator,
    Parts,
    Pieces,
    closed_form_parts,
    per_piece,
    score,
    several,
    to_come,
)


class LeaveOneOut(GradientEstimator):
    """Closed-form divergence, sum of later terms, and the other chains as the baseline."""

    chains: int = eqx.field(static=True, default=2)
    horizon: int | None = eqx.field(static=True, default=None)

    def __check_init__(self):
        several("chains", self.chains)

    def start(self, model, key):
        return None, None

    def pieces(self, model, baseline, statistics, batch, key, warmth, slips=0.0):
        terms = batch_terms(model, batch, key, self.chains, slips)
        return leave_one_out(terms, closed_form_parts(terms, warmth), batch, self.horizon)


def leave_one_out(terms: Terms, parts: Parts, batch: Piece, horizon: int | None) -> Pieces:
    """The surrogate of parts whose signals are centred by the other chains."""
    counted = batch.counted[None]  # for every chain
    later = to_come(parts.total, counted, horizon)
    signals = tuple(centred(jnp.where(counted, now, 0.0) + later) for now in parts.present)
    scores = score(terms, signals, centred(later), batch)
    objective = per_piece(parts.direct, scores, counted)
    return Pieces(-objective, jnp.mean(parts.total, axis=0), jnp.mean(terms.bound, axis=0), None)


def centred(signals):
    """Each chain's signal less the mean of the others': `[chains, ...]`."""
    chains = signals.shape[0]
    signals = jax.lax.stop_gradient(signals)
    return (signals - jnp.mean(signals, axis=0, keepdims=True)) * (chains / (chains - 1))
