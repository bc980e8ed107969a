"""Generation by an FCTSBN in careful NumPy: the mark that the library's generation is measured against.

One hidden layer, Gaussian observations, constant side information. Everything that can be is computed before the loop:
gains folded into the matrices, noise, W2 mixed; the features of the next `n` steps are carried instead of a history.
"""

import numpy as np

from tsbn.model.build import Model
from tsbn.model.weights import Factored, Tensor

AT_ONCE = 1000
"""Frames, of all sequences together, that noise is drawn for at once."""


class Reference:
    """`num` sequences side by side under side information `y [side]`."""

    def __init__(self, model: Model, y: np.ndarray, num: int, seed: int = 0):
        layer, heads = model.network.layers[0], model.network.heads
        self.random = np.random.default_rng(seed)
        own, *from_frame = [numbers(weights) for weights in (layer.W1, layer.W3, *(head.W4 for head in heads))]
        self.factors = len(own[1])
        self.order = len(own[2])
        self.from_hidden = inward(own[2])
        self.from_frame = np.concatenate([weights[2] for weights in from_frame], axis=1)
        self.frame_width = self.from_frame.shape[1]
        self.from_frame = inward(self.from_frame)
        outward = [np.ascontiguousarray((Wa * (Wb @ y)).T) for Wa, Wb, _ in (own, *from_frame)]
        self.to_hidden = np.concatenate(outward[:2])
        self.to_heads = outward[2:]
        self.emit = [mixed(head.W2, y) for head in heads]
        self.hidden_bias = np.asarray(layer.B) @ y
        self.head_biases = [np.asarray(head.C) @ y for head in heads]
        self.limit = model.network.observation.limit  # pyright: ignore[reportAttributeAccessIssue]
        self.pending = np.zeros((num, self.order, self.factors + self.frame_width), np.float32)

    def noise(self, frames: int) -> tuple[np.ndarray, np.ndarray]:
        """Logistic noise `[frames, num, hidden]` and normal noise `[frames, num, visible]`."""
        num, hidden, visible = len(self.pending), len(self.hidden_bias), len(self.head_biases[0])
        uniform = self.random.random((frames, num, hidden), dtype=np.float32)
        np.clip(uniform, 1e-7, 1 - 1e-7, out=uniform)
        uniform /= 1 - uniform
        return np.log(uniform, out=uniform), self.random.standard_normal((frames, num, visible), dtype=np.float32)

    def step(self, chance: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """One frame of every sequence, `[num, visible]`."""
        now, size = self.pending[:, 0], self.factors
        logits = now[:, : 2 * size] @ self.to_hidden + self.hidden_bias
        h = (logits > chance).astype(np.float32)
        mean, raw = (
            h @ W2 + now[:, (2 + i) * size : (3 + i) * size] @ Wa + bias
            for i, (W2, Wa, bias) in enumerate(zip(self.emit, self.to_heads, self.head_biases, strict=True))
        )
        v = mean + np.exp(0.5 * self.limit * np.tanh(raw / self.limit)) * noise
        self.pending[:, :-1] = self.pending[:, 1:]
        self.pending[:, -1] = 0
        self.pending[..., :size] += (h @ self.from_hidden).reshape(len(h), self.order, size)
        self.pending[..., size:] += (v @ self.from_frame).reshape(len(v), self.order, self.frame_width)
        return v

    def generate(self, frames: int) -> np.ndarray:
        """`[num, frames, visible]`; noise is drawn for as many frames ahead as stay in the cache."""
        ahead = max(AT_ONCE // len(self.pending), 1)
        made = [
            self.step(*now)
            for start in range(0, frames, ahead)
            for now in zip(*self.noise(min(ahead, frames - start)), strict=True)
        ]
        return np.stack(made, axis=1)


def numbers(weights: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wa, Wb and Wc of a factored map."""
    assert isinstance(weights, Factored)
    return np.asarray(weights.Wa), np.asarray(weights.Wb), np.asarray(weights.Wc)


def inward(Wc: np.ndarray) -> np.ndarray:
    """`[lags, features, source]` as one matrix `[source, lags * features]`."""
    return np.ascontiguousarray(Wc.reshape(-1, Wc.shape[2]).T)


def mixed(weights: object, y: np.ndarray) -> np.ndarray:
    """The matrix `[source, target]` that a tensor of the present amounts to."""
    assert isinstance(weights, Tensor)
    return np.ascontiguousarray(np.tensordot(y, np.asarray(weights.W)[0], 1).T)
