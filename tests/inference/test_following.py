"""Derivatives of drawn states, against a recurrence in plain NumPy that walks the same arrows one by one."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import FAMILY, random_model, random_piece
from tsbn.inference.following import CARRIED, followed, through, with_derivatives
from tsbn.inference.posterior import Draw, draw, probabilities

TIME = 6


def biases(recognition):
    return [layer.D for layer in recognition.layers[1:]]


def moved_by_hand(recognition, y, hs, chances, pushes):
    """How far each state and each logit moves, `[time, hidden]` per layer, when logits are pushed."""
    moved, logits = [np.zeros(h.shape) for h in hs], [np.zeros(h.shape) for h in hs]

    def brought(weights, source, t, share=1.0):
        """What the moves of a layer, at the lags of an arrow, bring to the logits of a step."""
        matrices = np.asarray(weights.matrices(jnp.asarray(y[t])))
        there = [(lag, matrix) for lag, matrix in zip(weights.lags, matrices, strict=True) if lag <= t]
        return share * sum((matrix @ moved[source][t - lag] for lag, matrix in there), np.zeros(matrices.shape[1]))

    for t in range(TIME):
        for number, layer in enumerate(recognition.layers):
            push, faded = pushes[number][t], pushes[number][t]
            if number:
                push, faded = (whole + brought(layer.U2, number - 1, t) for whole in (push, faded))
            for weights, source in ((layer.U1, number), (layer.U3, number - 1)):
                if source >= 0:
                    push = push + brought(weights, source, t)
                    share = 1.0 if recognition.layers[source].rectified else CARRIED
                    faded = faded + brought(weights, source, t, share)
            state, drawn = np.asarray(hs[number][t]), np.abs(hs[number][t] - np.asarray(chances[number][t])) / 2
            moved[number][t] = np.where(state > 0, faded, 0) if layer.rectified else drawn * faded
            logits[number][t] = push
    return moved, logits


@pytest.mark.parametrize("name", ["tsbn of order 3", "deep fctsbn", "three layers", "deterministic middle layers"])
def test_a_state_moves_with_its_logit_and_with_all_draws_that_this_hangs_on(name):
    """The first layer's logits are pushed at every step, those of upper layers through their biases.

    A push fades each time it comes by an arrow from the past, of any lag; the logits feel the past in full.
    """
    model, piece = random_model(FAMILY[name]), random_piece(FAMILY[name], TIME)
    recognition, y = model.recognition, piece.y
    hs = draw(model, piece, jax.random.key(1)).hs
    start = [recognition.drive(piece.v, piece.valid, y), *biases(recognition)]
    generator = np.random.default_rng(0)
    push, *pushes = [jnp.asarray(generator.standard_normal(x.shape), x.dtype) for x in start]

    def following(drive, *of_layers):
        return followed(eqx.tree_at(biases, recognition, list(of_layers)), drive, hs, y)

    values, found = jax.jvp(following, tuple(start), (push, *pushes))
    expected = moved_by_hand(
        recognition, y, hs, probabilities(model, piece, hs), [push, *(y @ change.T for change in pushes)]
    )
    known = hs, recognition.logits(start[0], hs, y)
    for value, right, move, by_hand in zip(*map(jax.tree.leaves, (values, known, found, expected)), strict=True):
        np.testing.assert_allclose(value, right, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(move, by_hand, rtol=2e-4, atol=1e-5)


def test_a_unit_remembered_flipped_moves_the_other_way():
    h, logits = jnp.array([[1.0, 1.0], [0.0, 0.0]]), jnp.full((2, 2), 0.3)
    path = Draw((h,), jnp.zeros((2, 1)), remembered=(jnp.array([[1.0, 0.0], [1.0, 0.0]]),))

    def remembered(z):
        return with_derivatives(path, (through(h, z),)).remembered

    (values,), (moves,) = jax.jvp(remembered, (logits,), (jnp.ones((2, 2)),))
    chance = jax.nn.sigmoid(0.3)
    np.testing.assert_array_equal(values, path.remembered[0])
    np.testing.assert_allclose(moves, [[(1 - chance) / 2, -(1 - chance) / 2], [-chance / 2, chance / 2]], rtol=1e-6)
