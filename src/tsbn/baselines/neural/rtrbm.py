"""Recurrent temporal Boltzmann machines with Gaussian visible units, plain and with spikes, slabs and structure."""

import dataclasses
from collections.abc import Hashable, Sequence
from typing import ClassVar, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.arguments import one_of, whole_number
from tsbn.baselines.neural.boltzmann import Boltzmann, Rounds
from tsbn.baselines.neural.estimator import NeuralBaseline
from tsbn.baselines.neural.machine import Machine, Slab
from tsbn.baselines.neural.net import LEAD
from tsbn.estimators.training_data import TrainingData


class Structure(eqx.Module):
    """A graph of which every node has some channels and some hidden units; weights between nodes have a learnt gate.

    `edges [nodes, nodes]` are the logits of the gates; within a node the gate is open.
    """

    edges: Float[Array, "nodes nodes"]
    channels: tuple[int, ...] = eqx.field(static=True)
    units: tuple[int, ...] = eqx.field(static=True)
    sparsity: float = eqx.field(static=True)

    @property
    def gates(self) -> Float[Array, "nodes nodes"]:
        own = jnp.eye(self.edges.shape[0])
        return own + (1 - own) * jax.nn.sigmoid(self.edges)

    def between(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> Float[Array, "rows columns"]:
        return self.gates[np.array(rows)[:, None], np.array(columns)[None]]

    @property
    def price(self) -> Float[Array, ""]:
        """What open gates between nodes add to the loss of a frame."""
        return self.sparsity * (jnp.sum(self.gates) - self.edges.shape[0])


class Spikes(eqx.Module):
    """Slab means, and how much (in logarithms) their precisions exceed the least that keeps p(v) a distribution."""

    mean: Float[Array, " hidden"]
    excess: Float[Array, " hidden"]

    def slab(self, weights: Float[Array, "visible hidden"], log_std: Float[Array, " visible"]) -> Slab:
        """Given h, the precision of v is P - P W diag(h / alpha) W^T P with P = diag(1 / sigma^2). It is positive for
        every h if alpha_j exceeds the sum over k of |W_j^T P W_k|: a matrix with a dominant diagonal is positive."""
        scaled = weights * jnp.exp(-log_std)[:, None]
        return Slab(self.mean, jnp.exp(self.excess) + jnp.sum(jnp.abs(scaled.T @ scaled), axis=1))


class RecurrentTemporalRBM(Boltzmann):
    """The mean hidden state r of each frame drives the hidden units of the next: b_t = hidden_bias + U r_(t-1)."""

    weights: Float[Array, "visible hidden"]
    recurrent: Float[Array, "hidden hidden"]
    visible_bias: Float[Array, " visible"]
    hidden_bias: Float[Array, " hidden"]
    first: Float[Array, " hidden"]
    """What takes the place of U r at the start."""
    log_std: Float[Array, " visible"]
    spikes: Spikes | None
    structure: Structure | None
    learned_std: bool = eqx.field(static=True)
    rounds: Rounds = eqx.field(default=Rounds())

    @property
    def lead(self):
        return LEAD

    def maps(self) -> tuple[Float[Array, "visible hidden"], Float[Array, "hidden hidden"]]:
        """W and U, gated by the structure."""
        if (graph := self.structure) is None:
            return self.weights, self.recurrent
        return (
            self.weights * graph.between(graph.channels, graph.units),
            self.recurrent * graph.between(graph.units, graph.units),
        )

    def given(self, drive: Float[Array, "time hidden"]) -> Machine:
        """The machines of frames whose hidden units the past drives like this."""
        weights, _ = self.maps()
        log_std = self.log_std if self.learned_std else jax.lax.stop_gradient(self.log_std)
        return Machine(
            visible_bias=jnp.broadcast_to(self.visible_bias, (drive.shape[0], self.visible_bias.shape[0])),
            hidden_bias=self.hidden_bias[None] + drive,
            left=weights,
            gain=jnp.ones((1, weights.shape[1])),
            right=None,
            log_std=log_std,
            slab=None if self.spikes is None else self.spikes.slab(weights, log_std),
        )

    def drives(self, v: Float[Array, "time visible"]) -> Float[Array, "more hidden"]:
        """U r_(t-1) of every frame, and of the one after the last."""
        _, recurrent = self.maps()
        still = self.given(jnp.zeros((v.shape[0], self.first.shape[0]))).logits(v)

        def step(drive, logits):
            following = recurrent @ jax.nn.sigmoid(logits + drive)
            return following, following

        return jnp.concatenate([self.first[None], jax.lax.scan(step, self.first, still)[1]])

    def machines(self, piece):
        return self.given(self.drives(piece.v)[:-1])

    def penalty(self):
        return jnp.zeros(()) if self.structure is None else self.structure.price

    def machine(self, memory, y):
        return self.given(memory[0][None])

    def latest(self, memory):
        return memory[1]

    def remember(self, memory, machine, v):
        return self.maps()[1] @ jax.nn.sigmoid(machine.logits(v))[0], v[0]

    def recall(self, opening, key):
        if opening is None:
            return self.first, self.visible_bias
        return self.drives(opening.v)[-1], opening.v[-1]


@dataclasses.dataclass(eq=False, kw_only=True)
class RTRBM(NeuralBaseline):
    """Recurrent temporal RBM with Gaussian visible units, "g-RTRBM" (Sutskever, Hinton and Taylor, 2008).

    The present sees the past through the mean hidden state of the frame before, and in no other way. It is learnt by
    contrastive divergence of each frame given its past, differentiated through time. There is no side information.
    `std` of the visible units is "unit", or "learned", one per channel.

    >>> waves = [np.sin(np.arange(60) / 4 + start)[:, None] for start in range(5)]
    >>> RTRBM(hidden=8, steps=50).fit(waves).predict(waves).mean[0].shape
    (60, 1)
    """

    takes_side: ClassVar[bool] = False

    hidden: int = 100
    std: Literal["unit", "learned"] = "unit"
    learning: int = 1
    predicting: int = 10
    drawing: int = 30

    def _demands(self) -> tuple[str, int]:
        return "gaussian", 1

    def _net(self, data: TrainingData, key: PRNGKeyArray) -> RecurrentTemporalRBM:
        return _new_net(self, data, key)


@dataclasses.dataclass(eq=False, kw_only=True)
class SpikeSlabRTRBM(NeuralBaseline):
    """Spike-and-slab structured RTRBM, "ss-SRTRBM" (Mittelman, Kuipers, Savarese and Lee, 2014).

    The RTRBM with a slab for every hidden unit: a normal variable that the unit, when on, multiplies its weights with,
    so that hidden units also shape the covariance of a frame. The form here: scalar slabs with means and precisions
    that are learnt, precisions large enough by construction that every frame has a proper distribution (see `Spikes`),
    diagonal noise of the visible units, and recurrence through the mean spikes.

    `nodes` names the node of a graph that each channel belongs to; hidden units are dealt out evenly to the nodes. The
    weights between nodes, and from the past of one to another, are multiplied by learnt gates from 0 to 1, each of
    which costs `sparsity`. Without `nodes` everything is connected.

    >>> waves = [np.sin(np.arange(60) / 4 + start)[:, None] * [1.0, 2.0] for start in range(5)]
    >>> model = SpikeSlabRTRBM(hidden=8, nodes=["left", "right"], steps=50).fit(waves)
    >>> model.sample(length=9).shape
    (9, 2)
    """

    takes_side: ClassVar[bool] = False

    hidden: int = 100
    std: Literal["unit", "learned"] = "learned"
    nodes: Sequence[Hashable] | None = None
    sparsity: float = 0.01
    learning: int = 1
    predicting: int = 10
    drawing: int = 30

    def _demands(self) -> tuple[str, int]:
        return "gaussian", 1

    def _net(self, data: TrainingData, key: PRNGKeyArray) -> RecurrentTemporalRBM:
        hidden = whole_number("hidden", self.hidden)
        spikes = Spikes(mean=jnp.ones(hidden), excess=jnp.zeros(hidden))
        return _new_net(self, data, key, spikes, self._structure(data.arrays[0].shape[1]))

    def _structure(self, channels: int) -> Structure | None:
        if self.nodes is None:
            return None
        if len(self.nodes) != channels:
            raise ValueError(f"nodes has {len(self.nodes)} entries, expected one for each of {channels} channels")
        names = list(dict.fromkeys(self.nodes))
        return Structure(
            edges=jnp.zeros((len(names), len(names))),
            channels=tuple(names.index(node) for node in self.nodes),
            units=tuple(sorted(unit % len(names) for unit in range(self.hidden))),
            sparsity=float(self.sparsity),
        )


def _new_net(
    settings: RTRBM | SpikeSlabRTRBM,
    data: TrainingData,
    key: PRNGKeyArray,
    spikes: Spikes | None = None,
    structure: Structure | None = None,
) -> RecurrentTemporalRBM:
    visible, hidden = data.arrays[0].shape[1], whole_number("hidden", settings.hidden)
    for_weights, for_recurrent = jax.random.split(key)
    return RecurrentTemporalRBM(
        weights=0.05 * jax.random.normal(for_weights, (visible, hidden)),
        recurrent=0.05 * jax.random.normal(for_recurrent, (hidden, hidden)),
        visible_bias=jnp.asarray(data.learnt_from()[0].mean(axis=0), jnp.float32),
        hidden_bias=jnp.zeros(hidden),
        first=jnp.zeros(hidden),
        log_std=jnp.zeros(visible),
        spikes=spikes,
        structure=structure,
        learned_std=one_of("std", settings.std, ("unit", "learned")) == "learned",
        rounds=Rounds(settings.learning, settings.predicting, settings.drawing),
    )
