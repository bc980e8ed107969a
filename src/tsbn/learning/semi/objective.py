"""The semi-supervised objective L_s = L_l + L_u, as gradient estimators around one of the bound given the label.

    labelled piece      ELBO(v | y) + log p(y) + alpha log q(y | v)
    unlabelled piece    E_q(y|v) [ELBO(v | y) + log p(y) - log q(y | v)]

In a batch, `y` is NaN where the label is not known. `Summed` takes the expectation over labels exactly, at the price of
one pass per label; it needs one label per piece. `Sampled` draws labels and credits q(y | v) by the score function.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from tsbn.inference.piece import Piece
from tsbn.learning.gradients.baseline import new_baseline, no_statistics, updated
from tsbn.learning.gradients.estimator import GradientEstimator, Pieces, to_come
from tsbn.learning.semi.model import LabelModel, batch_log_q, penalty

hold = jax.lax.stop_gradient
PerPiece = Float[Array, " batch"]


class Weights(NamedTuple):
    """What the parts of the objective weigh. `alpha` None is twice the number of counted frames, as in the paper."""

    alpha: float | None = None
    penalty: float = 0.0

    def classification(self, steps: PerPiece) -> PerPiece:
        """alpha of each piece."""
        return 2.0 * steps if self.alpha is None else jnp.full_like(steps, self.alpha)


def counted_steps(batch: Piece) -> PerPiece:
    return jnp.sum(batch.counted, axis=-1, dtype=batch.v.dtype)


def spread_out(
    values: Float[Array, "batch time"], label_terms: PerPiece, steps: PerPiece
) -> Float[Array, "batch time"]:
    """Values per step that include what the labels of a piece add to its bound."""
    return values + (label_terms / jnp.maximum(steps, 1))[:, None]


class Summed(GradientEstimator):
    """Labels summed out. The first `labelled` pieces of a batch have labels, all others have none."""

    inner: GradientEstimator
    labelled: int = eqx.field(static=True)
    weights: Weights = eqx.field(static=True, default=Weights())

    def start(self, model, key):
        return self.inner.start(model.conditional, key)

    def pieces(self, model: LabelModel, baseline, statistics, batch, key, warmth, slips=0.0):
        count, labels = self.labelled, model.prior.scores.shape[0]
        log_q, log_p = batch_log_q(model, batch, changing=False)[:, 0], model.prior.log_prob()
        repeated = self._under_every_label(batch, labels)
        found = self.inner.pieces(model.conditional, baseline, statistics, repeated, key, warmth, slips)

        def known(x):
            return x[:count]

        def unknown(x):
            return x[count:].reshape(-1, labels, *x.shape[1:])  # [unlabelled, labels, ...]

        steps, given = counted_steps(batch), repeated.y[:count, 0]
        prior, recognised = jnp.sum(given * log_p[None], axis=-1), jnp.sum(given * log_q[:count], axis=-1)
        with_label = known(found.loss) - prior - self.weights.classification(steps[:count]) * recognised
        q, extra = jnp.exp(log_q[count:]), log_p[None] - log_q[count:]
        value = jnp.sum(jnp.where(batch.counted[count:, None], unknown(found.value), 0.0), axis=-1)
        without = jnp.sum(hold(q) * unknown(found.loss) - q * (hold(value) + extra), axis=-1)
        loss = jnp.concatenate([with_label, without]) + self.weights.penalty * steps * penalty(model.classifier)
        label_terms = jnp.concatenate([prior, jnp.sum(q * extra, axis=-1)])

        def expected(x):
            means = jnp.concatenate([known(x), jnp.sum(q[:, :, None] * unknown(x), axis=1)])
            return spread_out(means, label_terms, steps)

        return Pieces(loss, expected(found.value), expected(found.bound), found.statistics)

    def _under_every_label(self, batch: Piece, labels: int) -> Piece:
        """The labelled pieces, then each other piece once under every label."""
        size, count = batch.v.shape[0], self.labelled
        rows = jnp.concatenate([jnp.arange(count), jnp.repeat(jnp.arange(count, size), labels)])
        every = jnp.tile(jnp.eye(labels, dtype=batch.y.dtype), (size - count, 1))[:, None]
        repeated = jax.tree.map(lambda leaf: leaf[rows], batch)
        return repeated._replace(y=jnp.concatenate([batch.y[:count], every]))


class Sampled(GradientEstimator):
    """Labels drawn from q(y | v), one per piece or (`changing`) one per frame; known ones stay as they are.

    The signal of a drawn label is all it influences: the piece, or the frames from its own on. It is centred by a
    baseline network and a running mean of earlier batches, neither of which depends on the draw: unbiased.
    """

    inner: GradientEstimator
    changing: bool = eqx.field(static=True, default=False)
    weights: Weights = eqx.field(static=True, default=Weights())

    def start(self, model, key):
        for_inner, for_own = jax.random.split(key)
        baseline, statistics = self.inner.start(model.conditional, for_inner)
        own = new_baseline(model.network.heads[0].C.shape[0], 1, for_own)
        return (baseline, own), (statistics, no_statistics())

    def pieces(self, model: LabelModel, baseline, statistics, batch, key, warmth, slips=0.0):
        for_labels, for_paths = jax.random.split(key)
        log_q, log_p = batch_log_q(model, batch, self.changing), model.prior.log_prob()
        missing = jnp.isnan(batch.y[..., 0])  # [batch, when]
        drawn = jax.nn.one_hot(jax.random.categorical(for_labels, hold(log_q)), log_p.shape[0], dtype=log_q.dtype)
        y = jnp.where(missing[..., None], drawn, batch.y)
        labelled = batch._replace(y=y)
        found = self.inner.pieces(model.conditional, baseline[0], statistics[0], labelled, for_paths, warmth, slips)

        steps = counted_steps(batch)
        when = batch.counted if self.changing else jnp.ones_like(missing)
        prior = jnp.where(when, jnp.sum(y * log_p[None, None], axis=-1), 0.0)
        proposed = jnp.sum(y * log_q, axis=-1)
        share = self.weights.classification(steps) / (jnp.maximum(steps, 1) if self.changing else 1.0)
        classified = share[:, None] * jnp.where(when & ~missing, proposed, 0.0)

        predicted = baseline[1](batch.v)[0]
        raw = hold(found.value - predicted)
        label_terms = jnp.where(when & missing, hold(prior - proposed), 0.0)
        signal = self._credit(raw - statistics[1].mean[0], label_terms, batch.counted)
        scores = jnp.where(missing & (batch.valid if self.changing else when), hold(signal) * proposed, 0.0)
        fit = -0.5 * jnp.sum(jnp.where(batch.counted, jnp.square(hold(found.value) - predicted), 0.0), axis=-1)
        loss = found.loss - jnp.sum(prior + classified + scores, axis=-1) - fit
        loss = loss + self.weights.penalty * steps * penalty(model.classifier)

        running = updated(statistics[1], raw[None], batch.counted)
        told = jnp.sum(jnp.where(missing, label_terms, prior), axis=-1)
        value, bound = (spread_out(x, told, steps) for x in (found.value, found.bound))
        return Pieces(loss, value, bound, (found.statistics, running))

    def _credit(self, values, label_terms, counted: Bool[Array, "batch time"]) -> Float[Array, "batch when"]:
        """What each drawn label is credited with: `[batch, time]`, or `[batch, 1]` where one label holds throughout."""
        if self.changing:
            return jnp.where(counted, values, 0.0) + to_come(values, counted) + label_terms
        return jnp.sum(jnp.where(counted, values, 0.0), axis=-1, keepdims=True) + label_terms
