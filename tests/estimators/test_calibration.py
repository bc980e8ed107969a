"""Calibration finds how far two opinions are to be trusted."""

import json

import numpy as np
import pytest

from tsbn.estimators.calibration import Calibration, calibrated, log_softmax


def opinions(truth: np.ndarray, temperature: float, seed: int) -> np.ndarray:
    """Log-probabilities of which the truth is a draw, made too sure of themselves."""
    noise = np.random.default_rng(seed)
    scores = noise.normal(size=(len(truth), 3)) * 1.5
    drawn = np.argmax(scores + noise.gumbel(size=scores.shape), axis=1)
    turned = np.take_along_axis(scores, (np.arange(3)[None] + (drawn - truth)[:, None]) % 3, axis=1)
    return temperature * log_softmax(turned)


@pytest.fixture
def truth():
    return np.random.default_rng(0).integers(0, 3, 4000)


def test_each_temperature_is_found(truth):
    found = calibrated(opinions(truth, 4.0, 1), opinions(truth, 256.0, 2), opinions(truth, 64.0, 2), truth)
    assert found == Calibration(1 / 4, 1 / 256, (1 / 4, 1 / 64))


def test_an_opinion_that_knows_nothing_has_no_say(truth):
    noise = np.random.default_rng(3).normal(size=(4000, 3)) * 100
    a, b = calibrated(opinions(truth, 1.0, 1), noise, noise, truth).both
    assert (a, 100 * b) == pytest.approx((1.0, 0.0), abs=0.02)


def test_probabilities_add_up_whatever_the_size_of_the_bounds():
    np.testing.assert_allclose(np.exp(log_softmax(np.array([[-1e6, -2e6, -1e6]]))), [[0.5, 0, 0.5]])


def test_weights_come_back_from_a_file():
    found = Calibration(0.5, 0.25, (0.5, 2.0))
    assert Calibration.read(json.loads(json.dumps(found._asdict()))) == found
    assert Calibration.read({}) == Calibration()
