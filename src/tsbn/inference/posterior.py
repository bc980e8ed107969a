"""Sampling the hidden states of a given sequence from the recognition model, and missing entries from the model."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.inference.piece import Piece
from tsbn.model.build import Model
from tsbn.model.network import Hidden, Network, every_step
from tsbn.model.recognition import Recognition
from tsbn.model.weights import specialise


class Draw(NamedTuple):
    """Sampled hidden states `[time, hidden]` per layer, and the frames with missing entries drawn.

    `remembered` are the hidden states as later steps of the generative model see them, where that is not as drawn.
    """

    hs: Hidden
    v: Float[Array, "time visible"]
    remembered: Hidden | None = None


def draw(model: Model, piece: Piece, key: PRNGKeyArray) -> Draw:
    """Hidden states from q, then missing entries from p given them; nothing here is differentiated."""
    model = specialise(jax.lax.stop_gradient(model), piece.y)
    for_hidden, for_missing = jax.random.split(key)
    hs = propose(model.recognition, piece, for_hidden)
    return Draw(hs, fill_missing(model.network, piece, hs, for_missing))


def slipped(hs: Hidden, key: PRNGKeyArray, share: float) -> Hidden:
    """Hidden states of which this share, picked at random, is flipped."""
    keys = jax.random.split(key, len(hs))
    return tuple(jnp.where(jax.random.bernoulli(k, share, h.shape), 1 - h, h) for k, h in zip(keys, hs, strict=True))


def logistic_noise(key: PRNGKeyArray, time: int, sizes: tuple[int, ...]) -> Hidden:
    """Noise whose comparison with a logit draws a Bernoulli variable: no sigmoid is needed inside the loop."""
    keys = jax.random.split(key, len(sizes))
    return tuple(jax.random.logistic(k, (time, size)) for k, size in zip(keys, sizes, strict=True))


def exceeds(logits: Array, noise: Array) -> Array:
    """A Bernoulli draw: 1 where the logit exceeds the noise."""
    return (logits > noise).astype(logits.dtype)


def chance_on(logits: Array, temperature: float) -> Array:
    """Probability that a Bernoulli draw at a temperature is 1."""
    return jax.nn.sigmoid(logits / temperature) if temperature else exceeds(logits, jnp.zeros_like(logits))


def propose(recognition: Recognition, piece: Piece, key: PRNGKeyArray) -> Hidden:
    """One sample of all hidden layers from q. Only the sampling itself walks through time."""
    time = piece.v.shape[0]
    drive = recognition.drive(piece.v, piece.valid, piece.y)
    noise = logistic_noise(key, time, tuple(layer.D.shape[0] for layer in recognition.layers))
    # Constant side information stays outside the loop, so that what depends on it alone is computed once.
    constant = piece.y.shape[0] == 1
    ys = None if constant else piece.y

    def step(memory, now):
        drive_t, noise_t, y_t = now
        y_t = piece.y[0] if y_t is None else y_t
        hs = recognition.ascend(memory, drive_t, y_t, lambda layer, logits: exceeds(logits, noise_t[layer]))
        return recognition.remember(memory, hs), hs

    return jax.lax.scan(step, recognition.blank(), (drive, noise, ys))[1]


def fill_missing(network: Network, piece: Piece, hs: Hidden, key: PRNGKeyArray) -> Float[Array, "time visible"]:
    """Frames in which each unseen entry is drawn from p(v_t | h_t, v_past).

    Later steps may feel it, so it must be there; drawn from the model's own conditional it cancels from the bound. In a
    Hidden Markov model no later step feels it.
    """
    if piece.seen is None or not network.feels_past_observations:
        return piece.v

    def step(memory, now):
        v_t, seen_t, hs_t, y_t, key_t = now
        past = network.recall(memory, y_t)
        states = network.descend(past, y_t, lambda layer, _: hs_t[layer])
        v_t = network.observation.fill(v_t, network.outputs(past, states[0], y_t), seen_t, key_t)
        return network.remember(memory, v_t, states), v_t

    time = piece.v.shape[0]
    steps = (piece.v, piece.seen, hs, every_step(piece.y, time), jax.random.split(key, time))
    return jax.lax.scan(step, network.blank(), steps)[1]


def probabilities(model: Model, piece: Piece, hs: Hidden) -> Hidden:
    """q(h = 1 | past hidden states, data) of every unit along a sampled path."""
    recognition = specialise(model.recognition, piece.y)
    drive = recognition.drive(piece.v, piece.valid, piece.y)
    return tuple(jax.nn.sigmoid(z) for z in recognition.logits(drive, recognition.settle(drive, hs, piece.y), piece.y))
