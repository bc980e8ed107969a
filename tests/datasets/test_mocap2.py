"""Subject 35 in the layout of the MATLAB file."""

import numpy as np
import pytest

from tsbn import datasets
from tsbn.data import Scaler


def test_31_trials_for_training_and_2_for_test(real_data):
    parts = datasets.load("mocap2", layout="mat")
    assert len(parts.train) == 31
    assert parts.train.lengths.sum() == 2644
    assert parts.train.labels.count("walk") == 22
    assert parts.train.labels.count("run") == 9
    assert dict(zip(parts.test.names, parts.test.labels, strict=True)) == {"35_18": "run", "35_29": "walk"}
    assert parts.test.lengths.tolist() == [44, 125]
    assert parts.train.frame_rate == 30


def test_all_33_trials_are_there_once(real_data):
    parts = datasets.load("mocap2", layout="mat")
    numbers = sorted(int(name[3:]) for name in parts.train.names + parts.test.names)
    assert numbers == [*range(1, 27), *range(28, 35)]


def test_six_channels_never_change(real_data):
    parts = datasets.load("mocap2", layout="mat")
    scaler = Scaler.fit(parts.train)
    assert parts.train.channels == 62
    assert scaler.transform(parts.train).channels == 56


def test_a_linear_prediction_errs_as_measured_before(real_data):
    parts = datasets.load("mocap2", layout="mat")
    scaler = Scaler.fit(parts.train)
    train, test = scaler.transform(parts.train), scaler.transform(parts.test)
    before = np.concatenate([array[:-1] for array in train])
    after = np.concatenate([array[1:] for array in train])
    weights = np.linalg.lstsq(np.column_stack([before, np.ones(len(before))]), after)[0]
    error = {
        label: ((np.column_stack([array[:-1], np.ones(len(array) - 1)]) @ weights - array[1:]) ** 2).sum(1).mean()
        for array, label in zip(test, test.labels, strict=True)
    }
    assert error["walk"] == pytest.approx(3.44, abs=0.02)
    assert error["run"] == pytest.approx(6.80, abs=0.02)
