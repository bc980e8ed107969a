"""The generative network one frame at a time, in NumPy: for single frames the fastest way there is.

The equations are those of `tsbn.model.network`. A single frame is a handful of small products, and handing each to a
compiled program costs more than the product. Recent states are kept, newest first; every source (the frame, each hidden
layer) goes through all maps it feeds, all lags at once, in one product. What depends on the side information is
computed anew only when that changes: gains, biases, and mixtures of tensors.
"""

from collections.abc import Callable

import jax
import numpy as np
from jaxtyping import Float

from tsbn.inference.generation import Recent
from tsbn.model.network import Network
from tsbn.model.weights import Factored, Tensor, WeightMap

ROOM = 256
Vector = Float[np.ndarray, " _"]


class Arrow:
    """One weight map: its rows in its source's product, and what makes their result the output."""

    def __init__(self, weights: WeightMap):
        self.by_style = self.outward = self.to_gains = None
        if isinstance(weights, Tensor):
            blocks = np.moveaxis(np.asarray(weights.W), 0, 2)  # [side, target, lags, source]
            self.by_style = blocks.reshape(len(blocks), -1)
            self.rows = np.zeros((blocks.shape[1], blocks[0, 0].size), np.float32)
        else:
            blocks = np.moveaxis(np.asarray(weights.projection), 0, 1)  # [features, lags, source]
            self.rows = blocks.reshape(len(blocks), -1)
        if isinstance(weights, Factored):
            self.outward, self.to_gains = np.asarray(weights.Wa), np.asarray(weights.Wb)

    def settle(self, y: Vector) -> None:
        """Take new side information in."""
        if self.to_gains is not None:
            self.gains = self.to_gains @ y
        if self.by_style is not None:
            np.matmul(y, self.by_style, out=self.rows.reshape(-1))

    def out(self, features: Vector) -> Vector:
        return features if self.outward is None else self.outward @ (features * self.gains)


class Fan:
    """All maps that one source feeds with its past (or its present): one product for all of them."""

    def __init__(self, maps: list[WeightMap | None]):
        self.arrows = [None if weights is None else Arrow(weights) for weights in maps]
        there = [arrow for arrow in self.arrows if arrow is not None]
        self.matrix = np.concatenate([arrow.rows for arrow in there]) if there else None
        self.cuts = [slice(0)] * len(maps)
        start = 0
        for place, arrow in enumerate(self.arrows):
            if arrow is not None and self.matrix is not None:
                self.cuts[place] = slice(start, start + len(arrow.rows))
                arrow.rows = self.matrix[self.cuts[place]]  # tensors write their mixture straight into the product
                start += len(arrow.rows)

    def settle(self, y: Vector) -> None:
        for arrow in self.arrows:
            if arrow is not None:
                arrow.settle(y)

    def __call__(self, x: Vector) -> list[Vector | float]:
        """What each map makes of `x`; 0 for an absent one."""
        features = None if self.matrix is None else self.matrix @ x
        return [
            0.0 if arrow is None or features is None else arrow.out(features[cut])
            for arrow, cut in zip(self.arrows, self.cuts, strict=True)
        ]


class Trail:
    """The last states of one source, newest first, as one vector that is never copied but once in a while."""

    def __init__(self, states: Float[np.ndarray, "order units"]):
        self.order = len(states)
        self.steps = np.zeros((ROOM + self.order, states.shape[1]), np.float32)
        self.place = ROOM
        self.steps[ROOM:] = states[::-1]

    def vector(self) -> Vector:
        return self.steps[self.place : self.place + self.order].reshape(-1)

    def add(self, state: Vector) -> None:
        if self.place == 0:
            self.steps[ROOM:] = self.steps[: self.order]
            self.place = ROOM
        self.place -= 1
        self.steps[self.place] = state


class Stepper:
    """A network that walks on from `recent` steps (from nothing without them)."""

    def __init__(self, network: Network, recent: Recent | None = None):
        network = jax.tree.map(lambda leaf: np.asarray(leaf, np.float32), network)
        layers, heads = network.layers, network.heads
        self.rectified = [layer.rectified for layer in layers]
        self.biases = [np.asarray(bias) for bias in (*(layer.B for layer in layers), *(head.C for head in heads))]
        # Past: the frame feeds W3 of the first layer and W4 of the heads, layer l its own W1 and W3 of the layer above.
        above = [*layers[1:], None]
        self.from_frame = Fan([layers[0].W3, *(head.W4 for head in heads)])
        self.from_layers = [
            Fan([layer.W1, upper.W3 if upper else None]) for layer, upper in zip(layers, above, strict=True)
        ]
        # Present: layer l + 1 feeds W5 of layer l, and the first layer W2 of the heads.
        self.downward = [Fan([layer.W5]) for layer in layers]
        self.to_heads = Fan([head.W2 for head in heads])
        order = len(layers[0].W1.lags)
        self.frames = Trail(np.zeros((order, len(heads[0].C))) if recent is None else np.asarray(recent.v))
        self.states = [
            Trail(np.zeros((order, len(layer.B))) if recent is None else np.asarray(recent.hs[number]))
            for number, layer in enumerate(layers)
        ]
        self.y: Vector | None = None

    def settle(self, y: Vector) -> None:
        """Take new side information `[side]` in."""
        self.y = y.copy()  # the caller may go on to change its own
        for fan in (self.from_frame, *self.from_layers, *self.downward, self.to_heads):
            fan.settle(y)
        self.drives = [bias @ y for bias in self.biases]

    def step(
        self,
        y: Vector,
        choose: Callable[[int, Vector], Vector],
        emit: Callable[[list[Vector]], Vector],
        show: Callable[[Vector], Vector] | None = None,
    ) -> Vector:
        """One frame: `choose(layer, logits)` gives the state of each stochastic layer, `emit(outputs)` the frame.

        With `show`, outputs see `show(logits)` of the first layer in place of its state.
        """
        if self.y is None or not np.array_equal(y, self.y):
            self.settle(y)
        to_first, *to_outputs = self.from_frame(self.frames.vector())
        from_layers = [fan(trail.vector()) for fan, trail in zip(self.from_layers, self.states, strict=True)]
        depth = len(self.states)
        states: list[Vector] = [np.empty(0)] * depth
        logits = np.empty(0)
        for number in reversed(range(depth)):
            own, below = from_layers[number][0], from_layers[number - 1][1] if number else to_first
            logits = self.drives[number] + own + below
            if number + 1 < depth:
                logits = logits + self.downward[number](states[number + 1])[0]
            states[number] = np.maximum(logits, 0) if self.rectified[number] else choose(number, logits)
        now = self.to_heads(states[0] if show is None or self.rectified[0] else show(logits))
        outputs = [drive + past + new for drive, past, new in zip(self.drives[depth:], to_outputs, now, strict=True)]
        frame = emit(outputs)
        self.frames.add(frame)
        for trail, state in zip(self.states, states, strict=True):
            trail.add(state)
        return frame
