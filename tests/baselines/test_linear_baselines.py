"""Persistence and linear autoregression do what their names say."""

import os

import numpy as np
import pytest

from tsbn.baselines import Autoregression, Persistence
from tsbn.data import Scaler
from tsbn.datasets import load


def simulated(matrix, frames, rng):
    v = [rng.normal(size=len(matrix))]
    for _ in range(frames - 1):
        v.append(matrix @ v[-1] + 0.1 * rng.normal(size=len(matrix)))
    return np.array(v)


def test_autoregression_finds_the_matrix_that_made_the_data():
    rng = np.random.default_rng(0)
    matrix = np.array([[0.9, -0.2], [0.2, 0.9]])
    model = Autoregression(order=1, ridge=1e-6).fit([simulated(matrix, 2000, rng) for _ in range(3)])
    np.testing.assert_allclose(model.weights_[:2].T, matrix, atol=0.02)
    np.testing.assert_allclose(model.std_, 0.1, rtol=0.05)


def test_a_bias_per_style_separates_styles_that_differ_in_level_only():
    rng = np.random.default_rng(1)
    levels = {"low": -3.0, "high": 3.0}
    data = [levels[style] + 0.1 * rng.normal(size=(200, 1)) for style in levels]
    model = Autoregression(order=1, bias="style", ridge=1.0).fit(data, list(levels))
    for style, array in zip(levels, data, strict=True):
        (mean,), _ = model.predict([array], [style])
        assert abs(mean[1:].mean() - levels[style]) < 0.1


def test_the_ridge_is_chosen_on_what_is_held_out():
    rng = np.random.default_rng(2)
    noise = [rng.normal(size=(30, 8)) for _ in range(3)]
    assert Autoregression(order=3).fit(noise).ridge_ >= 10.0


def test_missing_values_are_passed_over():
    rng = np.random.default_rng(3)
    v = simulated(np.array([[0.95]]), 500, rng)
    v[100:110] = np.nan
    assert np.isfinite(Autoregression().fit([v]).predict([v]).mean[0]).all()
    held = Persistence().fit([v]).predict([v]).mean[0]
    assert (held[101:111] == v[99]).all()


@pytest.mark.skipif("TSBN_DATA" not in os.environ, reason="TSBN_DATA names no folder with the data sets")
def test_autoregression_on_mocap2_has_the_known_error():
    parts = load("mocap2", layout="mat")
    scaler = Scaler.fit(parts.train)
    train, test = scaler.transform(parts.train), scaler.transform(parts.test)
    means = Autoregression(order=1).fit(train).predict(test).mean
    errors = [np.square(v - mean)[1:].sum(axis=1).mean() for v, mean in zip(test, means, strict=True)]
    assert errors == pytest.approx([6.8, 3.44], abs=0.15)
