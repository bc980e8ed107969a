"""A sequence that is led in stands still at its first frame before it begins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsbn.baselines import Autoregression
from tsbn.data import Sequences, led_in


@given(st.integers(0, 9), st.lists(st.integers(1, 6), min_size=1, max_size=4))
def test_the_lead_in_repeats_the_first_frame_and_the_rest_stays(frames, lengths):
    rng = np.random.default_rng(sum(lengths))
    data = Sequences([rng.normal(size=(length, 2)) for length in lengths], names=list("abcd")[: len(lengths)])
    led = led_in(data, frames)
    assert led.names == data.names
    for before, after in zip(data, led, strict=True):
        assert np.array_equal(after[frames:], before)
        assert (after[:frames] == before[0]).all()


def test_side_information_stays_as_it_begins():
    data = Sequences([np.zeros((3, 1)), np.ones((2, 1))], side=[["walk", "run", "run"], ["run", "run"]])
    assert led_in(data, 2).labels == [["walk", "walk", "walk", "run", "run"], ["run"] * 4]
    constant = Sequences([np.zeros((3, 1))], side=["walk"])
    assert led_in(constant, 2).labels == ["walk"]


def test_missing_values_stay_missing():
    assert np.isnan(led_in(Sequences([np.array([[np.nan, 1.0], [2.0, 3.0]])]), 1)[0][:2, 0]).all()


def test_the_second_frame_is_no_longer_predicted_from_a_jump():
    """A model of order 2 that has learnt speeds takes a start far from zero for a great one."""
    rng = np.random.default_rng(0)
    walks = np.zeros((20, 40, 1)) + 30
    for t in range(2, 40):
        walks[:, t] = walks[:, t - 1] + 0.9 * (walks[:, t - 1] - walks[:, t - 2]) + rng.normal(size=(20, 1))
    data = Sequences(list(walks))

    def error_of_the_second_frame(frames: int) -> float:
        given = led_in(data, frames)
        found = Autoregression(2).fit(given).predict(given).mean
        return float(np.mean([np.square(walk - mean[frames:])[1] for walk, mean in zip(data, found, strict=True)]))

    assert error_of_the_second_frame(1) < 1 < 100 < error_of_the_second_frame(0)


def test_a_list_is_told_what_to_become():
    with pytest.raises(TypeError, match="data is a list, expected Sequences"):
        led_in([np.zeros((3, 1))], 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("frames", [-1, 1.5, "2"])
def test_a_lead_in_is_a_number_of_frames(frames):
    with pytest.raises((ValueError, TypeError), match="frames is"):
        led_in(Sequences([np.zeros((3, 1))]), frames)
