"""What is corrected is the prior of a trained model, and predictions with it are the model's own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import headroom
import tsbn
from cases import random_model
from tsbn.data import Sequences


@pytest.fixture(scope="module")
def model():
    arrays = [np.sin(np.arange(60) / pace + n)[:, None] * [1, 2] for n in range(3) for pace in (2, 6)]
    waves = Sequences(arrays, side=["fast", "slow"] * 3)
    with jax.numpy_dtype_promotion("standard"):
        fitted = tsbn.FCTSBN(hidden=(6,), factors=4, order=2, steps=1).fit(waves, validation=0)
    fitted.model_ = random_model(fitted.architecture_, scale=0.5)
    return fitted, waves


def test_without_a_correction_predictions_are_the_models_own(model, monkeypatch):
    monkeypatch.setattr(headroom, "SAMPLES", 200)
    fitted, waves = model
    found = headroom.histories(fitted, waves, 3, 0)
    predicted = fitted.predict(waves, samples=200).mean
    errors = [np.square(array[3:] - mean[3:]).sum(axis=1) for array, mean in zip(waves, predicted, strict=True)]
    expected = np.concatenate(errors).mean()
    assert float(headroom.error(found, found.logits)) == pytest.approx(expected, rel=0.02)
    assert abs(float(headroom.error(found, found.logits + 1)) / expected - 1) > 0.05  # the units have a say


def test_each_unit_is_coupled_to_those_before_it_only(model):
    fitted, waves = model
    found = headroom.histories(fitted, waves[:2], 3, 0)
    weights = headroom.Coupling(jax.random.normal(jax.random.key(0), (6, 6)), jnp.zeros((6, 2)))
    turned = found._replace(h=found.h.at[:, 3].set(1 - found.h[:, 3]))
    changed = np.abs(np.asarray(weights(turned) - weights(found))).max(axis=0) > 0
    assert changed.tolist() == [False, False, False, False, True, True]


def test_past_states_stand_with_the_latest_first(model):
    fitted, waves = model
    found = headroom.histories(fitted, waves[:1], 10, 0)
    steps = found.h[: 60 - 10]  # of the first sample
    np.testing.assert_array_equal(found.before[1:50, :6], steps[:-1])
    np.testing.assert_array_equal(found.before[2:50, 6:12], steps[:-2])
