"""Derivatives that pass through sampled states: their bias, by enumeration, and what they leave as it is."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import FAMILY, random_model, random_piece
from gradient_checks import (
    DETERMINISTIC,
    assert_unbiased,
    exact_gradient,
    flat,
    sampled_gradients,
    stacked,
    variance_ratio,
)
from tsbn.inference.terms import batch_terms
from tsbn.learning.gradients.straight_through import StraightThrough


def test_straight_through_is_exact_where_the_bound_is_quadratic_in_every_unit():
    """Gaussian frames with a variance that no unit changes, and one step, so that no sample follows another."""
    architecture = FAMILY["tsbn"]
    model, batch = random_model(architecture, scale=1.0), stacked(random_piece(architecture, 1))
    fixed = eqx.tree_at(lambda m: m.network.heads[1].W2, model, replace_fn=lambda w: jax.tree.map(jnp.zeros_like, w))
    theta = len(flat(model.network))
    samples = sampled_gradients(StraightThrough(), fixed, batch)
    assert_unbiased(samples[:, theta:], exact_gradient(fixed, batch)[theta:])


@pytest.mark.parametrize(
    ("name", "context"),
    [("binary tsbn", 0), ("deep ctsbn", 0), ("deep ctsbn", 1), ("deterministic middle layers", 0)],
)
def test_straight_through_has_the_exact_gradient_of_theta_and_nearly_that_of_phi(name, context):
    """Frames of `context` are not counted, but what is drawn there tells of those that are."""
    architecture = FAMILY[name] if name != "deterministic middle layers" else DETERMINISTIC
    model, piece = random_model(architecture, scale=0.6), random_piece(architecture, 3)
    batch = stacked(piece._replace(counted=jnp.arange(3) >= context))
    theta, truth = len(flat(model.network)), exact_gradient(model, batch)
    samples = np.asarray(sampled_gradients(StraightThrough(), model, batch), np.float64)
    assert_unbiased(samples[:, :theta], truth[:theta])
    bias = np.linalg.norm(samples.mean(0)[theta:] - truth[theta:]) / np.linalg.norm(truth[theta:])
    print(f"\n{name}: bias {bias:.3f}, variance / |g|^2 {variance_ratio(samples[:, theta:], truth[theta:]):.2f}")
    assert bias < 0.015, "with draws taken as given at later steps, two layers have 0.06"


def test_straight_through_tells_a_layer_what_it_brings_to_the_one_above():
    """Over one step: without the derivatives through the draws above, the first layer's bias is 0.028 here."""
    architecture = FAMILY["deep ctsbn"]
    model, batch = random_model(architecture, scale=1.0, seed=1), stacked(random_piece(architecture, 1, seed=1))
    start, size = len(flat(model.network)), len(flat(model.recognition.layers[0]))
    first = slice(start, start + size)
    truth = exact_gradient(model, batch)[first]
    found = np.asarray(sampled_gradients(StraightThrough(), model, batch), np.float64).mean(0)[first]
    assert np.linalg.norm(found - truth) < 0.01 * np.linalg.norm(truth)


@pytest.mark.parametrize("name", ["tsbn", "deep fctsbn", "three layers", "deterministic middle layers"])
def test_letting_derivatives_through_changes_no_value(name):
    architecture = FAMILY[name]
    model, batch = random_model(architecture), stacked(random_piece(architecture, 3))
    plain, through = (
        batch_terms(model, batch, jax.random.key(1), slips=0.2, straight_through=which) for which in (False, True)
    )
    for one, other in zip(jax.tree.leaves(plain), jax.tree.leaves(through), strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-5, atol=1e-6)
