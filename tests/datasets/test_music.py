"""The music data sets have the splits of their literature."""

import numpy as np
import pytest

from tsbn import datasets

SPLITS = {"jsb": (229, 76, 77), "nottingham": (694, 173, 170), "piano": (87, 12, 25), "muse": (524, 135, 124)}


@pytest.mark.parametrize("name", SPLITS)
def test_splits_and_notes(real_data, name):
    parts = datasets.load(name)
    assert (len(parts.train), len(parts.valid), len(parts.test)) == SPLITS[name]
    for part in (parts.train, parts.valid, parts.test):
        assert part.channels == 88
        assert {value for array in part[:5] for value in np.unique(array)} == {0, 1}


def test_middle_c_sounds_more_than_the_outermost_keys(real_data):
    notes = np.concatenate(list(datasets.load("jsb").train)).mean(axis=0)
    names = datasets.load("jsb").train.channel_names
    assert notes[names.index("note 60")] > 0.01
    assert notes[names.index("note 21")] == notes[names.index("note 108")] == 0
