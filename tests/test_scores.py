"""Scores have their closed forms, are lowest for the truth, and leave out what is not known."""

import numpy as np
import pytest
from scipy.stats import norm

from sampling import assert_mean
from tsbn import scores
from tsbn.scores import channel_errors, coverage, crps, crps_gaussian, energy_score, pinball, squared_error


def draws(*shape):
    return np.random.default_rng(0).standard_normal(shape)


def test_squared_errors_are_summed_over_channels_and_averaged_over_all_frames_but_the_first():
    truth, guess = [draws(4, 3), draws(7, 3)], [draws(4, 3) + 1, draws(7, 3) - 1]
    frames = [np.sum((t - g) ** 2, axis=1)[1:] for t, g in zip(truth, guess, strict=True)]
    assert squared_error(truth, guess) == pytest.approx(np.concatenate(frames).mean())
    assert squared_error(truth[0], guess[0], skip=0) == pytest.approx(np.sum((truth[0] - guess[0]) ** 2) / 4)


def test_a_missing_entry_counts_as_its_channel_does_on_average():
    truth = np.array([[0.0, 0.0], [np.nan, 1.0], [2.0, 3.0]])
    assert channel_errors(truth, np.zeros((3, 2))).tolist() == [4.0, 5.0]
    assert squared_error(truth, np.zeros((3, 2))) == 9.0
    with pytest.raises(ValueError, match=r"no values in channels \[1\]"):
        channel_errors(np.array([[0.0, np.nan]] * 3), np.zeros((3, 2)))


def test_the_crps_of_a_gaussian_is_its_closed_form():
    truth, mean, std = draws(5, 2), draws(5, 2)[::-1], np.abs(draws(5, 2)) + 0.5
    z = (truth - mean) / std
    closed = std * (z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi))
    np.testing.assert_allclose(crps_gaussian(truth, mean, std), closed)


def test_the_crps_of_few_samples_is_that_of_their_distribution_on_average():
    cases = 40_000
    found = crps(np.full((cases, 1), 0.7), draws(3, cases, 1))
    assert_mean(found, crps_gaussian(np.full(1, 0.7), np.zeros(1), np.ones(1)), precision=0.005)


def test_the_energy_score_of_one_channel_is_the_crps_and_of_two_sees_their_dependence():
    truth, samples = draws(6, 1), draws(20, 6, 1)
    np.testing.assert_allclose(energy_score(truth, samples), crps(truth, samples)[:, 0])
    shared = draws(400, 1)
    together, apart = np.repeat(shared, 2, axis=1), np.concatenate([shared, -shared], axis=1)
    samples = np.broadcast_to(together[:100, None], (100, 400, 2))
    assert energy_score(together, samples).mean() < energy_score(apart, samples).mean() - 0.1


def test_the_pinball_loss_is_lowest_at_the_true_quantile():
    truth = draws(200_000, 1)
    losses = {q: pinball(truth, np.full(truth.shape, norm.ppf(q)), 0.9).mean() for q in (0.8, 0.88, 0.9, 0.92, 0.97)}
    assert min(losses, key=lambda q: losses[q]) == 0.9


def test_what_is_not_known_is_left_out_of_every_score():
    truth = np.array([[np.nan, 1.0], [np.nan, np.nan]])
    samples = draws(50, 2, 2)
    assert np.isnan(crps(truth, samples)).tolist() == [[True, False], [True, True]]
    assert np.isnan(pinball(truth, np.zeros((2, 2)), 0.5)).tolist() == [[True, False], [True, True]]
    score = energy_score(truth, samples)
    np.testing.assert_allclose(score[0], crps(truth, samples)[0, 1])
    assert np.isnan(score[1])
    assert coverage(truth, np.zeros((2, 2)), np.full((2, 2), 2.0)) == 1.0


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (lambda: squared_error(np.zeros((3, 2)), np.zeros((3, 1))), r"predicted\[0\] has shape \(3, 1\)"),
        (lambda: crps(np.zeros((3, 2)), np.zeros((1, 3, 2))), r"samples has shape \(1, 3, 2\), expected \[two or more"),
        (lambda: coverage(np.zeros((3, 2)), np.zeros(2), np.zeros((3, 2))), r"low has shape \(2,\)"),
        (lambda: coverage(np.full((1, 1), np.nan), np.zeros((1, 1)), np.zeros((1, 1))), "truth has no values"),
        (lambda: pinball(np.zeros(1), np.zeros(1), 90), "level is 90"),
    ],
)
def test_wrong_arguments_are_named(score, message):
    with pytest.raises(ValueError, match=message):
        score()


def test_calibrated_probabilities_have_no_calibration_error_and_overconfident_ones_do():
    noise = np.random.default_rng(0)
    chance = noise.uniform(0.5, 1, 40_000)
    truth = (noise.uniform(size=chance.size) > chance).astype(int)
    honest, boasting = np.stack([chance, 1 - chance], 1), np.tile([0.99, 0.01], (chance.size, 1))
    assert scores.expected_calibration_error(honest, truth) < 0.01
    assert scores.expected_calibration_error(boasting, truth) == pytest.approx(0.99 - np.mean(truth == 0), abs=1e-6)
    found = scores.reliability(honest, truth, bins=5)
    assert found.cases.sum() == chance.size
    assert np.isnan(found.accuracy[:2]).all(), "of two labels the more probable one has at least one half"
    assert scores.expected_calibration_error(honest[:3], np.array([truth[0], -1, -1])) == pytest.approx(
        abs(honest[0].max() - (honest[0].argmax() == truth[0]))
    )
    with pytest.raises(ValueError, match="truth has no labels"):
        scores.reliability(honest[:2], [-1, -1])
