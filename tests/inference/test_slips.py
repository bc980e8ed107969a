"""A generative model that sees some of the past hidden units flipped while it learns."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import FAMILY, random_model, random_piece
from sampling import assert_mean
from tsbn.inference.posterior import Draw, draw, slipped
from tsbn.inference.terms import sampled_terms, terms

NAMES = ["fctsbn", "deep ctsbn", "deterministic middle layers"]


def test_every_unit_slips_as_often_as_asked():
    hs = (jnp.zeros((20_000, 3)), jnp.ones((20_000, 2)))
    low, high = slipped(hs, jax.random.key(0), 0.1)
    assert_mean(low, np.full(3, 0.1))
    assert_mean(high, np.full(2, 0.9))


@pytest.mark.parametrize("name", NAMES)
def test_a_memory_as_drawn_changes_nothing(name):
    model, piece = random_model(FAMILY[name]), random_piece(FAMILY[name], 5)
    path = draw(model, piece, jax.random.key(0))
    told = terms(model, piece, Draw(path.hs, path.v, remembered=path.hs))
    assert jax.tree.all(jax.tree.map(jnp.array_equal, terms(model, piece, path), told))


def test_slips_reach_the_prior_of_later_steps_and_nothing_else():
    model, piece = random_model(FAMILY["fctsbn"]), random_piece(FAMILY["fctsbn"], 5)
    path = draw(model, piece, jax.random.key(0))
    (h,) = path.hs
    remembered = (h.at[2, 0].set(1 - h[2, 0]),)
    plain, changed = terms(model, piece, path), terms(model, piece, path._replace(remembered=remembered))
    assert jnp.array_equal(plain.likelihood, changed.likelihood)
    assert jnp.array_equal(plain.posterior[0], changed.posterior[0])
    assert jnp.array_equal(plain.prior[0][:3], changed.prior[0][:3])
    assert plain.prior[0][3] != changed.prior[0][3]


@pytest.mark.parametrize("name", NAMES)
def test_training_terms_with_slips_are_finite_and_differ_from_those_without(name):
    model, piece = random_model(FAMILY[name]), random_piece(FAMILY[name], 8)
    found = eqx.filter_jit(sampled_terms)(model, piece, jax.random.key(0), 0.3)
    assert np.isfinite(found.bound).all()
    hs = iter(found.hs)  # only the stochastic layers
    states = tuple(jnp.zeros((8, layer.B.shape[0])) if layer.rectified else next(hs) for layer in model.network.layers)
    exact = terms(model, piece, Draw(states, piece.v))
    assert not np.allclose(found.bound, exact.bound)
