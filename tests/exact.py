"""Exact answers for small models, by enumerating every path: NumPy in double precision, with formulas of its own.

A path is everything a sampler would draw: the states of all stochastic layers at all steps and, where binary entries
are missing, their values. Nothing of the package's mathematics is used: a model is only read for its numbers. Arrays
over paths are `[paths, time, ...]`; time is walked through by plain loops, as the equations are written.
"""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np
from scipy import stats
from scipy.special import gammaln, logsumexp


class Table(NamedTuple):
    """All paths of one sequence.

    - `v [paths, time, visible]`: the frames, completed where entries are missing.
    - `hs`: one `[paths, time, units]` per layer, rectified layers as the generative model computes them.
    - `log_p, log_q [paths, time]`: the joint of data and path, and the proposal (drawn missing entries included).
    - `log_seen [paths, time]`: the part of `log_p` that is the likelihood of what was seen.
    - `outputs`: what the network gives to the observation, `[paths, time, visible]` per head.
    """

    v: np.ndarray
    hs: list[np.ndarray]
    log_p: np.ndarray
    log_q: np.ndarray
    log_seen: np.ndarray
    outputs: list[np.ndarray]


def doubles(model):
    """The model's numbers in double precision."""
    return jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), model)


def dense(weights, y):
    """W(y) of every lag: `{lag: [target, source]}`."""
    if hasattr(weights, "Wa"):
        gains = np.diag(weights.Wb @ y)
        return {lag: weights.Wa @ gains @ Wc for lag, Wc in zip(weights.lags, weights.Wc, strict=True)}
    if weights.W.ndim == 4:
        return {
            lag: sum(share * W for share, W in zip(y, by_style, strict=True))
            for lag, by_style in zip(weights.lags, weights.W, strict=True)
        }
    return dict(zip(weights.lags, weights.W, strict=True))


def arrow(weights, x, t, y):
    """What `x [paths, time, source]` sends to step `t` through a map that may be absent."""
    if weights is None:
        return 0.0
    return sum(x[:, t - lag] @ W.T for lag, W in dense(weights, y).items() if t >= lag) + np.zeros(1)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def bernoulli(h, z):
    """log Bernoulli(h; sigma(z)), summed over units."""
    return np.sum(h * np.log(sigmoid(z)) + (1 - h) * np.log(1 - sigmoid(z)), axis=-1)


def observed(observation, v, outputs, seen):
    """Log-probability of the entries in `seen [visible]` of frames `v [paths, visible]`, with all constants."""
    v, outputs = v[:, seen], [output[:, seen] for output in outputs]
    match type(observation).__name__:
        case "Gaussian":
            variance = np.exp(observation.limit * np.tanh(outputs[1] / observation.limit))
            return np.sum(-((v - outputs[0]) ** 2) / (2 * variance) - np.log(2 * np.pi * variance) / 2, -1)
        case "Student":
            scale = np.exp(0.5 * observation.limit * np.tanh(outputs[1] / observation.limit))
            return np.sum(stats.t.logpdf(v, 3, outputs[0], scale), -1)
        case "Bernoulli":
            return bernoulli(v, outputs[0])
        case "Counts":
            shares = np.exp(outputs[0]) / np.sum(np.exp(outputs[0]), -1, keepdims=True)
            ways = gammaln(v.sum(-1) + 1) - gammaln(v + 1).sum(-1)
            return np.sum(v * np.log(shares), -1) + ways
    raise AssertionError(observation)


def moments(observation, outputs):
    """Mean and variance of a frame given the outputs."""
    match type(observation).__name__:
        case "Gaussian":
            return outputs[0], np.exp(observation.limit * np.tanh(outputs[1] / observation.limit))
        case "Student":
            return outputs[0], 3 * np.exp(observation.limit * np.tanh(outputs[1] / observation.limit))
        case "Bernoulli":
            return sigmoid(outputs[0]), sigmoid(outputs[0]) * (1 - sigmoid(outputs[0]))
    shares = np.exp(outputs[0]) / np.sum(np.exp(outputs[0]), -1, keepdims=True)
    return observation.total * shares, observation.total * shares * (1 - shares)


def every_bit(bits):
    """All binary vectors of a length: `[2 ** bits, bits]`."""
    return np.array(list(itertools.product((0.0, 1.0), repeat=bits))).reshape(2**bits, bits)


def side_at(y, t):
    return y[0] if len(y) == 1 else y[t]


def backward(future, v, valid):
    """The gated recurrent pass from the last valid frame to the first: `[time, units]`."""
    cell, state, states = future.cell, np.zeros(future.cell.hidden_size), []
    for v_t, valid_t in zip(v[::-1], valid[::-1], strict=True):
        reset, keep, new = np.split(cell.weight_ih @ v_t + cell.bias, 3)
        from_reset, from_keep, from_new = np.split(cell.weight_hh @ state, 3)
        candidate = np.tanh(new + sigmoid(reset + from_reset) * (from_new + cell.bias_n))
        share = sigmoid(keep + from_keep)
        state = share * state + (1 - share) * candidate if valid_t else np.zeros_like(state)
        states.append(state)
    return np.array(states[::-1])


