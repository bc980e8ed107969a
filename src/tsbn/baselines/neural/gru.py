"""A conditional GRU with a mixture for its output: what many would take first today."""

import dataclasses
from typing import get_args

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.arguments import one_of, whole_number
from tsbn.baselines.neural.estimator import NeuralBaseline
from tsbn.baselines.neural.mixture import MixtureOutput, Outputs, new_mixture
from tsbn.baselines.neural.net import LEAD, Net, delayed, first_moments
from tsbn.estimators.training_data import TrainingData
from tsbn.inference.prediction import Prediction
from tsbn.model.observations import ObservationName, new_observation


class RecurrentNet(Net):
    """The state after the frame before, and the side information, say what comes next."""

    cell: eqx.nn.GRUCell
    output: MixtureOutput

    @property
    def lead(self):
        return LEAD

    def advance(self, state, before, y) -> Float[Array, " units"]:
        """The state that knows the frame before and the present side information."""
        return self.cell(jnp.concatenate([before, y]), state)

    def outlook(self, piece) -> Outputs:
        """The mixtures of all frames, each from the frames before it."""
        before = delayed(piece.v)
        y = jnp.broadcast_to(piece.y, (piece.v.shape[0], piece.y.shape[1]))

        def step(state, now):
            state = self.advance(state, *now)
            return state, state

        states = jax.lax.scan(step, jnp.zeros(self.cell.hidden_size), (before, y))[1]
        return jax.vmap(self.output)(states, before)

    def loss(self, piece, key):
        return -jax.vmap(self.output.log_prob)(piece.v, self.outlook(piece))

    def cost(self, piece, key):
        return self.loss(piece, key)

    def predict(self, piece, key, samples):
        return Prediction(*jax.vmap(self.output.moments)(self.outlook(piece)))

    def recall(self, opening, key):
        visible = self.output.visible
        blank = (jnp.zeros(self.cell.hidden_size), jnp.zeros(visible))
        if opening is None:
            return blank
        y = jnp.broadcast_to(opening.y, (opening.v.shape[0], opening.y.shape[1]))

        def step(memory, now):
            v, y_t = now
            state, before = memory
            return (self.advance(state, before, y_t), v), None

        return jax.lax.scan(step, blank, (opening.v, y))[0]

    def draw(self, memory, y, key, choices):
        state, before = memory
        state = self.advance(state, before, y)
        v = self.output.draw(self.output(state, before), key, choices.observation != "sample")
        return (state, v), v


@dataclasses.dataclass(eq=False, kw_only=True)
class GRU(NeuralBaseline):
    """A gated recurrent unit of `units` cells sees the frame before and the present side information; a mixture of
    `components` observations (Gaussian with a variance per channel, Bernoulli or counts) says what comes next.

    It is trained by maximum likelihood. Frames that are drawn with `Choices("mean")` are the mean of a drawn component.

    >>> import numpy as np
    >>> slow = [np.sin(np.arange(60) / 6 + start)[:, None] for start in range(3)]
    >>> fast = [np.sin(np.arange(60) / 2 + start)[:, None] for start in range(3)]
    >>> model = GRU(units=8, components=2, steps=50).fit(slow + fast, ["slow"] * 3 + ["fast"] * 3)
    >>> model.sample("fast", length=20).shape
    (20, 1)
    """

    units: int = 100
    components: int = 1
    observation: ObservationName = "gaussian"

    def _demands(self) -> tuple[str, int]:
        return one_of("observation", self.observation, get_args(ObservationName)), 1

    def _net(self, data: TrainingData, key: PRNGKeyArray) -> RecurrentNet:
        for_cell, for_output = jax.random.split(key)
        units, components = whole_number("units", self.units), whole_number("components", self.components)
        total, mean, variance = first_moments(data)
        observation = new_observation(self.observation, total)
        inputs = data.arrays[0].shape[1] + data.encoder.columns
        return RecurrentNet(
            eqx.nn.GRUCell(inputs, units, key=for_cell),
            new_mixture(units, observation, components, mean, variance, for_output),
        )
