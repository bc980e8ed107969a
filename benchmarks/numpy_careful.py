"""The careful NumPy reference: the gradient of Algorithm 1 for all time steps and sequences at once."""

from functools import cache

import numpy as np

from configurations import Configuration
from numpy_reference import BASELINE_UNITS, LOG_2PI, Batch, Estimate, Map, Parameters, Signal, define

LEAST_LOGIT = -80.0  # exp(80) is still a float32


@cache
def buffer(name: str, *shape: int) -> np.ndarray:
    """An array kept from step to step: the page faults of fresh ones took a third of a large step."""
    return np.empty(shape, np.float32)


def careful(
    configuration: Configuration, parameters: Parameters, running: Signal, batch: Batch, gradients: Parameters
) -> Estimate:
    """Fill `gradients`; only the sampling of h goes step by step.

    Time is the leading axis, so a shift in time is a slice that BLAS reads in place. The hidden units of the
    estimate last until the next call.
    """
    maps, columns = define(configuration)
    frames, styles, uniforms = batch
    activations = buffer("activations", *frames.shape[:2], columns["log_variance"].stop)
    activations[:] = parameters["bias"][styles]
    factors = {}
    for name in "W3U3W4", "U2":
        factors[name] = forward(maps[name], parameters, frames, styles, activations, columns)
    hidden, factors["U1"] = sample(maps["U1"], parameters, styles, uniforms, activations[..., columns["U1"]])
    for name in "W1", "W2":
        factors[name] = forward(maps[name], parameters, hidden, styles, activations, columns)

    signal = log_ratio_and_slopes(activations, frames, hidden)
    bound = float(signal.mean())
    responses = buffer("responses", signal.size, BASELINE_UNITS)
    np.matmul(flatten(frames), parameters["baseline.in"], out=responses)
    responses += parameters["baseline.bias"]
    np.tanh(responses, out=responses)
    signal -= (responses @ parameters["baseline.out"]).reshape(signal.shape)
    running.normalise(signal)

    slopes = activations
    slopes[..., columns["recognition"]] *= signal[..., None]
    for name, each in maps.items():
        x = hidden if each.source == "h" else frames
        backward(each, parameters, x, styles, slopes, columns, factors[name], gradients)
    np.add.at(gradients["bias"], styles, slopes.sum(0))
    np.matmul(signal.ravel(), responses, out=gradients["baseline.out"])
    responses *= responses
    np.subtract(1, responses, out=responses)
    responses *= parameters["baseline.out"]
    responses *= signal.reshape(-1, 1)
    np.sum(responses, axis=0, out=gradients["baseline.bias"])
    np.matmul(flatten(frames).T, responses, out=gradients["baseline.in"])
    return Estimate(bound, hidden, signal)


def flatten(x: np.ndarray) -> np.ndarray:
    """`[time, batch, width]` as `[time * batch, width]`, a view for any slice of time or of columns."""
    return x.reshape(-1, x.shape[-1])


def add_product(x: np.ndarray, weight: np.ndarray, out: np.ndarray) -> None:
    """`out += x @ weight` for `[time, batch, width]`."""
    rows = flatten(x)
    product = buffer("product", len(rows), weight.shape[-1])
    np.matmul(rows, weight, out=product)
    out += product.reshape(out.shape)


def add_lagged(x: np.ndarray, weights: np.ndarray, lags: tuple[int, ...], out: np.ndarray) -> None:
    """Add `sum_k x_(t-k) W_k` to `out` `[time, batch, outputs]`: multiply first, then shift and add."""
    for lag, weight in zip(lags, weights, strict=True):
        if lag < len(x):
            add_product(x[: len(x) - lag], weight, out[lag:])


def lagged_gradient(x: np.ndarray, slopes: np.ndarray, lags: tuple[int, ...], out: np.ndarray) -> None:
    """The gradient of `add_lagged` with respect to its weights, lag by lag."""
    for lag, gradient in zip(lags, out, strict=True):
        if lag < len(x):
            np.matmul(flatten(x[: len(x) - lag]).T, flatten(slopes[lag:]), out=gradient)


def forward(
    each: Map,
    parameters: Parameters,
    x: np.ndarray,
    styles: np.ndarray,
    activations: np.ndarray,
    columns: dict[str, slice],
) -> np.ndarray | None:
    """Add a map's output to the activations; returns the input of its factors, which the gradient needs."""
    out = activations[..., columns[each.name]]
    if each.kind == "shared":
        add_lagged(x, parameters[each.name], each.lags, out)
        return None
    if each.kind == "tensor":
        for b, style in enumerate(styles):
            out[:, b] += x[:, b] @ parameters[each.name][style]
        return None
    gains = parameters[f"{each.name}.gain"][styles]
    entering = buffer(each.name, *x.shape[:2], gains.shape[-1])
    entering.fill(0)
    add_lagged(x, parameters[f"{each.name}.in"], each.lags, entering)
    gained = np.multiply(entering, gains, out=buffer("gained", *entering.shape))
    for block, factors in zip(each.blocks, np.split(gained, len(each.blocks), axis=-1), strict=True):
        add_product(factors, parameters[f"{each.name}.{block}"], activations[..., columns[block]])
    return entering


