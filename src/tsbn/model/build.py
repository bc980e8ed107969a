"""Draw the initial numbers of a model of a given architecture."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from tsbn.model.architecture import Architecture
from tsbn.model.network import Head, Layer, Network
from tsbn.model.observations import new_observation
from tsbn.model.recognition import Future, Recognition, RecognitionLayer
from tsbn.model.weights import PRESENT, InitialScales, WeightMap, new_map, past


class Model(eqx.Module):
    """A generative network and the recognition model that proposes its hidden states: theta and phi."""

    network: Network
    recognition: Recognition


def build(architecture: Architecture, *, key: PRNGKeyArray, scales: InitialScales | None = None) -> Model:
    """A model with freshly drawn weights and zero biases.

    All weights are cut from one long draw: one small program to compile instead of one per shape.

    >>> import jax
    >>> model = build(Architecture(visible=3, side=2, hidden=(4,), factors=5), key=jax.random.key(0))
    >>> model.network.layers[0].W1.Wa.shape
    (4, 5)
    """
    for_weights, for_future = jax.random.split(key)
    needed = 0

    def tally(*shape):
        nonlocal needed
        needed += math.prod(shape)
        return jnp.zeros(shape)

    eqx.filter_eval_shape(_assembled, architecture, scales or InitialScales(), tally, for_future)
    stock, used = jax.random.normal(for_weights, (needed,)), 0

    def normal(*shape):
        nonlocal used
        used += math.prod(shape)
        return stock[used - math.prod(shape) : used].reshape(shape)

    return _assembled(architecture, scales or InitialScales(), normal, for_future)


def _assembled(architecture: Architecture, scales: InitialScales, normal, future_key: PRNGKeyArray) -> Model:
    sizes = (architecture.visible, *architecture.hidden)
    before = past(architecture.order)
    # With a constant column the gains start at its 1; a style's column starts at 1 as well, since styles add up to 1.
    gain_means = jnp.ones(architecture.side)
    if architecture.constant:
        gain_means = jnp.zeros(architecture.side).at[-1].set(1.0)

    def weights(letter, source, target, lags) -> WeightMap:
        kind, factors = architecture.kind(letter), architecture.factors
        return new_map(kind, source, target, lags, gain_means, factors=factors, scales=scales, normal=normal)

    def to_frame(letter, source, lags) -> WeightMap | None:
        return None if architecture.kind(letter) == "none" else weights(letter, source, architecture.visible, lags)

    def bias(size):
        return jnp.zeros((size, architecture.side))

    layers, proposals = [], []
    for number, size in enumerate(architecture.hidden):
        below = sizes[number]
        is_first, is_top = number == 0, number == len(architecture.hidden) - 1
        rectified = architecture.rectified(number)
        layers.append(
            Layer(
                W1=weights("W1", size, size, before),
                W3=None if is_first and architecture.hidden_markov else weights("W3", below, size, before),
                W5=None if is_top else weights("W5", architecture.hidden[number + 1], size, PRESENT),
                B=bias(size),
                rectified=rectified,
            )
        )
        proposals.append(
            RecognitionLayer(
                U1=weights("U1", size, size, before),
                U2=weights("U2", below, size, PRESENT),
                U3=weights("U3", below, size, before),
                D=bias(size),
                rectified=rectified,
            )
        )
    observation = new_observation(architecture.observation, architecture.total)
    heads = tuple(
        Head(
            W2=to_frame("W2" + prime, architecture.hidden[0], PRESENT),
            W4=None if architecture.hidden_markov else to_frame("W4" + prime, architecture.visible, before),
            C=bias(architecture.visible),
        )
        for prime in ("", "'")[: observation.heads]
    )
    future = None
    if architecture.future:
        cell = eqx.nn.GRUCell(architecture.visible, architecture.future, key=future_key)
        future = Future(cell, weights("U4", architecture.future, architecture.hidden[0], PRESENT))
    return Model(Network(tuple(layers), heads, observation), Recognition(tuple(proposals), future))
