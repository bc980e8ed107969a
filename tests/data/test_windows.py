"""Windows hold the frames they say, and tile back to the sequences they came from."""

import numpy as np
import pytest
from any_sequences import any_sequences
from hypothesis import given
from hypothesis import strategies as st

from tsbn.data import Sequences, cut_windows


@given(any_sequences(), st.integers(1, 6), st.integers(1, 6))
def test_windows_that_cover_everything_join_again(data, length, hop):
    windows = cut_windows(data, length, hop=min(hop, length), tail="keep")
    assert windows.join() == data


@given(any_sequences(), st.integers(1, 6), st.integers(1, 8), st.sampled_from(["drop", "keep"]))
def test_every_window_holds_the_frames_it_says(data, length, hop, tail):
    windows = cut_windows(data, length, hop, tail)
    for piece, i, start in zip(windows.pieces, windows.origin, windows.start, strict=True):
        np.testing.assert_array_equal(piece, data[int(i)][start : start + length])
        assert tail == "keep" or len(piece) == length
    expected = sum(max(0, (n - length) // hop + 1) for n in data.lengths)
    assert sum(len(piece) == length for piece in windows.pieces) == expected


def test_side_information_is_cut_along():
    data = Sequences([np.zeros((4, 1))], side=[["a", "a", "b", "b"]], names=["x"])
    windows = cut_windows(data, 2)
    assert windows.pieces.labels == [["a", "a"], ["b", "b"]]
    assert windows.pieces.names == ("x[0:2]", "x[2:4]")


def test_other_pieces_can_stand_in_for_the_windows():
    data = Sequences([np.arange(6.0)[:, None]])
    windows = cut_windows(data, 3)
    doubled = windows.pieces.replace(values=[2 * piece for piece in windows.pieces])
    assert windows.join(doubled)[0][:, 0].tolist() == [0, 2, 4, 6, 8, 10]


def test_equal_windows_fit_one_array():
    windows = cut_windows(Sequences([np.zeros((10, 3)), np.zeros((2, 3))]), 4, hop=3)
    assert windows.array.shape == (3, 4, 3)
    assert len(windows) == 3
    with pytest.raises(ValueError, match="differ in length"):
        _ = cut_windows(Sequences([np.zeros((10, 3))]), 4, tail="keep").array


def test_windows_that_leave_frames_out_do_not_join():
    with pytest.raises(ValueError, match="frame 8 is in none"):
        cut_windows(Sequences([np.zeros((10, 3))]), 4).join()


@pytest.mark.parametrize("arguments", [(0, 1), (3, 0), (3, 1, "fold")])
def test_windows_that_cannot_be_are_refused(arguments):
    with pytest.raises(ValueError, match="expected"):
        cut_windows(Sequences([np.zeros((10, 3))]), *arguments)
