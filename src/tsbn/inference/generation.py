"""Ancestral generation: walk through time, top layer first, and draw."""

from typing import NamedTuple

import jax
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.inference.piece import Piece
from tsbn.inference.posterior import draw, exceeds, logistic_noise
from tsbn.model.build import Model
from tsbn.model.network import Hidden, Memory, Network
from tsbn.model.weights import specialise


class Generated(NamedTuple):
    """A drawn sequence and the hidden states behind it."""

    v: Float[Array, "time visible"]
    hs: Hidden


def generate(
    network: Network, y: Float[Array, "time side"], key: PRNGKeyArray, memory: Memory | None = None
) -> Generated:
    """Draw one sequence as long as `y`, from nothing or going on from a memory."""
    time = y.shape[0]
    for_hidden, for_frames = jax.random.split(key)
    noise = logistic_noise(for_hidden, time, tuple(layer.B.shape[0] for layer in network.layers))

    def step(memory, now):
        y_t, noise_t, key_t = now
        past = network.recall(memory, y_t)
        hs = network.descend(past, y_t, lambda layer, logits: exceeds(logits, noise_t[layer]))
        v = network.observation.sample(network.outputs(past, hs[0], y_t), key_t)
        return network.remember(memory, v, hs), Generated(v, hs)

    start = network.blank() if memory is None else memory
    return jax.lax.scan(step, start, (y, noise, jax.random.split(for_frames, time)))[1]


def memory_after(model: Model, opening: Piece, key: PRNGKeyArray) -> Memory:
    """The memory after given opening frames, with their hidden states drawn from q."""
    network = specialise(model.network, opening.y)
    path = draw(model, opening, key)
    hs = network.settle(path.v, path.hs, opening.y)
    order = len(network.layers[0].W1.lags)
    recent = jax.tree.map(lambda x: x[-order:], (path.v, hs))

    # The memory of the original network, not the specialised one: side information may change from here on.
    def step(memory, now):
        return model.network.remember(memory, *now), None

    return jax.lax.scan(step, model.network.blank(), recent)[0]
