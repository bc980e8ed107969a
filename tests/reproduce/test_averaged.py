"""The predictions of several trainings are averaged as a mixture."""

import numpy as np
import pytest

from tsbn.data import Sequences
from tsbn.estimators.results import Predictions
from tsbn.reproduce.averaged import Averaged

FRAMES = Sequences([np.zeros((4, 2)), np.zeros((3, 2))])


class OfItsSeed:
    """Predicts the seed it was fitted with, with a deviation of 1."""

    def fit(self, sequences, *, seed, validation):
        assert validation == 0
        self.seed = seed
        return self

    def predict(self, sequences, *, seed):
        return Predictions(
            [np.full(x.shape, float(self.seed)) for x in sequences], [np.ones(x.shape) for x in sequences]
        )


def test_the_mixture_has_the_mean_and_the_spread_of_its_members():
    found = Averaged(OfItsSeed, 3).fit(FRAMES, seed=0, validation=0).predict(FRAMES, seed=0)
    drawn = np.random.default_rng(0).normal([0, 1, 2], size=(100_000, 3))  # every member equally often
    for array, mean, std in zip(FRAMES, found.mean, found.std, strict=True):
        assert mean.shape == std.shape == array.shape
        assert mean == pytest.approx(1.0)
        assert std == pytest.approx(drawn.std(), rel=0.01)


def test_trials_have_no_training_in_common():
    seeds = [
        [one.seed for one in Averaged(OfItsSeed, 3).fit(FRAMES, seed=trial, validation=0).models_] for trial in (0, 1)
    ]
    assert seeds == [[0, 1, 2], [3, 4, 5]]
