"""Mixtures of observations: what the outputs of a recurrent network say of the next frame."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.inference.prediction import Prediction
from tsbn.model.observations import Gaussian, Heads, Observation


class Outputs(NamedTuple):
    """Logits of the components, `[..., components]`, and the heads of each, `[..., components, visible]`."""

    logits: Float[Array, "... components"]
    heads: Heads


class MixtureOutput(eqx.Module):
    """From a state (and the frame before) to a mixture of `components` observations of one kind.

    The means of Gaussian components also have a linear function of the frame before, which begins as that frame itself:
    what a network has to find out is the change.
    """

    linear: eqx.nn.Linear
    skip: Float[Array, "visible visible"] | None
    observation: Observation
    components: int = eqx.field(static=True)
    visible: int = eqx.field(static=True)

    def __call__(self, state: Float[Array, " state"], before: Float[Array, " visible"]) -> Outputs:
        found = self.linear(state)
        logits, rest = found[: self.components], found[self.components :]
        heads = tuple(rest.reshape(self.observation.heads, self.components, self.visible))
        if self.skip is not None:
            heads = (heads[0] + (self.skip @ before)[None], *heads[1:])
        return Outputs(logits, heads)

    def log_prob(self, v: Float[Array, " visible"], outputs: Outputs) -> Float[Array, ""]:
        each = jax.vmap(lambda heads: self.observation.log_prob(v, heads))(outputs.heads)
        return jax.nn.logsumexp(jax.nn.log_softmax(outputs.logits) + each) + self.observation.log_base(v)

    def moments(self, outputs: Outputs) -> Prediction:
        """Mean and standard deviation of the mixture."""
        share = jax.nn.softmax(outputs.logits)[:, None]
        means, variances = self.observation.mean(outputs.heads), self.observation.variance(outputs.heads)
        mean = jnp.sum(share * means, axis=0)
        return Prediction(mean, jnp.sqrt(jnp.sum(share * (variances + jnp.square(means - mean[None])), axis=0)))

    def draw(self, outputs: Outputs, key: PRNGKeyArray, mean: bool) -> Float[Array, " visible"]:
        """A frame of one component drawn by its share, or that component's mean."""
        which, where = jax.random.split(key)
        component = jax.random.categorical(which, outputs.logits)
        heads = tuple(head[component] for head in outputs.heads)
        return self.observation.mean(heads) if mean else self.observation.sample(heads, where)


def new_mixture(
    state: int,
    observation: Observation,
    components: int,
    mean: Float[Array, " visible"],
    variance: Float[Array, " visible"],
    key: PRNGKeyArray,
) -> MixtureOutput:
    """Small weights, and biases that give every component about this mean and variance."""
    visible = mean.shape[0]
    linear = eqx.nn.Linear(state, components * (1 + observation.heads * visible), key=key)
    follows = isinstance(observation, Gaussian)
    biases = observation.first_biases(jnp.zeros_like(mean) if follows else mean, variance)
    bias = jnp.concatenate([jnp.zeros(components), *(jnp.tile(one, components) for one in biases)])
    linear = eqx.tree_at(lambda one: (one.weight, one.bias), linear, (0.1 * linear.weight, bias))
    return MixtureOutput(linear, jnp.eye(visible) if follows else None, observation, components, visible)


def averaged(samples: Prediction) -> Prediction:
    """One prediction from several, `[samples, ...]`, all equally likely."""
    mean = jnp.mean(samples.mean, axis=0)
    spread = jnp.square(samples.std) + jnp.square(samples.mean - mean[None])
    return Prediction(mean, jnp.sqrt(jnp.mean(spread, axis=0)))
