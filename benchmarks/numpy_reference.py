"""A training step by hand in NumPy: the model's maps and parameters, the learning signal and RMSprop.

The gradient comes from `numpy_careful` or `numpy_looping`: that of
`sum_t log p(v_t, h_t) + l_t (log q(h_t) + C(v_t))` with the signal l_t held constant (Algorithm 1 of the
paper), for frames `[time, batch, visible]` and one style a sequence.

Everything the network computes at a step is one row of four blocks, the *activations*: the logits of the
prior and of the recognition model, the mean and the log-variance of the observation. Maps that read the same
input are stored side by side, in the order of the blocks they write to.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from configurations import Configuration

BASELINE_UNITS = 100
SIGNAL_DECAY = 0.9
LEARNING_RATE, SQUARES_DECAY, EPSILON = 1e-3, 0.95, 1e-6
WEIGHT_SCALE, FACTOR_SCALE = 0.001, 0.01

LOG_2PI = float(np.log(2 * np.pi))

Parameters = dict[str, np.ndarray]


class Map(NamedTuple):
    """A linear map from `source` at each of `lags` steps ago into neighbouring blocks of the activations.

    Its parameters, `x @ W` with x a row:
    shared    `name` [lags, inputs, outputs]
    tensor    `name` [styles, inputs, outputs]
    factored  `name.in` [lags, inputs, blocks * factors], `name.gain` [styles, blocks * factors] and, for
              every block, `name.block` [factors, outputs]: Wc, Wb and Wa of the paper.
    """

    name: str
    source: Literal["h", "v"]
    lags: tuple[int, ...]
    blocks: tuple[str, ...]
    kind: Literal["shared", "tensor", "factored"]


class Model(NamedTuple):
    """The maps of a model, and the columns of the activations that each block and each map has."""

    maps: dict[str, Map]
    columns: dict[str, slice]


def define(configuration: Configuration) -> Model:
    """The model of a configuration, in the paper's letters (W4 and W2 stand for W4, W4' and W2, W2')."""
    past = tuple(range(1, configuration.order + 1))
    usual, likelihood = ("shared", "shared") if configuration.factors is None else ("factored", "tensor")
    maps = (
        Map("W3U3W4", "v", past, ("prior", "recognition", "mean", "log_variance"), usual),
        Map("U2", "v", (0,), ("recognition",), usual),
        Map("U1", "h", past, ("recognition",), usual),
        Map("W1", "h", past, ("prior",), usual),
        Map("W2", "h", (0,), ("mean", "log_variance"), likelihood),
    )
    columns, start = {}, 0
    for block, width in block_widths(configuration).items():
        columns[block] = slice(start, start + width)
        start += width
    for each in maps:
        columns[each.name] = slice(columns[each.blocks[0]].start, columns[each.blocks[-1]].stop)
    return Model({each.name: each for each in maps}, columns)


def block_widths(configuration: Configuration) -> dict[str, int]:
    hidden, visible = configuration.hidden, configuration.visible
    return {"prior": hidden, "recognition": hidden, "mean": visible, "log_variance": visible}


def shapes(configuration: Configuration) -> dict[str, tuple[int, ...]]:
    """Name and shape of every parameter, those of the baseline included."""
    widths = block_widths(configuration)
    inputs = {"h": configuration.hidden, "v": configuration.visible}
    found: dict[str, tuple[int, ...]] = {}
    for name, source, lags, blocks, kind in define(configuration).maps.values():
        if kind == "factored":
            factors = configuration.factors or 0
            found[f"{name}.in"] = len(lags), inputs[source], len(blocks) * factors
            found[f"{name}.gain"] = configuration.styles, len(blocks) * factors
            found |= {f"{name}.{block}": (factors, widths[block]) for block in blocks}
        else:
            leading = len(lags) if kind == "shared" else configuration.styles
            found[name] = leading, inputs[source], sum(widths[block] for block in blocks)
    found["bias"] = configuration.styles, sum(widths.values())
    found["baseline.in"] = configuration.visible, BASELINE_UNITS
    found["baseline.bias"] = found["baseline.out"] = (BASELINE_UNITS,)
    return found


def views(flat: np.ndarray, configuration: Configuration) -> Parameters:
    """The parameters by name, each a view into one flat vector."""
    named, start = {}, 0
    for name, shape in shapes(configuration).items():
        size = int(np.prod(shape))
        named[name] = flat[start : start + size].reshape(shape)
        start += size
    return named


