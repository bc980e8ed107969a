"""FCRBM: the factored conditional restricted Boltzmann machine (Taylor and Hinton, 2009)."""

import dataclasses
from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.arguments import one_of, whole_number
from tsbn.baselines.neural.boltzmann import Boltzmann, Rounds
from tsbn.baselines.neural.estimator import NeuralBaseline
from tsbn.baselines.neural.machine import Machine
from tsbn.baselines.neural.net import delayed
from tsbn.estimators.training_data import TrainingData


class Threeway(eqx.Module):
    """A map whose weights the style features choose: `left diag(gates z) right^T`."""

    left: Float[Array, "inputs factors"]
    gates: Float[Array, "factors features"]
    right: Float[Array, "outputs factors"]

    def gain(self, z: Float[Array, "when features"]) -> Float[Array, "when factors"]:
        return z @ self.gates.T

    def __call__(self, inputs: Float[Array, "time inputs"], z) -> Float[Array, "time outputs"]:
        return ((inputs @ self.left) * self.gain(z)) @ self.right.T


def new_threeway(inputs: int, outputs: int, factors: int, features: int, scale: float, key: PRNGKeyArray) -> Threeway:
    """Small random weights, and gates scattered around one: styles begin alike, but not so alike that it would last."""
    left, gates, right = jax.random.split(key, 3)
    return Threeway(
        scale * jax.random.normal(left, (inputs, factors)),
        (1 + jax.random.normal(gates, (factors, features))) / features,
        scale * jax.random.normal(right, (outputs, factors)),
    )


class FactoredConditionalRBM(Boltzmann):
    """With features `z = y features` of the style and the last n frames p, the machine of a frame has

    a = visible_bias + past_to_visible(p, z),   b = hidden_bias + past_to_hidden(p, z),   W = between(., z).
    """

    features: Float[Array, "side features"]
    between: Threeway
    past_to_visible: Threeway
    past_to_hidden: Threeway
    visible_bias: Float[Array, " visible"]
    hidden_bias: Float[Array, " hidden"]
    log_std: Float[Array, " visible"]
    order: int = eqx.field(static=True)
    learned_std: bool = eqx.field(static=True)
    rounds: Rounds = eqx.field(default=Rounds())

    @property
    def lead(self):
        return self.order

    def given(self, past: Float[Array, "time past"], y: Float[Array, "when side"]) -> Machine:
        """The machines of frames with this past, newest frame first."""
        z = y @ self.features
        return Machine(
            visible_bias=self.visible_bias[None] + self.past_to_visible(past, z),
            hidden_bias=self.hidden_bias[None] + self.past_to_hidden(past, z),
            left=self.between.left,
            gain=self.between.gain(z),
            right=self.between.right,
            log_std=self.log_std if self.learned_std else jax.lax.stop_gradient(self.log_std),
        )

    def machines(self, piece):
        past = [delayed(piece.v, lag) for lag in range(1, self.order + 1)]
        return self.given(jnp.concatenate(past, axis=-1), piece.y)

    def penalty(self):
        return jnp.zeros(())

    def machine(self, memory, y):
        return self.given(memory.reshape(1, -1), y[None])

    def latest(self, memory):
        return memory[0]

    def remember(self, memory, machine, v):
        return jnp.concatenate([v, memory[:-1]])

    def recall(self, opening, key):
        blank = jnp.zeros((self.order, self.visible_bias.shape[0]))
        return blank if opening is None else jnp.concatenate([opening.v[::-1], blank])[: self.order]


@dataclasses.dataclass(eq=False, kw_only=True)
class FCRBM(NeuralBaseline):
    """Hidden units, past and style meet in three-way factors; learnt by contrastive divergence.

    Three maps are factored, each with `factors` of its own and gated by `features` real-valued features of the style:
    between visible and hidden units (undirected), and from the last `order` frames to each of them. Visible units are
    Gaussian with `std` "unit" as in the paper, or "learned", one per channel. Predictions are `predicting` rounds of
    mean field from the frame before; a drawn frame takes `drawing` rounds of Gibbs sampling from there.

    >>> slow = [np.sin(np.arange(60) / 6 + start)[:, None] for start in range(3)]
    >>> fast = [np.sin(np.arange(60) / 2 + start)[:, None] for start in range(3)]
    >>> model = FCRBM(hidden=8, factors=8, features=2, steps=50).fit(slow + fast, ["slow"] * 3 + ["fast"] * 3)
    >>> model.sample("fast", length=20).shape
    (20, 1)
    """

    hidden: int = 100
    factors: int = 100
    features: int = 10
    order: int = 1
    std: Literal["unit", "learned"] = "unit"
    learning: int = 1
    predicting: int = 10
    drawing: int = 30

    def _demands(self) -> tuple[str, int]:
        return "gaussian", whole_number("order", self.order)

    def _net(self, data: TrainingData, key: PRNGKeyArray) -> FactoredConditionalRBM:
        visible, side = data.arrays[0].shape[1], data.encoder.columns
        hidden, factors, features, order = (
            whole_number(name, getattr(self, name)) for name in ("hidden", "factors", "features", "order")
        )
        keys = jax.random.split(key, 4)
        # A constant column, where there is one, carries what all frames share.
        shared = np.ones(side) if data.encoder.kind != "real" else np.eye(side)[-1]
        start = jnp.asarray(shared[:, None], jnp.float32)
        return FactoredConditionalRBM(
            features=start + 0.5 * jax.random.normal(keys[0], (side, features)),
            between=new_threeway(visible, hidden, factors, features, 0.1, keys[1]),
            past_to_visible=new_threeway(order * visible, visible, factors, features, 0.1, keys[2]),
            past_to_hidden=new_threeway(order * visible, hidden, factors, features, 0.1, keys[3]),
            visible_bias=jnp.asarray(data.learnt_from()[0].mean(axis=0), jnp.float32),
            hidden_bias=jnp.zeros(hidden),
            log_std=jnp.zeros(visible),
            order=order,
            learned_std=one_of("std", self.std, ("unit", "learned")) == "learned",
            rounds=Rounds(self.learning, self.predicting, self.drawing),
        )
