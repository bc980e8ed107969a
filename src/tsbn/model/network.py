"""The generative model, in the order of the paper (h^0 = v, l counts the hidden layers upwards):

    h^l_t ~ Bernoulli(sigma(W1 h^l_past + W3 h^(l-1)_past + W5 h^(l+1)_t + B y_t))
    v_t   ~ observation(W2 h^1_t + W4 v_past + C y_t)        one such output per head: mean, log-variance

Each W is a `WeightMap`, so it may depend on y_t; "past" is the last n steps. Both equations split into what the past
contributes and what the present adds. Over a given sequence `past` computes the first part for all steps at once; a
generator that walks through time carries a `Memory` and gets the same part from `recall`. Everything else is shared.
"""

from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from tsbn.model.observations import Heads, Observation
from tsbn.model.weights import Pending, WeightMap, together

Side = Float[Array, "*when side"]
Visible = Float[Array, "*time visible"]
Hidden = tuple[Float[Array, "*time _"], ...]


class Layer(eqx.Module):
    """One hidden layer; `rectified` layers are deterministic: `max(0, .)` of the same input instead of a draw."""

    W1: WeightMap
    W3: WeightMap | None
    W5: WeightMap | None
    B: Float[Array, "hidden side"]
    rectified: bool = eqx.field(static=True, default=False)


class Head(eqx.Module):
    """One output of the network to the observation."""

    W2: WeightMap | None
    W4: WeightMap | None
    C: Float[Array, "visible side"]


class Past(NamedTuple):
    """What earlier steps and the biases contribute to each layer and each head, `[time, size]` or `[size]`."""

    layers: Hidden
    heads: Heads


class Memory(NamedTuple):
    """What earlier steps will contribute to the next `n`: pending features of W1 and W3 per layer, of W4 per head."""

    layers: tuple[tuple[Pending, Pending | None], ...]
    heads: tuple[Pending | None, ...]


def connect(weights: WeightMap | None, x, y):
    """The contribution of an arrow that may be absent."""
    return 0.0 if weights is None else weights(x, y)


def blank(weights: WeightMap | None) -> Pending | None:
    """The empty memory of an arrow that may be absent."""
    return None if weights is None else weights.blank()


def recall(weights: WeightMap | None, pending: Pending | None, y):
    """What the past contributes through an arrow that may be absent."""
    return 0.0 if weights is None or pending is None else weights.recall(pending, y)


def remember(weights: WeightMap | None, pending: Pending | None, x) -> Pending | None:
    """The memory of an arrow that may be absent, one step on."""
    return None if weights is None or pending is None else weights.remember(pending, x)


class Network(eqx.Module):
    """The generative model of one sequence `v [time, visible]` given side information `y [time or 1, side]`."""

    layers: tuple[Layer, ...]
    heads: tuple[Head, ...]
    observation: Observation

    def past(self, v: Visible, hs: Hidden, y: Side) -> Past:
        """What the past contributes, for all steps at once."""
        below, *outputs = together([self.layers[0].W3, *(head.W4 for head in self.heads)], v, y)
        layers: Hidden = ()
        for layer, following, h in zip(self.layers, (*self.layers[1:], None), hs, strict=True):
            own, above = together([layer.W1, following.W3 if following else None], h, y)
            layers, below = (*layers, own + below + y @ layer.B.T), above
        return Past(layers, tuple(out + y @ head.C.T for out, head in zip(outputs, self.heads, strict=True)))

    def logits(self, past: Past, hs: Hidden, y: Side) -> Hidden:
        """Logit of every hidden unit given the past and the layer above."""
        above = (*hs[1:], None)
        return tuple(
            from_past + connect(layer.W5, h, y)
            for layer, from_past, h in zip(self.layers, past.layers, above, strict=True)
        )

    def outputs(self, past: Past, h: Float[Array, "*time hidden"], y: Side) -> Heads:
        """The observation's parameters given the past and the first hidden layer."""
        outputs = (from_past + connect(head.W2, h, y) for head, from_past in zip(self.heads, past.heads, strict=True))
        # An output of the side information alone is written out for every step.
        return tuple(jnp.broadcast_to(output, (*h.shape[:-1], output.shape[-1])) for output in outputs)

    def descend(self, past: Past, y: Side, choose: Callable[[int, Array], Array]) -> Hidden:
        """Visit the layers from the top down; `choose(layer, logits)` gives the state of each stochastic one."""
        hs: Hidden = ()
        for number in reversed(range(len(self.layers))):
            layer = self.layers[number]
            logits = past.layers[number] + (connect(layer.W5, hs[0], y) if hs else 0.0)
            state = jax.nn.relu(logits) if layer.rectified else choose(number, logits)
            hs = (state, *hs)
        return hs

    def blank(self) -> Memory:
        """The memory before the first step: h_0 = v_0 = 0."""
        layers = tuple((layer.W1.blank(), blank(layer.W3)) for layer in self.layers)
        return Memory(layers, tuple(blank(head.W4) for head in self.heads))

    def recall(self, memory: Memory, y: Float[Array, " side"]) -> Past:
        """What the past contributes to the present step."""
        layers = tuple(
            layer.W1.recall(own, y) + recall(layer.W3, below, y) + y @ layer.B.T
            for layer, (own, below) in zip(self.layers, memory.layers, strict=True)
        )
        heads = tuple(
            recall(head.W4, pending, y) + y @ head.C.T for head, pending in zip(self.heads, memory.heads, strict=True)
        )
        return Past(layers, heads)

    def remember(self, memory: Memory, v: Float[Array, " visible"], hs: Hidden) -> Memory:
        """Take the present step into the memory."""
        layers = tuple(
            (layer.W1.remember(own, h), remember(layer.W3, pending, below))
            for layer, (own, pending), h, below in zip(self.layers, memory.layers, hs, (v, *hs[:-1]), strict=True)
        )
        heads = tuple(remember(head.W4, pending, v) for head, pending in zip(self.heads, memory.heads, strict=True))
        return Memory(layers, heads)

    def settle(self, v: Visible, hs: Hidden, y: Side) -> Hidden:
        """Given the stochastic layers of a sequence, compute the rectified ones (they feed on their own past)."""
        if not any(layer.rectified for layer in self.layers):
            return hs

        def step(memory, now):
            v_t, hs_t, y_t = now
            states = self.descend(self.recall(memory, y_t), y_t, lambda layer, _: hs_t[layer])
            return self.remember(memory, v_t, states), states

        return jax.lax.scan(step, self.blank(), (v, hs, every_step(y, v.shape[0])))[1]

    @property
    def feels_past_observations(self) -> bool:
        """False for Hidden Markov models, where past observations act through the hidden units alone."""
        return self.layers[0].W3 is not None or any(head.W4 is not None for head in self.heads)


def every_step(y: Float[Array, "when side"], time: int) -> Float[Array, "time side"]:
    """Side information written out for every step."""
    return jnp.broadcast_to(y, (time, y.shape[-1]))