def operations_per_step(configuration: Configuration) -> int:
    """Floating point operations of the matrix products of one training step, forward and gradient.

    Only products with a frame that exists are counted (a lag of k reaches T - k of T frames), and nothing
    elementwise: the work that has to be done, whatever a program makes of it.
    """
    sizes = shapes(configuration)
    total = 2 * 2 * configuration.frames * int(np.prod(sizes["baseline.in"]))
    for name, _, lags, blocks, kind in define(configuration).maps.values():
        _, inputs, outputs = sizes[f"{name}.in" if kind == "factored" else name]
        steps = sum(max(configuration.time - lag, 0) for lag in lags)
        total += 2 * 2 * steps * configuration.batch * inputs * outputs
        if kind == "factored":  # one product more than elsewhere: the gradient passes through to the factors
            total += sum(3 * 2 * configuration.frames * int(np.prod(sizes[f"{name}.{b}"])) for b in blocks)
    return total


@dataclass
class Signal:
    """Running mean and variance of the learning signal, which outlive a step."""

    mean: float = 0.0
    variance: float = 0.0

    def normalise(self, signal: np.ndarray) -> None:
        """Take this step's signal `[time, batch]` into the statistics, then centre and scale it in place."""
        self.mean += (1 - SIGNAL_DECAY) * (float(signal.mean()) - self.mean)
        self.variance += (1 - SIGNAL_DECAY) * (float(signal.var()) - self.variance)
        signal -= self.mean
        signal /= max(1.0, self.variance**0.5)


class Batch(NamedTuple):
    """Frames `[time, batch, visible]`, styles `[batch]`, uniform draws `[time, batch, hidden]`."""

    frames: np.ndarray
    styles: np.ndarray
    uniforms: np.ndarray


class Estimate(NamedTuple):
    """What a pass over a batch gives besides the gradient: bound per frame, hidden units, learning signal."""

    bound: float
    hidden: np.ndarray
    signal: np.ndarray


# The last argument is filled with the gradient, summed over frames; it comes as zeros.
Gradient = Callable[[Configuration, Parameters, Signal, Batch, Parameters], Estimate]


class Training:
    """One model in training; parameters, gradient and RMSprop's memory are one flat vector each.

    >>> from configurations import CONFIGURATIONS, draw_batch
    >>> from numpy_careful import careful
    >>> training = Training(CONFIGURATIONS[0], careful)
    >>> bound = training.step(*draw_batch(CONFIGURATIONS[0]))
    """

    def __init__(self, configuration: Configuration, gradient: Gradient, seed: int = 0) -> None:
        self.configuration, self.gradient = configuration, gradient
        self.random = np.random.default_rng(seed)
        size = sum(int(np.prod(shape)) for shape in shapes(configuration).values())
        self.flat = self.random.standard_normal(size, dtype=np.float32)
        self.flat *= WEIGHT_SCALE if configuration.factors is None else FACTOR_SCALE
        self.flat_gradient, self.squares, self.scratch = (np.zeros_like(self.flat) for _ in range(3))
        self.parameters = views(self.flat, configuration)
        self.gradients = views(self.flat_gradient, configuration)
        self.parameters["bias"][:] = 0
        self.signal = Signal()
        sizes = configuration.time, configuration.batch, configuration.hidden
        self.uniforms = np.empty(sizes, np.float32)

    def step(self, frames: np.ndarray, styles: np.ndarray) -> float:
        """Draw, estimate the gradient, update; returns the bound per frame."""
        self.random.random(dtype=np.float32, out=self.uniforms)
        self.flat_gradient.fill(0)
        batch = Batch(frames, styles, self.uniforms)
        estimate = self.gradient(self.configuration, self.parameters, self.signal, batch, self.gradients)
        self._rmsprop(1 / self.configuration.frames)
        return estimate.bound

    def _rmsprop(self, scale: float) -> None:
        gradient, scratch = self.flat_gradient, self.scratch
        gradient *= scale
        np.multiply(gradient, gradient, out=scratch)
        scratch *= 1 - SQUARES_DECAY
        self.squares *= SQUARES_DECAY
        self.squares += scratch
        np.sqrt(self.squares, out=scratch)
        scratch += EPSILON
        gradient /= scratch
        gradient *= LEARNING_RATE
        self.flat += gradient
