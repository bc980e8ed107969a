"""Foresight: a second goal beside the bound, to foretell each frame from the ones before it.

The bound is earned with hidden units that have seen the frame they explain, so it asks little of the arrows from the
past. Here every frame is scored by what the model expects before it is seen: the history's hidden states from q, the
present ones from the prior, and the first layer's probabilities in place of its draw. For real values and one layer
the mean is the one that the model predicts along this history, exactly; what the draw would add to the spread is left
out. Derivatives pass through each drawn state, layer by layer, so that the recognition model learns to keep of the past
what tells of the future.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PRNGKeyArray

from tsbn.inference.following import through, with_derivatives
from tsbn.inference.piece import Piece
from tsbn.inference.posterior import exceeds, logistic_noise
from tsbn.inference.terms import PerStep, walked
from tsbn.learning.gradients.estimator import GradientEstimator
from tsbn.model.build import Model
from tsbn.model.weights import specialise


class Foresight(GradientEstimator):
    """Another estimator's objective, and `weight` times the log-probability of each frame as it was foretold."""

    inner: GradientEstimator
    weight: float = eqx.field(static=True)

    def start(self, model, key):
        refuse_future(model.recognition.future is not None)
        return self.inner.start(model, key)

    def pieces(self, model, baseline, statistics, batch, key, warmth, slips=0.0):
        for_inner, for_own = jax.random.split(key)
        found = self.inner.pieces(model, baseline, statistics, batch, for_inner, warmth, slips)
        keys = jax.random.split(for_own, batch.v.shape[0])
        told = self.weight * jax.vmap(foretold, in_axes=(None, 0, 0, None))(model, batch, keys, slips)
        loss = found.loss - jnp.sum(jnp.where(batch.counted, told, 0.0), axis=-1)
        return found._replace(loss=loss, value=found.value + told)


def refuse_future(seen: bool) -> None:
    """Hidden states that were recognised with the frame to foretell in view would give it away."""
    if seen:
        raise ValueError(
            "foresight is asked of a recognition model that sees the future, and with it the frame to foretell: "
            "expected future=0, or no foresight"
        )


def foretold(model: Model, piece: Piece, key: PRNGKeyArray, slips: float = 0.0) -> PerStep:
    """Log-probability of each frame under what is expected along one sampled history; differentiable."""
    for_history, for_present = jax.random.split(key)
    path = walked(model, piece, for_history, slips)
    model = specialise(model, piece.y)
    network, recognition, y = model.network, model.recognition, piece.y
    drive = recognition.drive(piece.v, piece.valid, y)
    # Rectified layers get derivatives that mean nothing here, and are computed anew when they settle.
    logits = recognition.logits(drive, recognition.settle(drive, path.hs, y), y)
    path = with_derivatives(path, tuple(map(through, path.hs, logits)))
    past = network.past(path.v, network.settle(path.v, path.hs if path.remembered is None else path.remembered, y), y)
    noise = logistic_noise(for_present, piece.v.shape[0], tuple(layer.B.shape[0] for layer in network.layers))

    def expected(layer: int, logits: Array) -> Array:
        return through(exceeds(logits, noise[layer]), logits) if layer else jax.nn.sigmoid(logits)

    outputs = network.outputs(past, network.descend(past, y, expected)[0], y)
    return network.observation.log_prob(path.v, outputs, piece.seen)
