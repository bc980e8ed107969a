"""Frames as they are asked for, one at a time, under side information that may change at every one of them."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from tsbn.choices import AS_THE_MODEL, Choices
from tsbn.inference.generation import Recent
from tsbn.inference.stepping import Stepper, Vector
from tsbn.model.network import Network
from tsbn.model.observations import Bernoulli, Counts, Gaussian, Observation, Student

Snap = Callable[[Float[np.ndarray, " visible"]], Float[np.ndarray, " visible"]]
"""From a frame as the model made it to the one that is taken in its place."""


class FrameSource:
    """An endless sequence of a network: `frame(y)` gives the next frame under `y [side]`.

    With `snap`, each frame is replaced by `snap(frame)`, and it is this one that later frames follow.
    """

    def __init__(
        self,
        network: Network,
        recent: Recent | None = None,
        *,
        random: np.random.Generator,
        choices: Choices = AS_THE_MODEL,
        snap: Snap | None = None,
    ):
        self.stepper = Stepper(network, recent)
        self.observation = network.observation
        self.random = random
        self.choices = choices
        self.snap = snap

    def frame(self, y: Float[np.ndarray, " side"]) -> Float[np.ndarray, " visible"]:
        """The next frame."""
        show = self._show if self.choices.observation == "expected" else None
        return self.stepper.step(y, self._choose, self._emit, show)

    def _choose(self, layer: int, logits: Vector) -> Vector:
        noise = self.random.logistic(size=logits.shape)
        return (logits > self.choices.temperature * noise).astype(np.float32)

    def _show(self, logits: Vector) -> Vector:
        if not self.choices.temperature:
            return (logits > 0).astype(np.float32)
        return np.exp(-np.logaddexp(0, -logits / self.choices.temperature))

    def _emit(self, outputs: list[Vector]) -> Vector:
        exact = self.choices.observation != "sample"
        frame = mean(self.observation, outputs) if exact else drawn(self.observation, outputs, self.random)
        return frame if self.snap is None else self.snap(frame)


def mean(observation: Observation, outputs: list[Vector]) -> Vector:
    """The mean of a frame, `[visible]`."""
    match observation:
        case Gaussian():
            return outputs[0]
        case Bernoulli():
            return np.exp(-np.logaddexp(0, -outputs[0]))
        case Counts():
            return (observation.total * _shares(outputs[0])).astype(np.float32)
    raise TypeError(f"observation is {observation!r}, expected Gaussian, Student, Bernoulli or Counts")


def drawn(observation: Observation, outputs: list[Vector], random: np.random.Generator) -> Vector:
    """One draw of a frame, `[visible]`."""
    size = outputs[0].shape
    match observation:
        case Student():  # before Gaussian, of which it is a kind
            noise = random.standard_t(observation.freedom, size).astype(np.float32)
            return outputs[0] + _scale(observation, outputs) * noise
        case Gaussian():
            return outputs[0] + _scale(observation, outputs) * random.standard_normal(size, np.float32)
        case Bernoulli():
            return (outputs[0] > random.logistic(size=size)).astype(np.float32)
        case Counts():
            return random.multinomial(observation.total, _shares(outputs[0])).astype(np.float32)
    raise TypeError(f"observation is {observation!r}, expected Gaussian, Student, Bernoulli or Counts")


def _scale(observation: Gaussian, outputs: list[Vector]) -> Vector:
    return np.exp(0.5 * observation.limit * np.tanh(outputs[1] / observation.limit))


def _shares(logits: Vector) -> Vector:
    raised = np.exp(logits.astype(np.float64) - logits.max())
    return raised / raised.sum()
