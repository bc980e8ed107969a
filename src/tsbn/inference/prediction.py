"""One-step-ahead prediction: the history's hidden states from q, the present ones from the prior."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.inference.particles import particle_filter
from tsbn.inference.piece import Piece
from tsbn.inference.posterior import draw, exceeds, logistic_noise
from tsbn.model.build import Model
from tsbn.model.observations import Heads
from tsbn.model.weights import specialise


class Prediction(NamedTuple):
    """Mean and standard deviation of each frame given the frames before it, `[time, visible]`."""

    mean: Float[Array, "*batch time visible"]
    std: Float[Array, "*batch time visible"]


def predict(model: Model, piece: Piece, key: PRNGKeyArray, samples: int) -> Prediction:
    """Predict every frame from the ones before it, averaging over `samples` sampled histories.

    A recognition model that sees the future would give the answer away, so with one the history comes from a particle
    filter that proposes from the prior.
    """
    observation = model.network.observation
    if model.recognition.future is None:
        outputs = jax.vmap(lambda k: next_outputs(model, piece, k))(jax.random.split(key, samples))
        weights = jnp.full((samples, piece.v.shape[0], 1), 1 / samples)
    else:
        passes = particle_filter(model, piece, key, samples, proposal="bootstrap")
        outputs = jax.tree.map(lambda x: jnp.moveaxis(x, 1, 0), passes.outputs)
        weights = jnp.exp(passes.carried).T[:, :, None]
    means = observation.mean(outputs)
    mean = jnp.sum(weights * means, axis=0)
    spread = jnp.square(means - mean[None]) + observation.variance(outputs)
    return Prediction(mean, jnp.sqrt(jnp.sum(weights * spread, axis=0)))


def next_outputs(model: Model, piece: Piece, key: PRNGKeyArray) -> Heads:
    """The observation's parameters at every step, along one sampled history: `[time, visible]` per head."""
    for_history, for_present = jax.random.split(key)
    path = draw(model, piece, for_history)
    network, y = specialise(model.network, piece.y), piece.y
    past = network.past(path.v, network.settle(path.v, path.hs, y), y)
    noise = logistic_noise(for_present, piece.v.shape[0], tuple(layer.B.shape[0] for layer in network.layers))
    hs = network.descend(past, y, lambda layer, logits: exceeds(logits, noise[layer]))
    return network.outputs(past, hs[0], y)
