"""The reference that generation is measured against makes the same frames, and figures are medians over rounds."""

import numpy as np
import pytest

import generate
import tsbn
from cases import random_model
from numpy_generation import Reference


def test_the_reference_and_the_library_make_the_same_frames_where_nothing_is_drawn():
    model = generate.fresh(order=12)
    model.model_ = random_model(model.architecture_, scale=0.1)
    reference = Reference(model.model_, np.array([0, 1] + [0] * 8, np.float32), num=2)
    made = np.stack([reference.step(np.zeros((2, 100)), np.zeros((2, 59))) for _ in range(5)], axis=1)
    expected = model.sample(1, 5, choices=tsbn.Choices("mean", temperature=0))
    np.testing.assert_allclose(made, np.stack([expected, expected]), rtol=1e-3, atol=1e-4)


def test_the_references_noise_is_logistic_and_normal():
    reference = Reference(generate.fresh(order=1).model_, np.array([1, 0], np.float32), num=50)
    logistic, normal = reference.noise(40)
    assert np.mean(logistic > 1.0) == pytest.approx(1 / (1 + np.e), abs=0.01)
    assert (normal.mean(), normal.std()) == pytest.approx((0, 1), abs=0.02)
    assert reference.generate(25).shape == (50, 25, 49)


def test_a_row_has_medians_over_rounds():
    found = {
        ("one", 1, "library"): [(1e-6, 2e-6), (4e-6, 4e-6), (2e-6, 3e-6)],
        ("one", 1, "numpy"): [(1e-5, 1e-5)],
    }
    row = generate.summarise("one", 1, found)
    assert row["library_frames_per_second"] == pytest.approx(500_000)
    assert row["library_frames_per_processor_second"] == pytest.approx(1e6 / 3)
    assert row["numpy_microseconds_a_frame"] == pytest.approx(10)
