"""Derivatives of drawn states, against a recurrence in plain NumPy that walks the same arrows one by one."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import FAMILY, random_model, random_piece
from tsbn.inference.following import CARRIED, followed
from tsbn.inference.posterior import draw, probabilities

TIME = 6


def biases(recognition):
    return [layer.D for layer in recognition.layers[1:]]


def moved_by_hand(recognition, y, hs, chances, pushes):
    """How far each state moves, `[time, hidden]` per layer, when logits are pushed."""
    moved = [np.zeros(h.shape) for h in hs]

    def brought(weights, source, t, share=1.0):
        """What the moves of a layer, at the lags of an arrow, bring to the logits of a step."""
        matrices = np.asarray(weights.matrices(jnp.asarray(y[t])))
        there = [(lag, matrix) for lag, matrix in zip(weights.lags, matrices, strict=True) if lag <= t]
        return share * sum((matrix @ moved[source][t - lag] for lag, matrix in there), np.zeros(matrices.shape[1]))

    for t in range(TIME):
        for number, layer in enumerate(recognition.layers):
            push = pushes[number][t] + brought(layer.U1, number, t, 1.0 if layer.rectified else CARRIED)
            if number:
                fades = not recognition.layers[number - 1].rectified
                push = push + brought(layer.U2, number - 1, t)
                push = push + brought(layer.U3, number - 1, t, CARRIED if fades else 1.0)
            state = np.asarray(hs[number][t])
            drawn = np.abs(state - np.asarray(chances[number][t])) / 2
            moved[number][t] = np.where(state > 0, push, 0) if layer.rectified else drawn * push
    return moved


@pytest.mark.parametrize("name", ["tsbn of order 3", "deep fctsbn", "three layers", "deterministic middle layers"])
def test_a_state_moves_with_its_logit_and_with_all_draws_that_this_hangs_on(name):
    """The first layer's logits are pushed at every step, those of upper layers through their biases."""
    model, piece = random_model(FAMILY[name]), random_piece(FAMILY[name], TIME)
    recognition, y = model.recognition, piece.y
    hs = draw(model, piece, jax.random.key(1)).hs
    start = [recognition.drive(piece.v, piece.valid, y), *biases(recognition)]
    generator = np.random.default_rng(0)
    push, *pushes = [jnp.asarray(generator.standard_normal(x.shape), x.dtype) for x in start]

    def states(drive, *of_layers):
        return followed(eqx.tree_at(biases, recognition, list(of_layers)), drive, hs, y)

    values, found = jax.jvp(states, tuple(start), (push, *pushes))
    expected = moved_by_hand(
        recognition, y, hs, probabilities(model, piece, hs), [push, *(y @ change.T for change in pushes)]
    )
    for value, h, move, by_hand in zip(values, hs, found, expected, strict=True):
        np.testing.assert_allclose(value, h, rtol=1e-5)
        np.testing.assert_allclose(move, by_hand, rtol=2e-4, atol=1e-5)
