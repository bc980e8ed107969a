"""What is counted of training data before training begins."""

import numpy as np
import pytest

from tsbn.estimators.training_data import moments


@pytest.mark.parametrize("offset", [0.0, 1e4], ids=["near zero", "far from zero"])
def test_moments_of_parts_are_those_of_all_frames_under_each_column(offset):
    random = np.random.default_rng(0)
    parts = []
    for length in (5, 40, 17):
        frames = offset + random.normal(size=(length, 3))
        frames[random.random(frames.shape) < 0.2] = np.nan
        parts.append((frames.astype(np.float32), np.maximum(random.normal(size=(length, 4)), 0)))
    parts[1][1][:, 2] = 0  # a style that this sequence has nothing of
    frames, shares = map(np.concatenate, zip(*parts, strict=True))
    for column, (mean, variance) in enumerate(zip(*moments(parts), strict=True)):
        for channel in range(3):
            seen = ~np.isnan(frames[:, channel])
            values, weights = frames[seen, channel].astype(float), shares[seen, column]
            expected = np.average(values, weights=weights)
            assert mean[channel] == pytest.approx(expected)
            assert variance[channel] == pytest.approx(np.average((values - expected) ** 2, weights=weights))


def test_a_column_without_any_frame_has_moments_of_zero():
    mean, variance = moments([(np.ones((4, 2)), np.zeros((4, 1)))])
    np.testing.assert_array_equal([mean, variance], np.zeros((2, 1, 2)))
