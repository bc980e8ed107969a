"""What every gradient estimator offers, and the parts they are put together from.

An estimator gives a surrogate: a number whose automatic derivative is the estimate of the gradient. The generative
model's part is always the derivative of log p along sampled paths. The recognition model's part has two sources: terms
of the bound that can be differentiated directly, and score terms `signal * grad log q` for the influence of a sampled
state on everything that depends on it. Estimators differ in what goes where, and in how the signal is centred.
"""

import abc
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from tsbn.inference.piece import Piece
from tsbn.inference.terms import PerStep, Terms
from tsbn.model import bernoulli

Scalar = Float[Array, ""]


class Pieces(NamedTuple):
    """What an estimator makes of each piece of a batch.

    - `loss [batch]`: a surrogate to differentiate, the sum over the piece's steps.
    - `value [batch, time]`: each step's contribution to what the surrogate stands for (minus the loss), with the
      present warmth; a bound that cannot be told apart by steps stands whole at the last one.
    - `bound [batch, time]`: the same with full warmth. Both are to be read at counted steps.
    """

    loss: Float[Array, " batch"]
    value: Float[Array, "batch time"]
    bound: Float[Array, "batch time"]
    statistics: Any


class Result(NamedTuple):
    """A surrogate loss to differentiate, the bound per counted step that it stands for, and the new statistics."""

    loss: Scalar
    bound: Scalar
    statistics: Any


class GradientEstimator(eqx.Module):
    """How the gradient of the bound is estimated."""

    @abc.abstractmethod
    def start(self, model: Any, key: PRNGKeyArray) -> tuple[Any, Any]:
        """A baseline that is trained along with the model, and running statistics (either may be None)."""

    @abc.abstractmethod
    def pieces(
        self,
        model: Any,
        baseline: Any,
        statistics: Any,
        batch: Piece,
        key: PRNGKeyArray,
        warmth: Scalar,
        slips: float = 0.0,
    ) -> Pieces:
        """The loss of each piece.

        `warmth` (up to 1) weighs log p(h) - log q(h), so that it can be warmed up; `slips` is the share of past hidden
        units that the generative model sees flipped (see `sampled_terms`).
        """

    def surrogate(
        self,
        model: Any,
        baseline: Any,
        statistics: Any,
        batch: Piece,
        key: PRNGKeyArray,
        warmth: Scalar,
        slips: float = 0.0,
    ) -> Result:
        """The loss of a batch, per counted step."""
        found = self.pieces(model, baseline, statistics, batch, key, warmth, slips)
        steps = jnp.maximum(jnp.sum(batch.counted, dtype=found.loss.dtype), 1)
        bound = jnp.sum(jnp.where(batch.counted, found.bound, 0.0))
        return Result(jnp.sum(found.loss) / steps, bound / steps, found.statistics)


def several(name: str, count: int) -> None:
    """Estimators that compare samples with each other need more than one."""
    if count < 2:
        raise ValueError(f"{name} is {count}, expected at least 2 for this gradient")


class Parts(NamedTuple):
    """The bound cut up for the score-function estimators, each `[..., time]`.

    - `direct`: what is differentiated as it stands.
    - `total`: the step's whole contribution to the bound.
    - `present`: per stochastic layer, what its sample at this step influences within the step.
    """

    direct: PerStep
    total: PerStep
    present: tuple[PerStep, ...]


def sampled_parts(terms: Terms, warmth: Scalar) -> Parts:
    """All terms as sampled.

    A sample of layer l influences, within its step, the layer below it (the data, for the first layer), its own terms
    and those of the layers above. What the layers further down add to l_t does not depend on it: as part of its signal
    that would be noise.
    """
    total = terms.likelihood + warmth * (sum(terms.prior) - sum(terms.posterior))
    direct = terms.likelihood + warmth * sum(terms.prior)
    present, above = [], jnp.zeros_like(total)
    for layer in reversed(range(1, len(terms.prior))):
        above = above + warmth * (terms.prior[layer] - terms.posterior[layer])
        present.append(warmth * terms.prior[layer - 1] + above)
    return Parts(direct, total, (total, *reversed(present)))


def closed_form_parts(terms: Terms, warmth: Scalar) -> Parts:
    """The top layer's divergence and the lower layers' entropies in closed form instead of sampled.

    A sample of layer l then influences, within its step, only the layer below it (the data, for the first layer), the
    log-probability of its own value given the layer above, and the layers above.
    """
    top = len(terms.prior) - 1
    divergence = bernoulli.divergence(terms.posterior_logits[top], terms.prior_logits[top])
    lower = [
        warmth * (prior + bernoulli.entropy(logits))
        for prior, logits in zip(terms.prior[:top], terms.posterior_logits[:top], strict=True)
    ]
    contributions = [terms.likelihood, *lower, -warmth * divergence]
    total = sum(contributions[1:], contributions[0])
    present, above = [], jnp.zeros_like(total)
    for layer in range(top + 1, 0, -1):
        own = contributions[layer] if layer <= top else jnp.zeros_like(total)
        present.append(contributions[layer - 1] + own + above)
        above = above + contributions[layer]
    return Parts(total, total, tuple(reversed(present)))


def to_come(values: PerStep, counted: Bool[Array, "*#batch time"], horizon: int | None = None) -> PerStep:
    """Sum of the counted values at later steps: all of them, or the next `horizon`."""
    values = jnp.where(counted, values, 0.0)
    later = jnp.cumsum(values[..., ::-1], axis=-1)[..., ::-1] - values
    if horizon is None:
        return later
    beyond = jnp.pad(later, [(0, 0)] * (later.ndim - 1) + [(0, horizon)])[..., horizon:]
    return later - beyond


def score(terms: Terms, signals: tuple[PerStep, ...], later: PerStep, batch: Piece) -> PerStep:
    """The score terms: `signal * log q` per layer; drawn missing entries have only later steps as their signal."""
    hold = jax.lax.stop_gradient
    total = sum(hold(signal) * log_q for signal, log_q in zip(signals, terms.posterior, strict=True))
    if terms.filled is not None:
        total = total + hold(later) * terms.filled
    return jnp.where(batch.valid[None], total, 0.0)


def per_piece(direct: PerStep, scores: PerStep, counted: Bool[Array, "*#batch time"]) -> Float[Array, " batch"]:
    """The surrogate objective of each piece, a mean over chains; score terms also act at steps that give context."""
    return jnp.mean(jnp.sum(jnp.where(counted, direct, 0.0) + scores, axis=-1), axis=0)


def whole_at_the_end(bound: Float[Array, " batch"], counted: Bool[Array, "batch time"]) -> Float[Array, "batch time"]:
    """A piece's bound as that of its last counted step, where it does not fall into steps."""
    time = counted.shape[1]
    last = time - 1 - jnp.argmax(counted[:, ::-1], axis=1)
    return jnp.where(jnp.arange(time)[None] == last[:, None], bound[:, None], 0.0)
