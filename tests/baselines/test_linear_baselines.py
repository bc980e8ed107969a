"""Persistence and linear autoregression do what their names say."""

import os

import numpy as np
import pytest

from tsbn.baselines import Autoregression, LastYear, Persistence
from tsbn.choices import Choices
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
    np.testing.assert_allclose(model.weights_[0, :2].T, matrix, atol=0.02)
    np.testing.assert_allclose(model.std_, 0.1, rtol=0.05)


def test_a_bias_per_style_separates_styles_that_differ_in_level_only():
    rng = np.random.default_rng(1)
    levels = {"low": -3.0, "high": 3.0}
    data = [levels[style] + 0.1 * rng.normal(size=(200, 1)) for style in levels]
    model = Autoregression(order=1, bias="style", ridge=1.0).fit(data, list(levels))
    for style, array in zip(levels, data, strict=True):
        (mean,), _ = model.predict([array], [style])
        assert abs(mean[1:].mean() - levels[style]) < 0.1


def test_weights_per_style_are_those_of_a_model_fitted_to_each_style_alone():
    rng = np.random.default_rng(4)
    slow, fast = (
        simulated(np.array([[c, -s], [s, c]]), 300, rng) for c, s in [(np.cos(a), np.sin(a)) for a in (0.1, 0.7)]
    )
    both = Autoregression(order=2, weights="style", ridge=0.1).fit([slow, fast], ["slow", "fast"])
    for style, array in (("slow", slow), ("fast", fast)):
        alone = Autoregression(order=2, ridge=0.1).fit([array])
        np.testing.assert_allclose(both.predict([array], [style]).mean[0], alone.predict([array]).mean[0], rtol=1e-6)
    halves = both.predict([slow], [np.array([0.5, 0.5])]).mean[0]
    mixed = 0.5 * both.predict([slow], ["slow"]).mean[0] + 0.5 * both.predict([slow], ["fast"]).mean[0]
    np.testing.assert_allclose(halves, mixed)


def test_weights_per_style_refuse_side_information_that_is_no_style():
    with pytest.raises(ValueError, match="weights per style need labels or shares"):
        Autoregression(weights="style").fit([np.random.default_rng(0).normal(size=(9, 1))], [np.array([3.0, -1.0])])


def test_an_autoregression_draws_sequences_with_the_moments_of_its_process():
    model = Autoregression(ridge=1e-9).fit([simulated(np.array([[0.8]]), 4000, np.random.default_rng(5))])
    drawn = model.sample(length=400, num=400, seed=1)
    weight, std = model.weights_[0, 0, 0], model.std_[0]
    expected = std**2 / (1 - weight**2)
    assert drawn[:, 100:].var() == pytest.approx(expected, rel=0.03)
    now, then = drawn[:, 100:-1], drawn[:, 101:]
    assert np.mean((now - now.mean()) * (then - then.mean())) == pytest.approx(weight * expected, rel=0.03)


@pytest.mark.parametrize(
    "model", [Autoregression(), Persistence(), LastYear(4)], ids=lambda model: type(model).__name__
)
def test_a_seed_that_is_none_is_refused(model):
    data = [np.random.default_rng(0).normal(size=(9, 1))]
    with pytest.raises(ValueError, match="seed is 'first'"):
        model.fit(data).forecast(data, horizon=2, seed="first")


def test_a_sequence_goes_on_from_its_opening_and_along_its_styles():
    data = [np.linspace(0, 3, 40)[:, None] ** 1.5, -np.linspace(0, 3, 40)[:, None]]
    model = Autoregression(order=2, bias="style", ridge=1e-6).fit(data, ["up", "down"])
    opening = data[0][:20]
    means = model.sample("up", 1, opening=opening, choices=Choices("mean"))
    np.testing.assert_allclose(means[0], model.predict([data[0]], ["up"]).mean[0][20], atol=1e-5)
    assert model.sample([["up", "down"][t > 5] for t in range(12)], opening=opening).shape == (12, 1)


def test_last_year_is_the_frame_a_period_ago():
    v = np.random.default_rng(6).normal(size=(30, 2))
    mean, std = (found[0] for found in LastYear(period=12).fit([v]).predict([v]))
    np.testing.assert_array_equal(mean[12:], v[:-12])
    np.testing.assert_allclose(std[0], np.sqrt(np.square(v[12:] - v[:-12]).mean(axis=0)))


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


def test_a_linear_model_needs_some_frames_without_gaps():
    gaps = np.random.default_rng(0).standard_normal((20, 2))
    gaps[::2, 0] = gaps[1::2, 1] = np.nan
    with pytest.raises(ValueError, match="no frame that has all its values"):
        Autoregression(1).fit([gaps])
