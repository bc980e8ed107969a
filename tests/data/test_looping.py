"""A recording that is looped goes on as it went before, without a jump."""

import numpy as np
import pytest

from tsbn.data import Sequences, looped


def wave(frames: int, period: float = 12.5) -> np.ndarray:
    phase = np.arange(frames) * 2 * np.pi / period
    return np.stack([np.sin(phase), np.cos(phase), np.sin(2 * phase)], axis=1)


def test_all_but_the_last_part_stays_as_it_was():
    data = Sequences([wave(80), wave(95)], side=["a", "b"], names=["x", "y"])
    longer = looped(data, 30)
    assert all(0.8 * old + 30 <= length <= old + 30 for length, old in zip(longer.lengths, data.lengths, strict=True))
    assert all(np.array_equal(new[:64], old[:64]) for new, old in zip(longer, data, strict=True))


def test_what_is_not_left_early_stays_wholly():
    data = Sequences([wave(80), wave(95)], side=["a", "b"], names=["x", "y"])
    longer = looped(data, 30, leave=0)
    assert longer.lengths.tolist() == [110, 125]
    assert longer.labels == data.labels
    assert longer.names == data.names
    assert all(np.array_equal(new[: len(old)], old) for new, old in zip(longer, data, strict=True))


def test_a_periodic_sequence_goes_on_in_step():
    for leave, most in ((0, 0.3), (0.2, 0.05)):  # the period is no whole number of frames, but two are
        longer = looped(Sequences([wave(103)]), 40, leave=leave)[0]
        assert np.abs(longer - wave(len(longer))).max() < most


def test_a_channel_that_never_changes_and_is_far_from_zero_has_no_say():
    plain = wave(100) + 0.1 * np.random.default_rng(0).standard_normal((100, 3))
    beside = np.concatenate([plain + 100, np.full((100, 1), 1000.0)], axis=1).astype(np.float32)
    assert len(looped(Sequences([beside]), 31)[0]) == len(looped(Sequences([plain]), 31)[0])


def test_no_sequence_gets_shorter():
    assert len(looped(Sequences([wave(250)]), 5)[0]) >= 250


def test_the_seam_is_no_faster_than_the_recording():
    random = np.random.default_rng(0)
    data = Sequences([wave(150) + 0.02 * random.standard_normal((150, 3))])
    steps = np.abs(np.diff(looped(data, 50)[0], axis=0)).max(axis=1)
    assert steps[149:165].max() < 1.2 * steps[:149].max()


def test_an_end_that_stands_still_is_left():
    still = np.concatenate([wave(120), np.repeat(wave(120)[-1:], 20, axis=0)])
    after = looped(Sequences([still]), 40)[0][100:]
    assert np.abs(np.diff(after, axis=0)).sum(axis=1).min() > 0.5 * np.abs(np.diff(wave(120), axis=0)).sum(axis=1).min()


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (Sequences([wave(20)]), "has 20 frames, expected at least 30 to go on with and 12"),
        (Sequences([np.where(np.eye(60, 3) > 0, np.nan, wave(60))]), "missing values"),
        (Sequences([wave(60)], side=[["a"] * 30 + ["b"] * 30]), "changes within a sequence"),
    ],
)
def test_what_cannot_be_looped_is_said(data, complaint):
    with pytest.raises(ValueError, match=complaint):
        looped(data, 30)
