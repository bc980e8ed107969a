"""The bounds lie below the exact log-likelihood, tighten with more samples, and rest on unbiased weights."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import FAMILY, random_model, random_piece
from exact import elbo, log_likelihood
from sampling import assert_mean
from tsbn.inference.bounds import bounds, log_weights
from tsbn.inference.particles import particle_filter
from tsbn.inference.piece import Piece


@partial(jax.jit, static_argnums=(3, 4))
def many_bounds(model, piece, key, particles, runs=4000):
    return jax.vmap(lambda k: bounds(model, piece, k, particles))(jax.random.split(key, runs))


many_weights = jax.jit(log_weights, static_argnums=3)


@partial(jax.jit, static_argnums=3)
def many_filters(model, piece, key, proposal="recognition"):
    """4000 estimates of log p(v) by 8 particles."""

    def one(k):
        return jnp.sum(particle_filter(model, piece, k, 8, proposal).increments)

    return jax.vmap(one)(jax.random.split(key, 4000))


def without(piece: Piece, *entries) -> Piece:
    """The piece with entries `(time, channel)` missing."""
    seen = np.ones(piece.v.shape, bool)
    for entry in entries:
        seen[entry] = False
    return piece._replace(v=jnp.where(seen, piece.v, 0.0), seen=jnp.asarray(seen))


OFTEN = ["fctsbn", "deep ctsbn"]
SELDOM = ["counts fctsbn", "deterministic middle layers", "recognition that sees the future"]


@pytest.mark.parametrize("name", OFTEN + [pytest.param(name, marks=pytest.mark.slow) for name in SELDOM])
def test_bounds_are_valid_tighten_and_rest_on_unbiased_weights(name):
    architecture = FAMILY[name]
    model, piece = random_model(architecture, scale=0.5), random_piece(architecture, time=3)
    truth = log_likelihood(model, piece)
    few, many = (many_bounds(model, piece, jax.random.key(1), particles) for particles in (4, 32))
    # The mean of log w is the oracle's ELBO (16000 and 128000 samples, 4 standard errors).
    for found in (few, many):
        assert_mean(found.elbo, elbo(model, piece))
    # Averages of w, and the product of the particles' average weights, have the likelihood as their mean.
    assert_mean(np.exp(np.asarray(many.multi_sample) - truth), 1.0, precision=0.05)
    for found in (few, many):
        assert_mean(np.exp(np.asarray(found.particle) - truth), 1.0, precision=0.05)
    gap = {
        (kind, count): truth - np.mean(getattr(found, kind))
        for count, found in ((4, few), (32, many))
        for kind in ("elbo", "multi_sample", "particle")
    }
    error = {key: np.std(getattr(few if key[1] == 4 else many, key[0])) / np.sqrt(4000) for key in gap}
    assert all(gap[key] > -4 * error[key] for key in gap), "no bound lies above the truth"
    for kind in ("multi_sample", "particle"):
        assert gap[kind, 4] < gap["elbo", 4]
        shrunk = gap[kind, 4] - gap[kind, 32]
        assert shrunk > 3 * np.hypot(error[kind, 4], error[kind, 32]), "more samples, a tighter bound"


def test_particles_outdo_independent_samples_on_longer_sequences():
    architecture = dataclasses.replace(FAMILY["binary tsbn"], hidden=(3,))
    model, piece = random_model(architecture, scale=1.0), random_piece(architecture, time=30)
    found = many_bounds(model, piece, jax.random.key(0), 16, 200)
    error = np.std(np.asarray(found.particle - found.multi_sample)) / np.sqrt(200)
    assert np.mean(found.elbo) < np.mean(found.multi_sample)
    assert np.mean(found.particle - found.multi_sample) > 4 * error


def test_bootstrap_particles_are_unbiased_too():
    architecture = FAMILY["deep ctsbn"]
    model, piece = random_model(architecture, scale=0.5), random_piece(architecture, time=3)
    found = many_filters(model, piece, jax.random.key(0), "bootstrap")
    assert_mean(np.exp(np.asarray(found) - log_likelihood(model, piece)), 1.0, precision=0.04)


@pytest.mark.parametrize("name", ["fctsbn", "recognition that sees the future"])
def test_padding_and_context_frames_change_no_bound(name):
    """Padding, with anything in it, adds nothing; what is not counted is not scored."""
    architecture = FAMILY[name]
    model, piece, rest = (
        random_model(architecture, scale=0.5),
        random_piece(architecture, 3),
        random_piece(architecture, 2, 7),
    )
    padded = Piece(
        jnp.concatenate([piece.v, 5 + rest.v]),
        jnp.concatenate([piece.y, rest.y]),
        jnp.arange(5) < 3,
        jnp.arange(5) < 3,
    )
    truth = log_likelihood(model, piece)
    found = many_bounds(model, padded, jax.random.key(2), 8)
    assert_mean(found.elbo, elbo(model, piece))
    assert_mean(np.exp(np.asarray(found.particle) - truth), 1.0, precision=0.05)
    context = piece._replace(counted=jnp.array([False, True, True]))
    assert_mean(many_weights(model, context, jax.random.key(3), 4000), elbo(model, context))


def test_missing_entries_of_a_hidden_markov_model_drop_out_exactly():
    """Integrating a real-valued entry out on a fine grid gives the likelihood without it, in the oracle and in ours."""
    architecture = FAMILY["hidden Markov fctsbn"]
    model, piece = random_model(architecture, scale=0.5), random_piece(architecture, time=3)
    grid = np.linspace(-25, 25, 801)
    at_each = [log_likelihood(model, piece._replace(v=piece.v.at[1, 0].set(x))) for x in grid]
    integrated = np.log(np.sum(np.exp(at_each)) * (grid[1] - grid[0]))
    missing = without(piece, (1, 0))
    assert log_likelihood(model, missing) == pytest.approx(integrated, abs=1e-6)
    found = many_weights(model, missing, jax.random.key(0), 60_000)
    assert_mean(np.exp(np.asarray(found) - integrated), 1.0, precision=0.04)
    particles = many_filters(model, missing, jax.random.key(1))
    assert_mean(np.exp(np.asarray(particles) - integrated), 1.0, precision=0.05)


@pytest.mark.parametrize("name", ["binary tsbn", "deep ctsbn"])
def test_missing_binary_entries_that_later_steps_feel_are_integrated_out(name):
    architecture = FAMILY[name]
    model, piece = random_model(architecture, scale=0.5), random_piece(architecture, time=3)
    missing = without(piece, (0, 0), (1, 0), (1, 1), (2, 1))
    truth = log_likelihood(model, missing)
    assert truth > log_likelihood(model, piece), "the chance of part of the data is larger than that of all of it"
    found = many_weights(model, missing, jax.random.key(0), 60_000)
    assert_mean(found, elbo(model, missing), precision=0.04)
    assert_mean(np.exp(np.asarray(found) - truth), 1.0, precision=0.04)
    assert np.mean(found) < truth
    particles = many_filters(model, missing, jax.random.key(1))
    assert_mean(np.exp(np.asarray(particles) - truth), 1.0, precision=0.05)
    assert np.mean(particles) < truth


def test_a_missing_real_entry_that_later_steps_feel_is_integrated_out():
    architecture = FAMILY["fctsbn"]
    model, piece = random_model(architecture, scale=0.5), random_piece(architecture, time=3)
    grid = np.linspace(-25, 25, 801)
    at_each = [log_likelihood(model, piece._replace(v=piece.v.at[1, 0].set(x))) for x in grid]
    truth = np.log(np.sum(np.exp(at_each)) * (grid[1] - grid[0]))
    missing = without(piece, (1, 0))
    found = many_weights(model, missing, jax.random.key(0), 60_000)
    assert_mean(np.exp(np.asarray(found) - truth), 1.0, precision=0.04)
    assert np.mean(found) < truth
    particles = many_filters(model, missing, jax.random.key(1))
    assert_mean(np.exp(np.asarray(particles) - truth), 1.0, precision=0.05)
