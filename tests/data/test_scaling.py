"""Scaling: learned on the training part, zero mean, unit variance, and back."""

import numpy as np
import pytest
from any_sequences import any_sequences
from hypothesis import assume, given

from tsbn.data import Scaler, Sequences

EPS = 2.0**-53


def changing(data):
    """Whether there is anything to scale."""
    columns = [column[~np.isnan(column)] for column in np.concatenate(list(data)).T]
    return any(column.size and column.min() != column.max() for column in columns)


@given(any_sequences(min_frames=2).filter(changing))
def test_scaled_training_data_have_zero_mean_and_unit_variance(data):
    scaled = Scaler.fit(data).transform(np.concatenate(list(data)))
    for column in scaled.T:
        known = column[~np.isnan(column)]
        assert abs(known.mean()) < 1e-6
        assert known.std() == pytest.approx(1, abs=1e-6)


@given(any_sequences().filter(changing))
def test_what_is_scaled_comes_back(data):
    scaler = Scaler.fit(data)
    back = scaler.inverse(scaler.transform(data))
    assert back.names == data.names
    assert back.channel_names == data.channel_names
    for before, after in zip(data, back, strict=True):
        varies = scaler.varies
        bound = 4 * EPS * (np.abs(before) + np.abs(scaler.mean))[:, varies]
        known = ~np.isnan(before[:, varies])
        assert (np.isnan(after[:, varies]) == ~known).all()
        assert (np.abs(after - before)[:, varies][known] <= bound[known]).all()


@given(any_sequences())
def test_constant_channels_are_dropped_and_come_back_exactly(data):
    spread = np.ptp(np.nan_to_num(np.concatenate(list(data))), axis=0)
    assume(spread.max() > 0)
    constant = Sequences([np.column_stack([array[:, :1] * 0 + 0.1, array]) for array in map(np.nan_to_num, data)])
    scaler = Scaler.fit(constant)
    assert not scaler.varies[0]
    scaled = scaler.transform(constant)
    assert scaled.channels <= (spread > 0).sum()
    for before, after in zip(constant, scaler.inverse(scaled), strict=True):
        np.testing.assert_array_equal(before[:, 0], after[:, 0])


def test_rounding_noise_is_no_change():
    noisy = np.array([[0.0, 1e-15], [2.0, -3e-15]])
    scaler = Scaler.fit([noisy])
    assert scaler.varies.tolist() == [True, False]
    np.testing.assert_allclose(scaler.inverse(scaler.transform(noisy)), noisy, atol=1e-14)


def test_a_channel_is_not_lost_beside_one_in_large_units():
    random = np.random.default_rng(0)
    data = random.normal(size=(50, 3)) * [5e12, 0.02, 1.0]
    data[:, 2] = 1e15 + np.arange(50) % 2 * 0.125  # the last digit
    assert Scaler.fit([data]).varies.tolist() == [True, True, False]


def test_what_is_left_of_large_numbers_that_cancel_is_no_change():
    large = 1e5 * np.random.default_rng(0).normal(size=50)
    assert Scaler.fit([np.stack([large, large * 0.1 * 3 - large * 0.3], axis=1)]).varies.tolist() == [True, False]


def test_float32_data_of_ordinary_range_come_back_bit_for_bit():
    values = np.random.default_rng(0).normal(20, 50, (1000, 30)).astype(np.float32)
    scaler = Scaler.fit([values])
    np.testing.assert_array_equal(scaler.inverse(scaler.transform(values)).astype(np.float32), values)


def test_test_data_are_scaled_by_what_the_training_data_taught():
    scaler = Scaler.fit([np.array([[0.0], [2.0]])])
    np.testing.assert_array_equal(scaler.transform(np.array([[10.0]])), [[9.0]])


def test_missing_values_stay_missing_and_teach_nothing():
    scaler = Scaler.fit([np.array([[0.0, np.nan], [2.0, np.nan], [np.nan, np.nan]])])
    assert scaler.mean[0] == 1
    assert scaler.varies.tolist() == [True, False]
    assert np.isnan(scaler.inverse(np.array([[0.5]]))[0, 1])


def test_very_large_and_very_small_numbers_do_not_overflow():
    for unit in (1e200, 1e-200):
        scaler = Scaler.fit([unit * np.array([[1.0], [3.0]])])
        np.testing.assert_allclose(scaler.transform(unit * np.array([[1.0], [3.0]])), [[-1], [1]])


def test_arrays_of_any_rank_are_scaled_along_the_last_axis():
    scaler = Scaler.fit([np.array([[0.0, 5.0, 1.0], [2.0, 5.0, 3.0]])])
    batch = np.random.default_rng(0).normal(size=(4, 7, 3))
    assert scaler.transform(batch).shape == (4, 7, 2)
    assert scaler.inverse(scaler.transform(batch)).shape == (4, 7, 3)


def test_wrong_channels_are_named():
    scaler = Scaler.fit([np.array([[0.0, 5.0], [2.0, 5.0]])])
    with pytest.raises(ValueError, match=r"shape \(3, 3\).*2 channels as the training data had"):
        scaler.transform(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="1 channels as the scaled data have"):
        scaler.inverse(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="no channel of the training data ever changes"):
        Scaler.fit([np.ones((3, 2))])
    with pytest.raises(ValueError, match="no sequences"):
        Scaler.fit(Sequences([], channel_names=["a"]))
