"""The teacher's sequences are those of its network."""

import numpy as np
import pytest

from tsbn.datasets import load


def test_the_same_seed_gives_the_same_sequences_and_another_does_not():
    one, again, other = (load("teacher", sequences=4, frames=20, seed=seed) for seed in (0, 0, 1))
    assert one.train == again.train
    assert one.train != other.train


def test_sequences_stay_within_bounds_and_styles_differ():
    data = load("teacher", sequences=40, frames=200).train
    assert np.abs(np.concatenate(data.values)).max() < 100
    first, second = (np.concatenate(data[start::2].values).mean(axis=0) for start in (0, 1))
    assert np.abs(first - second).max() > 0.1


def test_sizes_are_checked():
    with pytest.raises(ValueError, match="sequences is 0"):
        load("teacher", sequences=0)
