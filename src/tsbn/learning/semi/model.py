"""A model of sequences and their labels: p(y) p(v, h | y), proposed by q(y | v) q(h | v, y)."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from tsbn.inference.piece import Piece
from tsbn.learning.semi.classifiers import Classifier, pooled
from tsbn.model.build import Model
from tsbn.model.network import Network
from tsbn.model.recognition import Recognition


class LabelPrior(eqx.Module):
    """p(y), by its scores; fixed unless it is `learned`."""

    scores: Float[Array, " labels"]
    learned: bool = eqx.field(static=True)

    def log_prob(self) -> Float[Array, " labels"]:
        return jax.nn.log_softmax(self.scores if self.learned else jax.lax.stop_gradient(self.scores))


class LabelModel(eqx.Module):
    """Generates sequences given labels, and recognises both hidden states and labels."""

    network: Network
    recognition: Recognition
    classifier: Classifier
    prior: LabelPrior

    @property
    def conditional(self) -> Model:
        """p(v, h | y) and q(h | v, y)."""
        return Model(self.network, self.recognition)

    def log_q(self, piece: Piece, changing: bool) -> Float[Array, "when labels"]:
        """log q(y | v) of one piece: a row per frame where labels are `changing`, else one row."""
        scores = self.classifier.scores(piece.v) if changing else pooled(self.classifier, piece)[None]
        return jax.nn.log_softmax(scores, axis=-1)


def with_labels(model: Model, classifier: Classifier, prior: LabelPrior) -> LabelModel:
    """A conditional model, and what it takes to recognise labels."""
    return LabelModel(model.network, model.recognition, classifier, prior)


def batch_log_q(model: LabelModel, batch: Piece, changing: bool) -> Float[Array, "batch when labels"]:
    """log q(y | v) of every piece of a batch."""
    return jax.vmap(lambda piece: model.log_q(piece, changing))(batch)


def penalty(classifier: Classifier) -> Float[Array, ""]:
    """Half the sum of the squared weights."""
    return 0.5 * sum((jnp.sum(jnp.square(W)) for W in classifier.weights()), jnp.zeros(()))
