"""Classifiers q(y | v): scores of every label at every frame, from the frames up to it.

    q(y_t = s | v) = softmax(scores_t)_s

`softmax` is the paper's: one layer over the frame and the `order` frames before it. `mlp` has a layer of tanh units in
between, `recurrent` a gated recurrent pass over the sequence. Where a whole sequence has one label, its scores are the
mean of its frames' scores; frames whose window reaches back before the beginning take part only if all do.
"""

import abc
from typing import Literal, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.inference.piece import Piece

ClassifierName = Literal["softmax", "mlp", "recurrent"]
Scores = Float[Array, "time labels"]


class Classifier(eqx.Module):
    """Scores labels; `reach` is how many frames before the present one it needs for a full view."""

    reach: eqx.AbstractVar[int]

    @abc.abstractmethod
    def scores(self, v: Float[Array, "time visible"]) -> Scores:
        """Scores of one sequence, frame by frame."""

    @abc.abstractmethod
    def weights(self) -> list[Array]:
        """What a penalty on large weights applies to."""


class Linear(eqx.Module):
    """`W x + b` along the last axis."""

    W: Float[Array, "outputs inputs"]
    b: Float[Array, " outputs"]

    def __call__(self, x: Float[Array, "time inputs"]) -> Float[Array, "time outputs"]:
        return x @ self.W.T + self.b[None, :]


class Softmax(Classifier):
    """One layer over a window."""

    out: Linear
    reach: int = eqx.field(static=True)

    def scores(self, v):
        return self.out(windows(v, self.reach))

    def weights(self):
        return [self.out.W]


class Mlp(Classifier):
    """A layer of tanh units over a window, and one on top of it."""

    hidden: Linear
    out: Linear
    reach: int = eqx.field(static=True)

    def scores(self, v):
        return self.out(jnp.tanh(self.hidden(windows(v, self.reach))))

    def weights(self):
        return [self.hidden.W, self.out.W]


class Recurrent(Classifier):
    """A gated recurrent pass through all frames so far."""

    cell: eqx.nn.GRUCell
    out: Linear
    reach: int = eqx.field(static=True)

    def scores(self, v):
        def step(state, frame):
            state = self.cell(frame, state)
            return state, state

        return self.out(jax.lax.scan(step, jnp.zeros(self.cell.hidden_size, v.dtype), v)[1])

    def weights(self):
        return [self.cell.weight_ih, self.cell.weight_hh, self.out.W]


def windows(v: Float[Array, "time visible"], reach: int) -> Float[Array, "time window"]:
    """Every frame with the `reach` frames before it, newest first; zeros before the beginning.

    >>> windows(jnp.array([[1.0], [2.0], [3.0]]), 1).tolist()
    [[1.0, 0.0], [2.0, 1.0], [3.0, 2.0]]
    """
    padded = jnp.pad(v, ((reach, 0), (0, 0)))
    return jnp.concatenate([padded[reach - lag : reach - lag + v.shape[0]] for lag in range(reach + 1)], axis=1)


def pooled(classifier: Classifier, piece: Piece) -> Float[Array, " labels"]:
    """Scores of one piece as a whole: the mean over its counted frames."""
    full = piece.counted & (jnp.arange(piece.v.shape[0]) >= classifier.reach)
    chosen = jnp.where(jnp.any(full), full, piece.counted)
    scores = jnp.where(chosen[:, None], classifier.scores(piece.v), 0.0)
    return jnp.sum(scores, axis=0) / jnp.maximum(jnp.sum(chosen, dtype=scores.dtype), 1)


def new_classifier(
    name: ClassifierName, visible: int, labels: int, reach: int, *, units: int = 100, key: PRNGKeyArray
) -> Classifier:
    """A classifier that begins undecided.

    >>> new_classifier("softmax", 3, 2, reach=6, key=jax.random.key(0)).scores(jnp.ones((9, 3))).shape
    (9, 2)
    """
    inputs = visible * (reach + 1)
    for_hidden, for_cell = jax.random.split(key)
    match name:
        case "softmax":
            return Softmax(out=_undecided(labels, inputs), reach=reach)
        case "mlp":
            W = jax.random.normal(for_hidden, (units, inputs)) / jnp.sqrt(inputs)
            return Mlp(hidden=Linear(W, jnp.zeros(units)), out=_undecided(labels, units), reach=reach)
        case "recurrent":
            cell = eqx.nn.GRUCell(visible, units, key=for_cell)
            return Recurrent(cell=cell, out=_undecided(labels, units), reach=reach)
    raise ValueError(f"classifier is {name!r}, expected one of {', '.join(map(repr, get_args(ClassifierName)))}")


def _undecided(labels: int, inputs: int) -> Linear:
    return Linear(jnp.zeros((labels, inputs)), jnp.zeros(labels))
