"""What the training loop and the estimator ask of a model of sequences."""

import abc
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.choices import Choices
from tsbn.estimators.training_data import TrainingData
from tsbn.inference.piece import Piece
from tsbn.inference.prediction import Prediction

LEAD = 20
"""Frames that lead into a window of a recurrent model: after these its state has forgotten that it began with none."""


class Net(eqx.Module):
    """Parameters (all leaves are float arrays) and the equations that use them."""

    @property
    @abc.abstractmethod
    def lead(self) -> int:
        """How many frames before a window its first frame should feel."""

    @abc.abstractmethod
    def loss(self, piece: Piece, key: PRNGKeyArray) -> Float[Array, " time"]:
        """What each frame adds to the loss; its derivative is (an estimate of) the gradient."""

    @abc.abstractmethod
    def cost(self, piece: Piece, key: PRNGKeyArray) -> Float[Array, " time"]:
        """What is watched on held-out frames: the best parameters have the lowest."""

    @abc.abstractmethod
    def predict(self, piece: Piece, key: PRNGKeyArray, samples: int) -> Prediction:
        """Every frame from the ones before it."""

    @abc.abstractmethod
    def recall(self, opening: Piece | None, key: PRNGKeyArray) -> Any:
        """What is remembered after the opening frames, or at the start of a sequence."""

    @abc.abstractmethod
    def draw(
        self, memory: Any, y: Float[Array, " side"], key: PRNGKeyArray, choices: Choices
    ) -> tuple[Any, Float[Array, " visible"]]:
        """The next frame and what is remembered after it."""


def delayed(v: Float[Array, "time visible"], lag: int = 1) -> Float[Array, "time visible"]:
    """The frames `lag` steps before; zero before the start."""
    return jnp.pad(v, ((lag, 0), (0, 0)))[: v.shape[0]]


def first_moments(data: TrainingData) -> tuple[int, Float[Array, " visible"], Float[Array, " visible"]]:
    """Of the frames to learn from: the sum of a typical one (what counts add up to), their mean and their variance."""
    frames = data.learnt_from()[0]
    total = max(round(float(np.abs(frames).sum(axis=1).mean())), 1)
    return total, jnp.asarray(frames.mean(axis=0)), jnp.asarray(frames.var(axis=0))
