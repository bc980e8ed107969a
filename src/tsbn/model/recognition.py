"""The recognition model: a bottom-up pass through time that proposes hidden states for a given sequence.

    q(h^l_t = 1 | ...) = sigma(U1 h^l_past + U2 h^(l-1)_t + U3 h^(l-1)_past + D y_t)

For the first layer, whatever comes from the data alone (U2 v_t + U3 v_past + D y_t) is computed for all steps before
the pass begins: its `drive`. With a `future`, the drive also holds U4 r_t, where r_t sums up what comes later.
"""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from tsbn.model.network import Hidden, Side, every_step, recall, remember
from tsbn.model.weights import Pending, WeightMap

Memory = tuple[tuple[Pending, Pending | None], ...]


class RecognitionLayer(eqx.Module):
    """Proposes one hidden layer; `rectified` layers are deterministic."""

    U1: WeightMap
    U2: WeightMap
    U3: WeightMap
    D: Float[Array, "hidden side"]
    rectified: bool = eqx.field(static=True, default=False)


class Future(eqx.Module):
    """A recurrent pass from the end of the sequence to its start."""

    cell: eqx.nn.GRUCell
    U4: WeightMap

    def __call__(
        self, v: Float[Array, "time visible"], valid: Bool[Array, " time"], y: Float[Array, "when side"]
    ) -> Float[Array, "time hidden"]:
        """What the present and later frames contribute to each step; padding (not `valid`) counts as not there."""

        def step(state, now):
            v_t, valid_t = now
            state = jnp.where(valid_t, self.cell(v_t, state), jnp.zeros_like(state))
            return state, state

        blank = jnp.zeros(self.cell.hidden_size, v.dtype)
        return self.U4(jax.lax.scan(step, blank, (v, valid), reverse=True)[1], y)


class Recognition(eqx.Module):
    """The recognition model of one sequence. Unseen entries of `v` are given as zero."""

    layers: tuple[RecognitionLayer, ...]
    future: Future | None

    def drive(
        self, v: Float[Array, "time visible"], valid: Bool[Array, " time"], y: Float[Array, "when side"]
    ) -> Float[Array, "time hidden"]:
        """The first layer's input from the data alone, for all steps."""
        first = self.layers[0]
        from_data = first.U2(v, y) + first.U3(v, y) + y @ first.D.T
        return from_data if self.future is None else from_data + self.future(v, valid, y)

    def logits(self, drive: Float[Array, "time hidden"], hs: Hidden, y: Side) -> Hidden:
        """Logit of every hidden unit, for all steps at once, given a proposed `hs`."""
        first = drive + self.layers[0].U1(hs[0], y)
        upper = tuple(
            layer.U1(h, y) + layer.U2(below, y) + layer.U3(below, y) + y @ layer.D.T
            for layer, h, below in zip(self.layers[1:], hs[1:], hs[:-1], strict=True)
        )
        return (first, *upper)

    def ascend(
        self,
        memory: Memory,
        drive: Float[Array, " hidden"],
        y: Float[Array, " side"],
        choose: Callable[[int, Array], Array],
    ) -> Hidden:
        """Visit the layers of one step bottom-up; `choose(layer, logits)` gives the state of each stochastic one."""
        hs: Hidden = ()
        for number, layer in enumerate(self.layers):
            logits = self.logits_now(number, memory, drive, hs[-1] if hs else None, y)
            hs = (*hs, jax.nn.relu(logits) if layer.rectified else choose(number, logits))
        return hs

    def logits_now(
        self,
        number: int,
        memory: Memory,
        drive: Float[Array, " first"],
        below: Float[Array, " below"] | None,
        y: Float[Array, " side"],
    ) -> Float[Array, " hidden"]:
        """Logits of one layer at one step, given the state of the layer `below`, if there is one."""
        layer, (own, under) = self.layers[number], memory[number]
        from_below = drive if below is None else layer.U2(below, y) + recall(layer.U3, under, y) + y @ layer.D.T
        return layer.U1.recall(own, y) + from_below

    def blank(self) -> Memory:
        """The memory before the first step."""
        return tuple(
            (layer.U1.blank(), layer.U3.blank() if number else None) for number, layer in enumerate(self.layers)
        )

    def remember(self, memory: Memory, hs: Hidden) -> Memory:
        """Take the present step into the memory."""
        below = (None, *hs[:-1])
        return tuple(
            (layer.U1.remember(own, h), remember(layer.U3, pending, under))
            for layer, (own, pending), h, under in zip(self.layers, memory, hs, below, strict=True)
        )

    def settle(self, drive: Float[Array, "time hidden"], hs: Hidden, y: Side) -> Hidden:
        """Given the stochastic layers of a sequence, compute the rectified ones."""
        if not any(layer.rectified for layer in self.layers):
            return hs

        def step(memory, now):
            drive_t, hs_t, y_t = now
            states = self.ascend(memory, drive_t, y_t, lambda layer, _: hs_t[layer])
            return self.remember(memory, states), states

        return jax.lax.scan(step, self.blank(), (drive, hs, every_step(y, drive.shape[0])))[1]
