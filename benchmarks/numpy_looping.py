"""The looping NumPy reference: the gradient of Algorithm 1 step by step, sequence by sequence.

Products of a matrix and a vector, and sums of outer products, as a first program of the equations does it.
"""

import numpy as np

from configurations import Configuration
from numpy_reference import LOG_2PI, Batch, Estimate, Map, Parameters, Signal, define


def looping(
    configuration: Configuration, parameters: Parameters, running: Signal, batch: Batch, gradients: Parameters
) -> Estimate:
    """Fill `gradients`, adding up the steps of every sequence."""
    maps, columns = define(configuration)
    frames, styles, uniforms = batch
    hidden = np.zeros_like(uniforms)
    slopes = np.zeros((*frames.shape[:2], columns["log_variance"].stop), np.float32)
    signal = np.zeros(frames.shape[:2], np.float32)
    bound = 0.0
    for b, style in enumerate(styles):
        v, h = frames[:, b], hidden[:, b]
        for t in range(len(v)):
            activation = parameters["bias"][style].copy()
            for name in "W3U3W4", "U2":
                forward(maps[name], parameters, v, t, style, activation, columns)
            forward(maps["U1"], parameters, h, t, style, activation, columns)
            h[t] = uniforms[t, b] < sigmoid(activation[columns["recognition"]])
            for name in "W1", "W2":
                forward(maps[name], parameters, h, t, style, activation, columns)
            prior, recognition, mean, log_variance = (activation[columns[k]] for k in maps["W3U3W4"].blocks)

            residual, precision = v[t] - mean, np.exp(-log_variance)
            value = bernoulli(prior, h[t]) - bernoulli(recognition, h[t])
            value -= 0.5 * np.sum(LOG_2PI + log_variance + residual**2 * precision)
            slopes[t, b, columns["prior"]] = h[t] - sigmoid(prior)
            slopes[t, b, columns["recognition"]] = h[t] - sigmoid(recognition)
            slopes[t, b, columns["mean"]] = residual * precision
            slopes[t, b, columns["log_variance"]] = 0.5 * (residual**2 * precision - 1)
            bound += float(value)
            signal[t, b] = value - responses(parameters, v[t]) @ parameters["baseline.out"]

    running.normalise(signal)
    for b, style in enumerate(styles):
        v, h = frames[:, b], hidden[:, b]
        for t in range(len(v)):
            slope = slopes[t, b]
            slope[columns["recognition"]] *= signal[t, b]
            for each in maps.values():
                x = h if each.source == "h" else v
                backward(each, parameters, x, t, style, slope, columns, gradients)
            gradients["bias"][style] += slope
            response = responses(parameters, v[t])
            inner = signal[t, b] * parameters["baseline.out"] * (1 - response**2)
            gradients["baseline.out"] += signal[t, b] * response
            gradients["baseline.bias"] += inner
            gradients["baseline.in"] += np.outer(v[t], inner)
    return Estimate(bound / signal.size, hidden, signal)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def bernoulli(logits: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Log-probability of binary `h` `[hidden]`."""
    return np.sum(h * logits - np.logaddexp(0, logits))


def responses(parameters: Parameters, v: np.ndarray) -> np.ndarray:
    """The tanh units of the data-dependent baseline, `[units]`."""
    return np.tanh(v @ parameters["baseline.in"] + parameters["baseline.bias"])


def entering_factors(each: Map, parameters: Parameters, x: np.ndarray, t: int) -> np.ndarray:
    """What reaches the factors of a map at step `t` of `x` `[time, inputs]`, before the gain of the style."""
    weights = parameters[f"{each.name}.in"]
    total = np.zeros(weights.shape[-1], np.float32)
    for lag, weight in zip(each.lags, weights, strict=True):
        if t >= lag:
            total += x[t - lag] @ weight
    return total


def forward(
    each: Map,
    parameters: Parameters,
    x: np.ndarray,
    t: int,
    style: int,
    activation: np.ndarray,
    columns: dict[str, slice],
) -> None:
    """Add what a map gives at step `t` of `x` `[time, inputs]` to one row of activations."""
    own = activation[columns[each.name]]
    if each.kind == "shared":
        for lag, weight in zip(each.lags, parameters[each.name], strict=True):
            if t >= lag:
                own += x[t - lag] @ weight
    elif each.kind == "tensor":
        own += x[t] @ parameters[each.name][style]
    else:
        gained = parameters[f"{each.name}.gain"][style] * entering_factors(each, parameters, x, t)
        for block, factors in zip(each.blocks, np.split(gained, len(each.blocks)), strict=True):
            activation[columns[block]] += factors @ parameters[f"{each.name}.{block}"]


def backward(
    each: Map,
    parameters: Parameters,
    x: np.ndarray,
    t: int,
    style: int,
    slope: np.ndarray,
    columns: dict[str, slice],
    gradients: Parameters,
) -> None:
    """Add step `t`'s part to the gradient of a map's parameters, from that of the activations, `slope`."""
    own = slope[columns[each.name]]
    if each.kind == "shared":
        for lag, gradient in zip(each.lags, gradients[each.name], strict=True):
            if t >= lag:
                gradient += np.outer(x[t - lag], own)
    elif each.kind == "tensor":
        gradients[each.name][style] += np.outer(x[t], own)
    else:
        gain = parameters[f"{each.name}.gain"][style]
        entering = entering_factors(each, parameters, x, t)
        gained = np.split(gain * entering, len(each.blocks))
        for block, factors in zip(each.blocks, gained, strict=True):
            gradients[f"{each.name}.{block}"] += np.outer(factors, slope[columns[block]])
        leaving = np.concatenate([parameters[f"{each.name}.{block}"] @ slope[columns[block]] for block in each.blocks])
        gradients[f"{each.name}.gain"][style] += leaving * entering
        for lag, gradient in zip(each.lags, gradients[f"{each.name}.in"], strict=True):
            if t >= lag:
                gradient += np.outer(x[t - lag], gain * leaving)
