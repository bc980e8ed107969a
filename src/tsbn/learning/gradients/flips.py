"""One-bit flips: the present likelihood with each hidden unit on and off, exactly, instead of one noisy score.

Given all other units, the derivative of the expected log-likelihood with respect to the probability of unit j is the
difference between h_j = 1 and h_j = 0. A flip moves the outputs by one column of W2, so all J of them cost O(J M) a
step. What a sample does to later steps, and to the layers above, is still credited by its score.
"""

import equinox as eqx
import jax
import jax.numpy as jnp

from tsbn.inference.piece import Piece
from tsbn.inference.terms import Terms, batch_terms
from tsbn.learning.gradients.estimator import GradientEstimator, Parts, closed_form_parts, several
from tsbn.learning.gradients.leave_one_out import leave_one_out
from tsbn.model.build import Model


class Flips(GradientEstimator):
    """Closed-form divergence, exact one-bit flips of the present likelihood, leave-one-out for what is later."""

    chains: int = eqx.field(static=True, default=2)
    horizon: int | None = eqx.field(static=True, default=None)

    def __check_init__(self):
        several("chains", self.chains)

    def start(self, model, key):
        if model.network.layers[0].rectified:
            raise ValueError("one-bit flips need a stochastic first layer; it is deterministic in this model")
        return None, None

    def pieces(self, model, baseline, statistics, batch, key, warmth, slips=0.0):
        terms = batch_terms(model, batch, key, self.chains, slips)
        parts = closed_form_parts(terms, warmth)
        over_batch = jax.vmap(flip_differences, in_axes=(None, 0, 0))
        flips = jax.vmap(over_batch, in_axes=(None, None, 0))(jax.lax.stop_gradient(model), batch, terms)
        gain = jnp.sum(jax.lax.stop_gradient(flips) * jax.nn.sigmoid(terms.posterior_logits[0]), axis=-1)
        present = (parts.present[0] - terms.likelihood, *parts.present[1:])
        return leave_one_out(terms, Parts(parts.direct + gain, parts.total, present), batch, self.horizon)


def flip_differences(model: Model, piece: Piece, terms: Terms):
    """log p(v_t | h_j = 1, rest) - log p(v_t | h_j = 0, rest) for every unit of the first layer: `[time, hidden]`."""
    network = model.network
    turn = 1.0 - 2.0 * terms.hs[0]
    # Of each head `[time or 1, visible, hidden]`.
    columns = [jax.vmap(head.W2.matrices)(piece.y)[:, 0] if head.W2 else None for head in network.heads]

    def flipped(unit):
        outputs = tuple(
            output if column is None else output + turn[:, unit, None] * column[:, :, unit]
            for output, column in zip(terms.outputs, columns, strict=True)
        )
        return network.observation.log_prob(piece.v, outputs, piece.seen)

    likelihoods = jax.vmap(flipped, out_axes=1)(jnp.arange(turn.shape[1]))
    return turn * (likelihoods - terms.likelihood[:, None])
