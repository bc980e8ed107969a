"""Drawn states with derivatives, so that the bound's slopes reach whatever the states were drawn with.

A state is a step function of its logit. What takes its place is the trapezoid rule (Liu et al. 2023, "Bridging
discrete and backpropagation"): see `through`. `followed` lets every draw of q hear in this way of all that hangs on it:
the layers above and the steps to come.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from tsbn.inference.posterior import Draw
from tsbn.model.network import Hidden, Side, every_step
from tsbn.model.recognition import Recognition

CARRIED = 0.9
"""Share of a derivative that is left each time it has passed through a later draw: docs/gradients.md has what other
shares do."""


def through(h: Float[Array, "*time hidden"], logits: Float[Array, "*time hidden"]) -> Float[Array, "*time hidden"]:
    """Drawn states with derivatives with respect to the logits that they were drawn with.

    A unit that is on stands for the change between off and on as often as its probability p says, one that is off as
    often as 1 - p. With |h - p| / 2 as the derivative of h, the mean over draws is p (1 - p) times the mean of a
    function's slopes at both ends: the trapezoid rule, exact wherever the function is quadratic in the unit.
    """
    hold = jax.lax.stop_gradient
    return h + hold(jnp.abs(h - jax.nn.sigmoid(logits)) / 2) * (logits - hold(logits))


def followed(
    recognition: Recognition, drive: Float[Array, "time hidden"], hs: Hidden, y: Side
) -> tuple[Hidden, Hidden]:
    """The states of a drawn path, with derivatives with respect to all they hang on, and the logits of every layer.

    The divergences of q tell a state what it costs the draws above it and after it to follow it. It must hear of what
    these draws explain as well, or it learns to have no influence. What it brings them fades on the way, so the past is
    kept twice: fading for the draws, and whole for the logits, from which the divergences are computed. (Memories hold
    products with weights: faded when they are read, the weights' own derivatives would fade too.) Rectified layers are
    no draws and do not fade.
    """
    layers = recognition.layers

    def step(memories, now):
        whole, fading = memories
        drive_t, hs_t, y_t = now
        states = recognition.ascend(fading, drive_t, y_t, lambda layer, logits: through(hs_t[layer], logits))
        logits = tuple(
            recognition.logits_now(number, whole, drive_t, below, y_t)
            for number, below in enumerate((None, *states[:-1]))
        )
        kept = tuple(state if layer.rectified else faded(state) for layer, state in zip(layers, states, strict=True))
        return (recognition.remember(whole, states), recognition.remember(fading, kept)), (states, logits)

    blank = recognition.blank()
    return jax.lax.scan(step, (blank, blank), (drive, hs, every_step(y, drive.shape[0])))[1]


def faded(state: Float[Array, " hidden"]) -> Float[Array, " hidden"]:
    """The same state with a share of its derivatives."""
    held = jax.lax.stop_gradient(state)
    return held + CARRIED * (state - held)


def with_derivatives(path: Draw, hs: Hidden) -> Draw:
    """The same path, with states `hs` of the same values that have derivatives."""
    if path.remembered is None:
        return path._replace(hs=hs)
    kept = [was == now for was, now in zip(path.hs, path.remembered, strict=True)]
    remembered = tuple(jnp.where(same, h, 1 - h) for same, h in zip(kept, hs, strict=True))
    return path._replace(hs=hs, remembered=remembered)
