"""Ancestral generation: walk through time, top layer first, and draw."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tsbn.choices import AS_THE_MODEL, Choices
from tsbn.inference.piece import Piece
from tsbn.inference.posterior import chance_on, draw, exceeds, logistic_noise
from tsbn.model.build import Model
from tsbn.model.network import Hidden, Memory, Network
from tsbn.model.walking import ready
from tsbn.model.weights import specialise


class Generated(NamedTuple):
    """A drawn sequence and the hidden states behind it."""

    v: Float[Array, "time visible"]
    hs: Hidden


class Recent(NamedTuple):
    """The last `n` steps, all that the future can feel; steps before the start are zero."""

    v: Float[Array, "order visible"]
    hs: Hidden


def generate(
    network: Network,
    y: Float[Array, "when side"],
    key: PRNGKeyArray,
    recent: Recent | None = None,
    *,
    length: int | None = None,
    choices: Choices = AS_THE_MODEL,
) -> Generated:
    """Draw one sequence, from nothing or going on from recent steps.

    It is as long as `y`, or has the given `length` under constant side information (`[1, side]`, the faster path).
    All noise is drawn ahead, so the walk itself only multiplies and compares.
    """
    length = y.shape[0] if length is None else length
    for_hidden, for_frames = jax.random.split(key)
    observation, visible = network.observation, network.heads[0].C.shape[0]
    drawn = logistic_noise(for_hidden, length, tuple(layer.B.shape[0] for layer in network.layers))
    # logits / temperature > noise, written without the division
    noise = tuple(choices.temperature * x for x in drawn)
    chance = observation.noise(for_frames, (length, visible)) if choices.observation == "sample" else None
    network, y = ready(network, y)

    def step(memory, now):
        y_t, noise_t, chance_t = now
        y_t = y[0] if y_t is None else y_t
        past = network.recall(memory, y_t)
        hs = network.descend(past, y_t, lambda layer, logits: exceeds(logits, noise_t[layer]))
        shown = hs[0]
        if choices.observation == "expected" and not network.layers[0].rectified:
            shown = chance_on(network.logits(past, hs, y_t)[0], choices.temperature)
        outputs = network.outputs(past, shown, y_t)
        v = observation.mean(outputs) if chance_t is None else observation.draw(outputs, chance_t)
        return network.remember(memory, v, hs), Generated(v, hs)

    steps = (None if y.shape[0] == 1 else y, noise, chance)
    return jax.lax.scan(step, memory_of(network, recent), steps, length=length)[1]


def memory_of(network: Network, recent: Recent | None) -> Memory:
    """The network's memory after recent steps."""

    def step(memory, now):
        return network.remember(memory, *now), None

    return network.blank() if recent is None else jax.lax.scan(step, network.blank(), tuple(recent))[0]


def recent_after(model: Model, opening: Piece, key: PRNGKeyArray) -> Recent:
    """The last steps of given opening frames (padding does not count), with their hidden states drawn from q."""
    network = specialise(model.network, opening.y)
    path = draw(model, opening, key)
    hs = network.settle(path.v, path.hs, opening.y)
    order = len(network.layers[0].W1.lags)
    places = jnp.sum(opening.valid, dtype=jnp.int32) - order + jnp.arange(order, dtype=jnp.int32)

    def last(x):
        kept = x[jnp.maximum(places, 0)]
        return jnp.where(places[:, None] >= 0, kept, jnp.zeros_like(kept))

    return Recent(last(path.v), tuple(last(h) for h in hs))


def forecast(
    model: Model,
    past: Piece,
    future_y: Float[Array, "when side"],
    key: PRNGKeyArray,
    *,
    horizon: int,
    samples: int,
    choices: Choices = AS_THE_MODEL,
) -> Float[Array, "samples horizon visible"]:
    """Sampled continuations of given frames, each with its own hidden past; a few at a time to bound memory."""

    def one(k):
        for_past, for_future = jax.random.split(k)
        recent = recent_after(model, past, for_past)
        return generate(model.network, future_y, for_future, recent, length=horizon, choices=choices).v

    return jax.lax.map(one, jax.random.split(key, samples), batch_size=100)
