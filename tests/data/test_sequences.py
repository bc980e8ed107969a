"""`Sequences` holds what it was given, refuses what it cannot hold, and gives it back."""

import numpy as np
import pytest
from any_sequences import any_sequences
from hypothesis import given
from hypothesis import strategies as st

from tsbn.data import Sequences, concat


def walks(**changes):
    values = [np.arange(10.0).reshape(5, 2), np.arange(14.0).reshape(7, 2), np.zeros((3, 2))]
    return Sequences(**{"values": values, "side": ["calm", "brisk", None], "names": ["a", "b", "c"]} | changes)


def test_it_is_a_sequence_of_arrays():
    data = walks()
    assert len(data) == 3
    assert [array.shape for array in data] == [(5, 2), (7, 2), (3, 2)]
    assert data[-1].shape == data["c"].shape == (3, 2)


def test_slices_masks_and_lists_pick_a_smaller_one_with_all_that_belongs_to_it():
    data = walks()
    for which in (slice(1, 3), [1, 2], np.array([False, True, True])):
        smaller = data[which]
        assert smaller.names == ("b", "c")
        assert smaller.labels == ["brisk", None]
        assert smaller.label_names == data.label_names


def test_labels_become_one_hot_and_missing_labels_nan():
    data = walks()
    assert data.label_names == ("brisk", "calm")
    np.testing.assert_array_equal(data.side[0], [0, 1])
    assert np.isnan(data.side[2]).all()
    assert data.labels == ["calm", "brisk", None]


def test_labels_may_change_from_frame_to_frame():
    data = Sequences([np.zeros((4, 1))], side=[["walk", "walk", None, "run"]])
    assert data.side[0].shape == (4, 2)
    assert data.labels == [["walk", "walk", None, "run"]]


def test_an_integer_array_is_a_label_for_each_frame():
    assert Sequences([np.zeros((3, 1))], side=[np.array([10, 2, 2])]).labels == [[10, 2, 2]]


def test_integer_labels_are_ordered_as_numbers():
    assert Sequences([np.zeros((1, 1))] * 3, side=[10, 9, 10]).label_names == (9, 10)


def test_side_vectors_stay_what_they_are():
    rows = [np.array([0.25, 0.75]), np.array([1.0, -3.0])]
    data = Sequences([np.zeros((2, 1))] * 2, side=rows)
    np.testing.assert_array_equal(data.side, rows)
    assert data.labels is None
    assert Sequences([np.zeros((2, 1))] * 2, side=np.array(rows)) == data


@pytest.mark.parametrize(
    ("dtype", "becomes"),
    [
        (bool, "float32"),
        ("uint8", "float32"),
        ("int64", "float64"),
        ("float32", "float32"),
        ("float64", "float64"),
    ],
)
def test_whole_numbers_become_the_float_that_holds_them_exactly(dtype, becomes):
    assert Sequences([np.ones((2, 2), dtype)])[0].dtype == becomes


