"""What temporal Boltzmann machines share: given the past, each frame has a machine of its own."""

import abc
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from tsbn.baselines.neural.machine import Frames, Machine
from tsbn.baselines.neural.net import Net, delayed
from tsbn.inference.piece import Piece
from tsbn.inference.prediction import Prediction


class Rounds(eqx.Module):
    """How often units are visited: in contrastive divergence, in prediction by mean field, and for a drawn frame."""

    learning: int = eqx.field(static=True, default=1)
    predicting: int = eqx.field(static=True, default=10)
    drawing: int = eqx.field(static=True, default=30)


class Boltzmann(Net):
    """Learns by contrastive divergence, predicts by mean field from the frame before, draws by Gibbs sampling."""

    rounds: eqx.AbstractVar[Rounds]

    @abc.abstractmethod
    def machines(self, piece: Piece) -> Machine:
        """The machine of every frame, given the frames before it."""

    @abc.abstractmethod
    def penalty(self) -> Float[Array, ""]:
        """What the parameters themselves add to the loss of a frame."""

    @abc.abstractmethod
    def machine(self, memory: Any, y: Float[Array, " side"]) -> Machine:
        """The machine of the next frame, and it alone."""

    @abc.abstractmethod
    def latest(self, memory: Any) -> Float[Array, " visible"]:
        """The frame before the next."""

    @abc.abstractmethod
    def remember(self, memory: Any, machine: Machine, v: Float[Array, "1 visible"]) -> Any:
        """The memory after one more frame, of which this was the machine."""

    def loss(self, piece, key):
        """F(data) - F(what Gibbs sampling makes of them): its derivative is that of contrastive divergence.

        What is sampled is a constant; the past of a frame is not: recurrent machines are differentiated through time.
        """
        machine = self.machines(piece)
        made = jax.lax.stop_gradient(machine.chain(piece.v, key, self.rounds.learning)[1])
        return machine.free_energy(piece.v) - machine.free_energy(made) + self.penalty()

    def cost(self, piece, key):
        return jnp.sum(jnp.square(piece.v - self.predict(piece, key, 1).mean), axis=-1)

    def predict(self, piece, key, samples):
        machine = self.machines(piece)
        mean = machine.mean_field(delayed(piece.v), self.rounds.predicting)
        return Prediction(mean, jnp.broadcast_to(jnp.exp(machine.log_std), mean.shape))

    def draw(self, memory, y, key, choices):
        machine = self.machine(memory, y)
        start: Frames = self.latest(memory)[None]
        mean, v = machine.chain(start, key, self.rounds.drawing, choices.temperature)
        v = v if choices.observation == "sample" else mean
        return self.remember(memory, machine, v), v[0]
