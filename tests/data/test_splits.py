"""Splits share nothing, lose nothing, and join again."""

import numpy as np
import pytest
from any_sequences import any_sequences
from hypothesis import assume, given
from hypothesis import strategies as st

from tsbn.data import Sequences, concat, join_in_time, leave_one_out, split_by_sequence, split_by_time


@given(any_sequences(), st.lists(st.floats(0.05, 1), min_size=1, max_size=4), st.none() | st.integers(0, 9))
def test_every_sequence_goes_to_exactly_one_part(data, shares, seed):
    assume(len(shares) <= len(data))
    parts = split_by_sequence(data, *(share / sum(shares) for share in shares), seed=seed)
    assert all(len(part) for part in parts)
    joined = concat(*parts)
    back = joined[[joined.names.index(name) for name in data.names]]
    assert back == data


@given(st.integers(10, 60), st.floats(0.1, 0.9))
def test_parts_have_the_sizes_asked_for(count, share):
    data = Sequences([np.zeros((1, 1))] * count)
    first, second = split_by_sequence(data, share, 1 - share)
    assert abs(len(first) - share * count) <= 1
    assert len(first) + len(second) == count


def test_the_seed_decides_and_none_keeps_the_order():
    data = Sequences([np.zeros((1, 1))] * 20)
    assert split_by_sequence(data, 0.5, 0.5, seed=1)[0].names == split_by_sequence(data, 0.5, 0.5, seed=1)[0].names
    assert split_by_sequence(data, 0.5, 0.5, seed=1)[0].names != split_by_sequence(data, 0.5, 0.5, seed=2)[0].names
    assert split_by_sequence(data, 0.5, 0.5, seed=None)[0].names == data.names[:10]


@given(
    any_sequences(min_frames=4),
    st.lists(st.integers(1, 3), min_size=1, max_size=3, unique=True),
    st.integers(0, 5),
)
def test_what_is_cut_in_time_joins_again(data, cuts, context):
    parts = split_by_time(data, *sorted(cuts), context=context)
    assert join_in_time(*parts, context=context) == data


def test_context_gives_later_parts_their_past():
    data = Sequences([np.arange(10.0)[:, None]])
    first, second = split_by_time(data, 7, context=2)
    assert first[0][:, 0].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert second[0][:, 0].tolist() == [5, 6, 7, 8, 9]


def test_cuts_count_from_the_end_or_by_fraction():
    data = Sequences([np.zeros((10, 1)), np.zeros((20, 1))])
    assert split_by_time(data, -3)[1].lengths.tolist() == [3, 3]
    assert split_by_time(data, 0.9)[1].lengths.tolist() == [1, 2]


@given(any_sequences())
def test_every_sequence_is_left_out_once(data):
    assume(len(data) > 1)
    pairs = list(leave_one_out(data))
    assert [one.names for _, one in pairs] == [(name,) for name in data.names]
    for rest, one in pairs:
        assert sorted(rest.names + one.names) == sorted(data.names)
        assert one[0] is not None
        assert rest.label_names == one.label_names == data.label_names


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (lambda data: split_by_sequence(data, 0.5, 0.6), "sum to 1"),
        (lambda data: split_by_sequence(data, 0.2, 0.2, 0.6), "2 sequences into 3 parts"),
        (lambda data: split_by_time(data, 5), "sequence 'b' of 5 frames with an empty part"),
        (lambda data: split_by_time(data, 3, 2), "empty part"),
        (lambda data: split_by_time(data, 1.5), "not between 0 and 1"),
        (lambda data: split_by_time(data, 1, context=-1), "context is -1"),
        (lambda data: list(leave_one_out(data[:1])), "two sequences at least"),
        (lambda data: join_in_time(data, data[:1]), "different sequences"),
    ],
)
def test_a_split_that_cannot_be_is_refused(split, message):
    data = Sequences([np.zeros((8, 1)), np.zeros((5, 1))], names=["a", "b"])
    with pytest.raises(ValueError, match=message):
        split(data)