def test_it_cannot_be_changed_from_outside():
    mine = np.zeros((3, 1))
    data = Sequences([mine], side=["x"])
    mine[0] = 5
    assert data[0][0] == 0
    with pytest.raises(ValueError, match="read-only"):
        data[0][0] = 1
    with pytest.raises(AttributeError):
        data.frame_rate = 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": np.zeros((5, 2))}, r"one array \(5, 2\)"),
        ({"values": [np.zeros(5)]}, r"sequence 0 has shape \(5,\)"),
        ({"values": [np.zeros((0, 2))]}, r"sequence 0 has shape \(0, 2\)"),
        ({"values": [np.zeros((2, 2)), np.zeros((2, 3))], "side": None}, r"sequence 1 has 3 channels"),
        ({"values": [np.array([["a"]])]}, "expected numbers"),
        ({"values": [np.array([[1.0], [np.inf]])]}, r"sequence 0 is infinite at frame 1, channel 0"),
        ({"values": []}, "values is empty"),
        ({"side": ["calm"]}, "side has 1 entries for 3 sequences"),
        ({"side": ["calm", 3, None]}, "mix str and int"),
        ({"side": ["calm", np.array([0.5, 0.5]), None]}, "mixes labels and vectors"),
        ({"side": [0.5, 0.5, 0.5]}, r"side\[0\] is 0.5"),
        ({"side": [np.ones(2), np.ones(3), None]}, r"same number of styles, found \[2, 3\]"),
        ({"side": [np.ones((4, 2)), None, None]}, r"side\[0\] has shape \(4, 2\) for a sequence of 5 frames"),
        ({"side": [np.array([1, 0]), None, None]}, "a vector of styles must be float"),
        ({"side": [np.array([np.inf, 0]), None, None]}, "infinite"),
        ({"label_names": ["calm"]}, r"labels \['brisk'\], expected some of"),
        ({"names": ["a"]}, "names has 1 entries, expected 3"),
        ({"channel_names": ["a"]}, "channel_names has 1 entries, expected 2"),
        ({"frame_rate": 0}, "frame_rate is 0"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    if "values" in change and "side" not in change:
        change = change | {"side": None, "names": None}
    elif "values" in change:
        change = change | {"names": None}
    with pytest.raises((ValueError, TypeError), match=message):
        walks(**change)


def test_a_name_that_is_not_there_or_not_unique_is_an_error():
    with pytest.raises(KeyError, match="no sequence is named 'd'"):
        walks()["d"]
    with pytest.raises(KeyError, match="3 sequences are named 'a'"):
        walks(names=["a", "a", "a"])["a"]


def test_an_empty_selection_still_knows_its_channels():
    assert walks()[:0].channels == 2
    assert "no sequences" in walks()[:0].describe()


def test_concat_matches_labels_by_name():
    a = Sequences([np.zeros((2, 1))], side=["x"])
    b = Sequences([np.ones((3, 1))], side=["w"])
    unlabelled = Sequences([np.ones((3, 1))])
    joined = concat(a, b, unlabelled)
    assert joined.labels == ["x", "w", None]
    assert joined.label_names == ("w", "x")


def test_concat_refuses_parts_that_differ():
    with pytest.raises(ValueError, match="part 1 has channel_names"):
        concat(walks(), walks(channel_names=["x", "y"]))
    with pytest.raises(ValueError, match="part 1 has frame_rate 30"):
        concat(walks(), walks(frame_rate=30))


@given(any_sequences(), st.integers(0, 5))
def test_what_is_cut_in_two_and_joined_is_the_same(data, at):
    assert concat(data[:at], data[at:]) == data


@given(any_sequences())
def test_a_description_fits_one_screen(data):
    lines = data.describe().split("\n")
    assert len(lines) <= 24
    assert max(len(line) for line in lines) <= 100
    assert f"{len(data)} sequences" in lines[0]


def test_a_sequence_without_any_value_can_be_described():
    data = Sequences([np.full((3, 2), np.nan), np.full((3, 2), 2.0)])
    assert "2 sequences" in data.describe()


def test_a_description_fits_one_screen_however_much_there_is():
    wide = Sequences(
        [np.random.default_rng(0).normal(size=(4, 500))] * 50,
        side=[f"a rather long label {i}" for i in range(50)],
        channel_names=["c" * 80 + str(i) for i in range(500)],
    )
    lines = wide.describe().split("\n")
    assert len(lines) <= 24
    assert max(len(line) for line in lines) <= 100
    assert "50 sequences of 4 frames" in lines[0]
    assert "and 492 more" in lines[-1]


def test_equality_sees_every_difference():
    data = walks()
    assert data == walks()
    for change in (
        {"names": ["a", "b", "d"]},
        {"frame_rate": 2},
        {"side": ["calm", "calm", None], "label_names": ["brisk", "calm"]},
        {"values": [array + 1 for array in data]},
        {"side": None},
    ):
        assert data != walks(**change)
