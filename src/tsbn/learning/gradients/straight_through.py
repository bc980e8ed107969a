"""Straight through: derivatives of the bound pass through each sampled state to the logit that it was drawn with.

The slopes of the bound at the sampled state stand for the difference between a unit on and off, by the trapezoid rule.
What the bound has beyond the second order in a single unit makes the recognition model's gradient biased, but every
unit is told its own part, where a score credits all units of a step with the same number: far less noise. What a state
does to the draws above it and, fading, to those of later steps is followed (`tsbn.inference.following`); what it does
to missing entries is not.
"""

import jax.numpy as jnp

from tsbn.inference.terms import batch_terms
from tsbn.learning.gradients.estimator import GradientEstimator, Pieces, closed_form_parts


class StraightThrough(GradientEstimator):
    """Divergences and entropies in closed form, and the derivative of everything else through the samples."""

    def start(self, model, key):
        return None, None

    def pieces(self, model, baseline, statistics, batch, key, warmth, slips=0.0):
        terms = batch_terms(model, batch, key, slips=slips, straight_through=True)
        total = closed_form_parts(terms, warmth).total[0]
        loss = -jnp.sum(jnp.where(batch.counted, total, 0.0), axis=-1)
        return Pieces(loss, total, terms.bound[0], statistics)