def proposal(model, piece, hs):
    """log q of given states at every step, `[paths, time]`; `piece.v` has zeros at missing entries."""
    layers, future = model.recognition.layers, model.recognition.future
    paths, time = hs[-1].shape[:2]
    v = np.broadcast_to(piece.v, (paths, *piece.v.shape))
    ahead = None if future is None else backward(future, piece.v, piece.valid)
    hs, log_q = [h.copy() for h in hs], np.zeros((paths, time))
    for t in range(time):
        y = side_at(piece.y, t)
        for number, layer in enumerate(layers):
            below = v if number == 0 else hs[number - 1]
            z = arrow(layer.U1, hs[number], t, y) + arrow(layer.U2, below, t, y) + arrow(layer.U3, below, t, y)
            z = z + layer.D @ y
            if number == 0 and ahead is not None:
                z = z + dense(future.U4, y)[0] @ ahead[t]
            if layer.rectified:
                hs[number][:, t] = np.maximum(z, 0)
            else:
                log_q[:, t] += bernoulli(hs[number][:, t], z)
    return log_q


def generative(model, v, hs, y):
    """log p(h_t | ...) `[paths, time]`, the layers (rectified ones computed), and the outputs, for given paths."""
    layers, heads = model.network.layers, model.network.heads
    paths, time = hs[-1].shape[:2]
    hs, log_p = [h.copy() for h in hs], np.zeros((paths, time))
    outputs = [np.zeros((paths, time, v.shape[-1])) for _ in heads]
    for t in range(time):
        y_t = side_at(y, t)
        for number in reversed(range(len(layers))):
            layer, below = layers[number], v if number == 0 else hs[number - 1]
            z = arrow(layer.W1, hs[number], t, y_t) + arrow(layer.W3, below, t, y_t) + layer.B @ y_t
            if number + 1 < len(layers):
                z = z + arrow(layer.W5, hs[number + 1], t, y_t)
            if layer.rectified:
                hs[number][:, t] = np.maximum(z, 0)
            else:
                log_p[:, t] += bernoulli(hs[number][:, t], z)
        for head, output in zip(heads, outputs, strict=True):
            output[:, t] = arrow(head.W2, hs[0], t, y_t) + arrow(head.W4, v, t, y_t) + head.C @ y_t
    return log_p, hs, outputs


def states(model, time):
    """Every configuration of the stochastic layers over all steps (zeros in the rectified ones)."""
    layers = model.network.layers
    sizes = [0 if layer.rectified else layer.B.shape[0] for layer in layers]
    bits = every_bit(time * sum(sizes)).reshape(-1, time, sum(sizes))
    cuts = np.split(bits, np.cumsum(sizes)[:-1], axis=-1)
    return [
        np.zeros((len(bits), time, layer.B.shape[0])) if layer.rectified else cut
        for layer, cut in zip(layers, cuts, strict=True)
    ]


