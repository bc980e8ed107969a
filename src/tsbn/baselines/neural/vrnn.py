"""A small conditional variational recurrent network (after Chung et al., 2015)."""

import dataclasses
from typing import NamedTuple, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.arguments import one_of, whole_number
from tsbn.baselines.neural.estimator import NeuralBaseline
from tsbn.baselines.neural.mixture import MixtureOutput, Outputs, averaged, new_mixture
from tsbn.baselines.neural.net import LEAD, Net, delayed, first_moments
from tsbn.estimators.training_data import TrainingData
from tsbn.inference.prediction import Prediction
from tsbn.model.observations import ObservationName, new_observation

WATCHED = 4
"""Paths whose bounds are averaged on held-out frames."""


class Normal(NamedTuple):
    """Independent normal variables by mean and log standard deviation."""

    mean: Float[Array, "*any latent"]
    log_std: Float[Array, "*any latent"]

    def at(self, noise: Float[Array, "*any latent"]) -> Float[Array, "*any latent"]:
        return self.mean + jnp.exp(self.log_std) * noise

    def divergence(self, prior: "Normal") -> Float[Array, "*any"]:
        """Kullback-Leibler divergence from the prior to this."""
        squares = jnp.exp(2 * (self.log_std - prior.log_std))
        off = jnp.square(self.mean - prior.mean) * jnp.exp(-2 * prior.log_std)
        return jnp.sum(0.5 * (squares + off - 1) + prior.log_std - self.log_std, axis=-1)


class Path(NamedTuple):
    """Along one drawn path: the outputs under q and under the prior, the divergence, and the state at the end."""

    outputs: Outputs
    ahead: Outputs
    divergence: Float[Array, " time"]
    state: Float[Array, " units"]


class Layers(eqx.Module):
    """One layer of tanh units between inputs and the parameters of a `Normal`."""

    inner: eqx.nn.Linear
    outer: eqx.nn.Linear

    def __call__(self, *inputs: Float[Array, " some"]) -> Normal:
        mean, log_std = jnp.split(self.outer(jnp.tanh(self.inner(jnp.concatenate(inputs)))), 2)
        return Normal(mean, 3 * jnp.tanh(log_std / 3))  # bounded, so that no ratio of variances overflows


def new_layers(inputs: int, units: int, latent: int, key: PRNGKeyArray) -> Layers:
    inner, outer = jax.random.split(key)
    return Layers(eqx.nn.Linear(inputs, units, key=inner), eqx.nn.Linear(units, 2 * latent, key=outer))


class VariationalNet(Net):
    """With the state r after frame t-1 and side information y, latent variables z and frame v follow

    p(z | r, y),   p(v | z, r, y, v_(t-1)),   q(z | v, r, y),   r' = GRU(r; v, z, y).
    """

    prior: Layers
    posterior: Layers
    mixing: eqx.nn.Linear
    output: MixtureOutput
    cell: eqx.nn.GRUCell
    latent: int = eqx.field(static=True)

    @property
    def lead(self):
        return LEAD

    def outlook(self, state, y, z, last) -> Outputs:
        """The mixture of the next frame."""
        return self.output(jnp.tanh(self.mixing(jnp.concatenate([state, y, z]))), last)

    def path(self, piece, key) -> Path:
        """Walk along the frames with z drawn from q; `ahead` is what was expected of each with z from the prior."""
        time = piece.v.shape[0]
        y = jnp.broadcast_to(piece.y, (time, piece.y.shape[1]))
        noise = jax.random.normal(key, (2, time, self.latent))

        def step(state, now):
            v, last, y_t, for_q, for_p = now
            prior, posterior = self.prior(state, y_t), self.posterior(state, y_t, v)
            z = posterior.at(for_q)
            outputs = self.outlook(state, y_t, z, last)
            ahead = self.outlook(state, y_t, prior.at(for_p), last)
            state = self.cell(jnp.concatenate([v, z, y_t]), state)
            return state, (outputs, ahead, posterior.divergence(prior))

        start = jnp.zeros(self.cell.hidden_size)
        state, found = jax.lax.scan(step, start, (piece.v, delayed(piece.v), y, *noise))
        return Path(*found, state)

    def loss(self, piece, key):
        """Minus the evidence lower bound of every frame."""
        path = self.path(piece, key)
        return path.divergence - jax.vmap(self.output.log_prob)(piece.v, path.outputs)

    def cost(self, piece, key):
        return jnp.mean(jax.vmap(lambda k: self.loss(piece, k))(jax.random.split(key, WATCHED)), axis=0)

    def predict(self, piece, key, samples):
        def one(k):
            return Prediction(*jax.vmap(self.output.moments)(self.path(piece, k).ahead))

        return averaged(jax.lax.map(one, jax.random.split(key, samples)))

    def recall(self, opening, key):
        if opening is None:
            return jnp.zeros(self.cell.hidden_size), jnp.zeros(self.output.visible)
        return self.path(opening, key).state, opening.v[-1]

    def draw(self, memory, y, key, choices):
        state, last = memory
        for_latent, for_frame = jax.random.split(key)
        z = self.prior(state, y).at(choices.temperature * jax.random.normal(for_latent, (self.latent,)))
        v = self.output.draw(self.outlook(state, y, z, last), for_frame, choices.observation != "sample")
        return (self.cell(jnp.concatenate([v, z, y]), state), v), v


@dataclasses.dataclass(eq=False, kw_only=True)
class VRNN(NeuralBaseline):
    """A recurrent network of `units` cells with `latent` normal variables at every step, trained on the evidence lower
    bound; a mixture of `components` observations says what comes next.

    The temperature of `Choices` multiplies the standard deviation of the latent variables.

    >>> import numpy as np
    >>> slow = [np.sin(np.arange(60) / 6 + start)[:, None] for start in range(3)]
    >>> fast = [np.sin(np.arange(60) / 2 + start)[:, None] for start in range(3)]
    >>> model = VRNN(units=8, latent=2, steps=50).fit(slow + fast, ["slow"] * 3 + ["fast"] * 3)
    >>> model.sample("fast", length=20).shape
    (20, 1)
    """

    units: int = 64
    latent: int = 16
    components: int = 1
    observation: ObservationName = "gaussian"

    def _demands(self) -> tuple[str, int]:
        return one_of("observation", self.observation, get_args(ObservationName)), 1

    def _net(self, data: TrainingData, key: PRNGKeyArray) -> VariationalNet:
        keys = jax.random.split(key, 5)
        units, latent, components = (
            whole_number(name, getattr(self, name)) for name in ("units", "latent", "components")
        )
        visible, side = data.arrays[0].shape[1], data.encoder.columns
        total, mean, variance = first_moments(data)
        observation = new_observation(self.observation, total)
        return VariationalNet(
            prior=new_layers(units + side, units, latent, keys[0]),
            posterior=new_layers(units + side + visible, units, latent, keys[1]),
            mixing=eqx.nn.Linear(units + side + latent, units, key=keys[2]),
            output=new_mixture(units, observation, components, mean, variance, keys[3]),
            cell=eqx.nn.GRUCell(visible + latent + side, units, key=keys[4]),
            latent=latent,
        )
