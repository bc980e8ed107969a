"""The predictions of several trainings are averaged as a mixture."""

from functools import partial

import numpy as np
import pytest

from tsbn.data import Sequences
from tsbn.estimators.results import Predictions
from tsbn.reproduce.averaged import Averaged
from tsbn.reproduce.predicting import Task, one_step

FRAMES = Sequences([np.zeros((4, 2)), np.zeros((3, 2))])


class OfItsSeed:
    """Predicts the seed it was fitted with (times one more than that of the prediction); its deviation is 1 + seed."""

    def fit(self, sequences, *, seed, validation):
        assert validation == 0
        self.seed = seed
        return self

    def predict(self, sequences, *, seed):
        mean, std = self.seed * (seed + 1.0), 1.0 + self.seed
        return Predictions([np.full(x.shape, mean) for x in sequences], [np.full(x.shape, std) for x in sequences])


def test_the_mixture_has_the_mean_and_the_spread_of_its_members():
    found = Averaged(OfItsSeed, 3).fit(FRAMES, seed=0, validation=0).predict(FRAMES, seed=0)
    for array, mean, std in zip(FRAMES, found.mean, found.std, strict=True):
        assert mean.shape == std.shape == array.shape
        assert mean == pytest.approx(1.0)
        assert std == pytest.approx(np.sqrt((1 + 4 + 9) / 3 + 2 / 3))  # within members, and between 0, 1 and 2


def test_trials_have_no_training_in_common():
    trials = [Averaged(OfItsSeed, 3).fit(FRAMES, seed=trial, validation=0) for trial in (0, 1)]
    assert [[one.seed for one in trial.models_] for trial in trials] == [[0, 1, 2], [3, 4, 5]]


def test_a_row_hands_its_seed_on_to_fit_and_predict(tmp_path):
    task = Task(FRAMES, FRAMES, {"all": [0, 1]}, skip=0)
    job = one_step("averaged", partial(Averaged, OfItsSeed, 3), lambda: [task], validation=0)
    (finding,) = job.run(1, tmp_path)
    assert finding.value == pytest.approx(2 * 8.0**2)  # two channels; seeds 3, 4, 5, each times 2


@pytest.mark.parametrize("trainings", [0, -1, 1.5])
def test_a_mixture_has_at_least_one_member(trainings):
    with pytest.raises((ValueError, TypeError), match="trainings is"):
        Averaged(OfItsSeed, trainings)
