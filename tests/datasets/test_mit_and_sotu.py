"""MIT walking and the State of the Union addresses have their documented shapes."""

import numpy as np
import pytest

from tsbn import datasets


def test_mit_has_35_training_sequences_of_100_frames(real_data):
    parts = datasets.load("mit")
    assert parts.train.lengths.tolist() == [100] * 35
    assert len(parts.test) == 4
    assert parts.train.channels == 49


def test_sotu_counts_the_words_of_65_addresses(real_data):
    data = datasets.load("sotu").train
    (counts,) = data
    assert counts.shape == (65, len(data.channel_names))
    assert (counts >= 0).all()
    np.testing.assert_array_equal(counts, np.round(counts))
    assert counts.sum(axis=0).min() >= 10
    assert len(data.labels[0]) == 65
    assert data.labels[0][0] == "Truman"
    assert data.labels[0][-1] == "GWBush"
    assert len(data.label_names) == 11


def test_sotu_is_in_order_of_time(real_data):
    presidents = datasets.load("sotu").train.labels[0]
    changes = [b for a, b in zip(["", *presidents], presidents, strict=False) if a != b]
    assert changes == [
        *("Truman", "Eisenhower", "Kennedy", "Johnson", "Nixon", "Ford", "Carter", "Reagan"),
        *("Bush", "Clinton", "GWBush"),
    ]


def test_words_come_and_go_with_the_times(real_data):
    data = datasets.load("sotu").train
    used = dict(zip(data.channel_names, data[0].T, strict=True))
    years = np.array(data.labels[0])
    assert used["vietnam"][years == "Johnson"].sum() > 10 * used["vietnam"][years == "GWBush"].sum()
    assert used["iraq"][years == "GWBush"].sum() > 40
    assert used["iraq"][years == "Kennedy"].sum() == 0


def test_common_words_can_be_left_out(real_data):
    everything, rarer = datasets.load("sotu").train, datasets.load("sotu", max_share=0.5).train
    assert "the" in everything.channel_names
    assert "the" not in rarer.channel_names
    assert 0 < rarer.channels < everything.channels
    with pytest.raises(ValueError, match="no word is left"):
        datasets.load("sotu", min_count=10**6)