def table(model, piece) -> Table:
    """Every path of a piece. Missing entries are enumerated where later steps feel them (binary data only)."""
    model = doubles(model)
    piece = piece._replace(v=np.asarray(piece.v, np.float64), y=np.asarray(piece.y, np.float64))
    time, visible = piece.v.shape
    seen = np.ones((time, visible), bool) if piece.seen is None else np.asarray(piece.seen)
    network = model.network
    felt = network.layers[0].W3 is not None or any(head.W4 is not None for head in network.heads)
    hs = states(model, time)
    completions = every_bit(np.sum(~seen)) if felt else np.zeros((1, np.sum(~seen)))
    shown = np.where(seen, piece.v, 0.0)
    log_q = proposal(model, piece._replace(v=shown), hs)
    # Every configuration with every completion.
    hs = [np.repeat(h, len(completions), axis=0) for h in hs]
    log_q = np.repeat(log_q, len(completions), axis=0)
    v = np.broadcast_to(shown, (len(log_q), time, visible)).copy()
    v[:, ~seen] = np.tile(completions, (len(log_q) // len(completions), 1))
    log_p, hs, outputs = generative(model, v, hs, piece.y)
    log_seen = np.zeros_like(log_p)
    for t in range(time):
        now = [output[:, t] for output in outputs]
        log_seen[:, t] = observed(network.observation, v[:, t], now, seen[t])
        log_p[:, t] += log_seen[:, t]
        if felt and not seen[t].all():
            drawn = observed(network.observation, v[:, t], now, ~seen[t])
            log_p[:, t] += drawn
            log_q[:, t] += drawn
    return Table(v, hs, log_p, log_q, log_seen, outputs)


def log_likelihood(model, piece) -> float:
    """log p of what was seen."""
    return logsumexp(table(model, piece).log_p.sum(1))


def posterior(model, piece) -> np.ndarray:
    """p(path | what was seen), `[paths]`."""
    log_p = table(model, piece).log_p.sum(1)
    return np.exp(log_p - logsumexp(log_p))


def elbo(model, piece, warmth: float = 1.0) -> float:
    """The evidence lower bound: the counted terms, over all paths of q; log p(h) - log q(h) weighs `warmth`."""
    found = table(model, piece)
    terms = found.log_seen + warmth * (found.log_p - found.log_seen - found.log_q)
    return np.exp(found.log_q.sum(1)) @ terms[:, np.asarray(piece.counted)].sum(1)


def two_sample_bound(model, piece) -> float:
    """The multi-sample bound with K = 2, over all pairs of paths."""
    found = table(model, piece)
    weights = (found.log_p - found.log_q)[:, np.asarray(piece.counted)].sum(1)
    q = np.exp(found.log_q.sum(1))
    return q @ (np.logaddexp(weights[:, None], weights[None, :]) - np.log(2)) @ q


def prediction(model, piece, bootstrap: bool = False):
    """Mean and standard deviation of each frame given those before: `[time, visible]` each.

    The history comes from q, or (`bootstrap`) from the exact posterior given the frames before; the present states
    come from the prior.
    """
    plain, means, spreads = doubles(model), [], []
    for t in range(piece.v.shape[0]):
        short = type(piece)(*(x if x is None or len(x) == 1 else x[: t + 1] for x in piece))
        found = table(model, short)
        prior = generative(plain, found.v, found.hs, np.asarray(short.y, np.float64))[0][:, t]
        before = found.log_p[:, :t].sum(1) if bootstrap else found.log_q[:, :t].sum(1)
        share = np.exp(before + prior - logsumexp(before + prior))[:, None]
        mean, variance = moments(plain.network.observation, [output[:, t] for output in found.outputs])
        means.append(np.sum(share * mean, 0))
        spreads.append(np.sqrt(np.sum(share * (variance + (mean - means[-1]) ** 2), 0)))
    return np.array(means), np.array(spreads)


def foretold(model, piece) -> np.ndarray:
    """Log-probability of each frame as it is expected, `[time]`: the mean over histories from q and over the present
    upper layers from the prior, with the first layer's probabilities as its state."""
    plain, scores = doubles(model), []
    layers, heads = plain.network.layers, plain.network.heads
    for t in range(piece.v.shape[0]):
        short = type(piece)(*(x if x is None or len(x) == 1 else x[: t + 1] for x in piece))
        found, y = table(model, short), side_at(np.asarray(short.y, np.float64), t)
        hs, chance = [h.copy() for h in found.hs], found.log_q[:, :t].sum(1)
        for number in reversed(range(len(layers))):
            layer, below = layers[number], found.v if number == 0 else hs[number - 1]
            z = arrow(layer.W1, hs[number], t, y) + arrow(layer.W3, below, t, y) + layer.B @ y
            if number + 1 < len(layers):
                z = z + arrow(layer.W5, hs[number + 1], t, y)
            if layer.rectified:
                hs[number][:, t] = np.maximum(z, 0)
            elif number == 0:
                hs[0][:, t] = sigmoid(z)
            else:
                chance = chance + bernoulli(hs[number][:, t], z)
        outputs = [
            arrow(head.W2, hs[0], t, y) + arrow(head.W4, found.v, t, y) + np.tile(head.C @ y, (len(chance), 1))
            for head in heads
        ]
        seen = np.ones(piece.v.shape[1], bool) if piece.seen is None else np.asarray(piece.seen)[t]
        score = observed(plain.network.observation, found.v[:, t], outputs, seen)
        scores.append(np.exp(chance - logsumexp(chance)) @ score)
    return np.array(scores)


def binary_sequences(model, y, time):
    """Every binary sequence `[sequences, time, visible]` and its probability under a model of binary data."""
    plain, y = doubles(model), np.asarray(y, np.float64)
    visible = plain.network.heads[0].C.shape[0]
    sequences = every_bit(time * visible).reshape(-1, time, visible)
    hidden = states(plain, time)
    chances = []
    for v in sequences:
        frames = np.broadcast_to(v, (len(hidden[-1]), time, visible))
        log_p, _, outputs = generative(plain, frames, hidden, y)
        chances.append(np.exp(logsumexp(log_p.sum(1) + bernoulli(frames, outputs[0]).sum(1))))
    return sequences, np.array(chances)


def gradient(value: Callable, model, step: float = 1e-5):
    """Derivative of `value(model)` with respect to every number of the model, by central differences."""
    leaves, structure = jax.tree.flatten(doubles(model))

    def moved(number, place, by):
        changed = [leaf.copy() for leaf in leaves]
        changed[number][place] += by
        return value(jax.tree.unflatten(structure, changed))

    found = [np.zeros(leaf.shape) for leaf in leaves]
    for number, leaf in enumerate(leaves):
        for place in np.ndindex(leaf.shape):
            found[number][place] = (moved(number, place, step) - moved(number, place, -step)) / (2 * step)
    return jax.tree.unflatten(structure, found)
