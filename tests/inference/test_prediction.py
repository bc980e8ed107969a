"""One-step-ahead predictions have the mean and spread that enumeration gives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import FAMILY, random_model, random_piece
from exact import prediction
from tsbn.inference.prediction import predict

SAMPLES = 20_000
foresee = jax.jit(predict, static_argnums=3)


def assert_predicts(model, piece, bootstrap=False, errors=5.0):
    """Mean and spread within `errors` standard errors; the error of a spread is at most about that of a mean here."""
    found = foresee(model, piece, jax.random.key(0), SAMPLES)
    mean, spread = prediction(model, piece, bootstrap)
    allowed = errors * spread / np.sqrt(SAMPLES)
    assert np.all(np.abs(found.mean - mean) < allowed), np.max(np.abs(found.mean - mean) / allowed * errors)
    assert np.all(np.abs(found.std - spread) < allowed), np.max(np.abs(found.std - spread) / allowed * errors)
    return mean


@pytest.mark.parametrize("name", ["fctsbn", "counts fctsbn", "deep ctsbn", "deterministic middle layers"])
def test_the_history_comes_from_q_and_the_present_from_the_prior(name):
    architecture = FAMILY[name]
    model, piece = random_model(architecture, scale=0.5), random_piece(architecture, time=3)
    assert_predicts(model, piece)


def test_a_recognition_model_that_sees_the_future_is_not_asked():
    """Bootstrap particles know the frames before, exactly weighted (their errors are those of resampled histories)."""
    architecture = FAMILY["recognition that sees the future"]
    model, piece = random_model(architecture), random_piece(architecture, time=3)
    mean = assert_predicts(model, piece, bootstrap=True, errors=8.0)
    other = piece._replace(v=piece.v.at[2].set(5.0))
    again = foresee(model, other, jax.random.key(0), SAMPLES)
    np.testing.assert_allclose(again.mean, foresee(model, piece, jax.random.key(0), SAMPLES).mean, atol=1e-6)
    assert mean.shape == (3, 2)


def test_missing_entries_of_the_history_are_averaged_over():
    architecture = FAMILY["binary tsbn"]
    model, piece = random_model(architecture), random_piece(architecture, time=3)
    seen = jnp.ones(piece.v.shape, bool).at[0, 1].set(False).at[1, 2].set(False)
    missing = piece._replace(v=jnp.where(seen, piece.v, 0.0), seen=seen)
    mean = assert_predicts(model, missing)
    assert np.max(np.abs(mean - prediction(model, piece)[0])) > 0.02, "in this model the missing entries matter"