def backward(
    each: Map,
    parameters: Parameters,
    x: np.ndarray,
    styles: np.ndarray,
    slopes: np.ndarray,
    columns: dict[str, slice],
    entering: np.ndarray | None,
    gradients: Parameters,
) -> None:
    """Fill the gradient of a map's parameters from that of the activations, `slopes`."""
    own = slopes[..., columns[each.name]]
    if each.kind == "shared":
        lagged_gradient(x, own, each.lags, gradients[each.name])
    elif each.kind == "tensor":
        for b, style in enumerate(styles):
            gradients[each.name][style] += x[:, b].T @ own[:, b]
    else:
        assert entering is not None
        gains = parameters[f"{each.name}.gain"][styles]
        gained = np.multiply(entering, gains, out=buffer("gained", *entering.shape))
        leaving = buffer("leaving", *entering.shape)
        parts = (np.split(flatten(both), len(each.blocks), axis=-1) for both in (gained, leaving))
        for block, factors, out in zip(each.blocks, *parts, strict=True):
            slope = flatten(slopes[..., columns[block]])
            np.matmul(factors.T, slope, out=gradients[f"{each.name}.{block}"])
            np.matmul(slope, parameters[f"{each.name}.{block}"].T, out=out)
        np.multiply(entering, leaving, out=gained)
        np.add.at(gradients[f"{each.name}.gain"], styles, gained.sum(0))
        leaving *= gains
        lagged_gradient(x, leaving, each.lags, gradients[f"{each.name}.in"])


def sample(
    each: Map, parameters: Parameters, styles: np.ndarray, uniforms: np.ndarray, logits: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Draw h from the recognition model, completing its logits, which hold all but U1's part.

    A drawn h is pushed through U1 to the steps it will reach, so no history is kept or copied.
    """
    time, order = len(logits), len(each.lags)
    hidden, thresholds = buffer("hidden", *uniforms.shape), buffer("thresholds", *uniforms.shape)
    np.subtract(1, uniforms, out=thresholds)
    np.divide(uniforms, thresholds, out=thresholds)
    with np.errstate(divide="ignore"):  # a uniform of 0 asks for a logit above -inf
        np.log(thresholds, out=thresholds)
    if each.kind == "shared":
        entering, weights, gains, leave = logits, parameters[each.name], None, None
    else:
        weights, gains = parameters[f"{each.name}.in"], parameters[f"{each.name}.gain"][styles]
        leave = parameters[f"{each.name}.recognition"]
        entering = buffer(each.name, time, len(styles), gains.shape[-1])
        entering.fill(0)
    for t, (h, logit, threshold) in enumerate(zip(hidden, logits, thresholds, strict=True)):
        if leave is not None:
            logit += (entering[t] * gains) @ leave
        np.greater(logit, threshold, out=h)
        reached = entering[t + 1 : t + 1 + order]
        reached += np.matmul(h, weights[: len(reached)])
    return hidden, None if leave is None else entering


def log_ratio_and_slopes(activations: np.ndarray, frames: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """`log p(v_t, h_t) - log q(h_t)` `[time, batch]`; the activations become the slopes of log p and log q.

    With s = 2h - 1, a unit of logit x has log-probability `log sigma(s x)` and slope `s (1 - sigma(s x))`.
    """
    units, visible = hidden.shape[-1], frames.shape[-1]
    sign = np.multiply(hidden, 2, out=buffer("sign", *hidden.shape))
    sign -= 1
    sign = sign[..., None, :]
    chance = activations[..., : 2 * units].reshape(*hidden.shape[:2], 2, units)
    chance *= sign
    np.maximum(chance, LEAST_LOGIT, out=chance)
    np.negative(chance, out=chance)
    np.exp(chance, out=chance)
    chance += 1
    np.reciprocal(chance, out=chance)
    ratio = np.divide(chance[..., 0, :], chance[..., 1, :], out=buffer("ratio", *hidden.shape))
    signal = np.log(ratio, out=ratio).sum(-1)
    np.subtract(1, chance, out=chance)
    chance *= sign

    mean, log_variance = activations[..., -2 * visible : -visible], activations[..., -visible:]
    residual = np.subtract(frames, mean, out=buffer("residual", *frames.shape))
    np.negative(log_variance, out=mean)
    np.exp(mean, out=mean)
    mean *= residual
    residual *= mean
    signal -= 0.5 * (visible * LOG_2PI + log_variance.sum(-1) + residual.sum(-1))
    residual -= 1
    np.multiply(residual, 0.5, out=log_variance)
    return signal
