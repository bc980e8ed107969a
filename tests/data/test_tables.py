"""Long-format tables of every library become the same sequences, and what is wrong with a table is named."""

import contextlib
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from any_sequences import any_sequences
from hypothesis import given
from hypothesis import strategies as st

from tsbn.data import from_table, to_columns

TABLES = {"dict": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def same_sequences(a, b):
    """Equal but for the label names, which a table does not know when no row has them."""
    assert a.names == b.names
    assert a.channel_names == b.channel_names
    for x, y in zip(a, b, strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
@given(data=any_sequences())
def test_sequences_survive_the_way_through_a_table(make, data):
    columns = to_columns(data)
    labelled = "label" in columns
    side = "label" if labelled else [name for name in columns if name.startswith("side")] or None
    back = from_table(make(columns), sequence="sequence", time="frame", columns=data.channel_names, side=side)
    same_sequences(data, back)
    if labelled:
        spread = [found if isinstance(found, list) else [found] for found in data.labels]
        returned = [None] * len(back) if back.labels is None else back.labels
        for before, after in zip(spread, returned, strict=True):
            assert set(before) == set(after if isinstance(after, list) else [after])
    elif data.side is not None:
        for before, after in zip(data.side, back.side, strict=True):
            assert (np.atleast_2d(before) == np.atleast_2d(after)).all()


@given(any_sequences(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(data, random):
    columns = to_columns(data)
    order = list(range(len(columns["frame"])))
    random.shuffle(order)
    shuffled = from_table(
        {name: column[order] for name, column in columns.items()},
        sequence="sequence",
        time="frame",
        columns=data.channel_names,
    )
    same_sequences(data, shuffled[[shuffled.names.index(name) for name in data.names]])


@given(any_sequences(min_frames=6), st.data())
def test_gaps_are_refused_filled_or_passed_over(data, draw):
    dropped = [draw.draw(st.integers(3, n - 2)) for n in data.lengths]
    columns = to_columns(data)
    gone = np.zeros(len(columns["frame"]), dtype=bool)
    for name, frame in zip(data.names, dropped, strict=True):
        gone |= (columns["sequence"] == name) & (columns["frame"] == frame)
    table = {name: column[~gone] for name, column in columns.items()}
    roles = {"sequence": "sequence", "time": "frame", "columns": data.channel_names}
    with pytest.raises(ValueError, match="not evenly spaced"):
        from_table(table, **roles)
    filled = from_table(table, gaps="fill", **roles)
    kept = from_table(table, gaps="keep", **roles)
    for i, frame in enumerate(dropped):
        expected = data[i].copy()
        expected[frame] = np.nan
        np.testing.assert_array_equal(filled[i], expected)
        np.testing.assert_array_equal(kept[i], np.delete(data[i], frame, axis=0))


def test_labels_that_never_change_belong_to_the_sequence():
    table = pd.DataFrame({"id": [1, 1, 2, 2], "x": [0.0, 1, 2, 3], "gait": ["run", "run", "walk", "run"]})
    data = from_table(table, sequence="id", side="gait")
    assert data.names == ("1", "2")
    assert data.labels == ["run", ["walk", "run"]]


def test_missing_labels_are_unlabelled_in_every_library():
    columns = {"id": [1, 2, 3], "x": [0.0, 1.0, 2.0], "gait": ["run", None, "walk"]}
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        assert from_table(make(columns), sequence="id", side="gait").labels == ["run", None, "walk"]


def test_integer_labels_with_gaps_stay_integers():
    table = pd.DataFrame({"id": [1, 2, 3], "x": [0.0, 1.0, 2.0], "class": [3, None, 4]})
    assert from_table(table, sequence="id", side="class").label_names == (3, 4)


def test_columns_of_numbers_can_be_side_information():
    table = pl.DataFrame({"id": ["a", "a", "b"], "lat": [1.0, 1.0, 2.0], "long": [5.0, 5.0, 6.0], "x": [0, 1, 2]})
    data = from_table(table, sequence="id", side=["lat", "long"])
    assert data.label_names == ("lat", "long")
    np.testing.assert_array_equal(data.side, [[1, 5], [2, 6]])


def test_nullable_numbers_become_nan():
    table = pd.DataFrame({"x": pd.array([1, None, 3], dtype="Int64")})
    np.testing.assert_array_equal(from_table(table)[0][:, 0], [1, np.nan, 3])


def test_dates_a_month_apart_are_evenly_spaced():
    months = pd.date_range("1990-01-01", periods=24, freq="MS")
    table = pd.DataFrame({"when": months, "x": np.arange(24.0)})
    assert from_table(table, time="when", columns=["x"])[0].shape == (24, 1)
    with pytest.raises(ValueError, match=r"after time 1990-04-01.* comes 1990-06-01"):
        from_table(table.drop(4), time="when", columns=["x"])
    assert np.isnan(from_table(table.drop(4), time="when", columns=["x"], gaps="fill")[0][4, 0])


def test_dates_may_be_text():
    table = {"when": ["2020-01-03", "2020-01-01", "2020-01-02"], "x": [3.0, 1.0, 2.0]}
    assert from_table(table, time="when")[0][:, 0].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("table", "roles", "message"),
    [
        ({"t": [0, 1, 1], "x": [0.0, 1, 2]}, {"time": "t"}, r"time 1 more than once \(rows 1 and 2"),
        ({"t": [0, None, 1], "x": [0.0, 1, 2]}, {"time": "t"}, "column 't' has no time in row 1"),
        ({"t": [0, 1, 2.5, 3.5], "x": [0.0] * 4}, {"time": "t", "gaps": "fill"}, "cannot be filled"),
        ({"t": ["soon", "later"], "x": [0.0, 1]}, {"time": "t"}, "neither numbers nor dates"),
        ({"id": ["a", None], "x": [0.0, 1]}, {"sequence": "id"}, "which sequence row 1 belongs to"),
        ({"x": [0.0, 1]}, {"sequence": "who"}, r"no column 'who'; its columns are \['x'\]"),
        ({"x": [0.0, 1]}, {"gaps": "fold"}, "gaps is 'fold'"),
        ({"x": [0.0, 1], "z": ["7", "8"]}, {}, "column 'z' has numbers written as text, such as '7'"),
        ({"x": [0.0, 1], "y": [0.5, 1.0]}, {"side": "y"}, r"such as 0.5, no labels: .* side=\['y'\]"),
        (pd.DataFrame([[0.0, 1.0]], columns=["x", "x"]), {}, "column names are not unique"),
        (pd.DataFrame([[0.0, 1.0]], columns=[1, "1"]), {}, "column names are not unique"),
        ({"x": ["a", "b"]}, {}, "no column of numbers"),
        ({"x": ["1", "b"]}, {"columns": ["x"]}, "column 'x' is not made of numbers: row 0 has '1'"),
        ({"x": []}, {"columns": ["x"]}, "no rows"),
        ({"x": [1.0], "y": [1.0, 2.0]}, {}, "differ in length"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(table, roles, message):
    with pytest.raises(ValueError, match=message):
        from_table(table, **roles)


@pytest.mark.parametrize("rate", [30, 60, 120])
def test_times_rounded_to_milliseconds_are_evenly_spaced(rate):
    times = np.round(np.arange(1000) / rate, 3)
    table = {"t": times, "x": np.arange(1000.0)}
    np.testing.assert_array_equal(from_table(table, time="t")[0][:, 0], table["x"])
    gone = np.delete(np.arange(1000), [3, 4, 700])
    filled = from_table({"t": times[gone], "x": gone.astype(float)}, time="t", gaps="fill")[0]
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(filled[:, 0])), [3, 4, 700])


@pytest.mark.parametrize("rate", [30, 60])
@given(rows=st.integers(5, 60), gap=st.integers(2, 3000))
def test_a_gap_in_rounded_times_is_filled_rightly_or_not_at_all(rate, rows, gap):
    frames = np.concatenate([np.arange(rows), rows - 1 + gap + np.arange(rows)])
    table = {"t": np.round(frames / rate, 3), "x": frames.astype(float)}
    filled = None
    with contextlib.suppress(ValueError):
        filled = from_table(table, time="t", gaps="fill")[0][:, 0]
    if filled is None:
        assert gap > rows  # short gaps can be counted
    else:
        np.testing.assert_array_equal(np.flatnonzero(~np.isnan(filled)), frames)


@pytest.mark.parametrize("rates", [(25, 30), (50, 60), (24, 25), (25.0, 26.0)])
@pytest.mark.parametrize("gaps", ["error", "fill"])
def test_sequences_of_different_frame_rates_are_refused(rates, gaps):
    times = np.concatenate([np.round(np.arange(80) / rate, 3) for rate in rates])
    table = {"who": np.repeat(["a", "b"], 80), "t": times, "x": np.arange(160.0)}
    with pytest.raises(ValueError, match="expected one frame rate"):
        from_table(table, sequence="who", time="t", gaps=gaps)
    one = {"t": np.concatenate([times[:80], times[79] + times[81:160]]), "x": np.arange(159.0)}
    with pytest.raises(ValueError, match="not evenly spaced"):
        from_table(one, time="t", gaps=gaps)


def test_the_last_days_of_months_are_evenly_spaced():
    table = pd.DataFrame({"when": pd.date_range("2019-01-31", periods=48, freq="ME"), "x": np.arange(48.0)})
    assert len(from_table(table, time="when")[0]) == 48
    filled = from_table(table.drop(range(10, 20)), time="when", gaps="fill")[0]
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(filled[:, 0])), np.arange(10, 20))


def test_a_gap_in_quarters_is_told_in_months():
    table = {"t": ["2020-01-01", "2020-04-01", "2020-07-01", "2021-01-01"], "x": np.arange(4.0)}
    with pytest.raises(ValueError, match=r"comes 2021-01-01, one step is 3 months"):
        from_table(table, time="t")


def test_a_gap_in_dates_is_told_in_days():
    table = pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-09"]), "x": [0.0, 1.0, 2.0]})
    with pytest.raises(ValueError, match=r"comes 2020-01-09.*, one step is 2 days, 0:00:00; gaps='fill'"):
        from_table(table, time="when")


@pytest.mark.filterwarnings("error")
def test_times_with_an_offset_are_those_of_one_clock():
    table = {"t": ["2020-01-01T10:00+01:00", "2020-01-01T10:00+00:00", "2020-01-01T11:00+00:00"], "x": [0.0, 1.0, 2.0]}
    np.testing.assert_array_equal(from_table(table, time="t")[0][:, 0], [0, 1, 2])


def test_side_information_holds_in_frames_that_were_filled_in():
    table = {"t": [0, 1, 4, 5], "x": np.arange(4.0), "gait": list("aabb"), "speed": [1.0, 2.0, 3.0, 3.0]}
    filled = from_table(table, time="t", columns=["x"], side="gait", gaps="fill")
    assert filled.labels == [["a", "a", "a", "a", "b", "b"]]
    filled = from_table(table, time="t", columns=["x"], side=["speed"], gaps="fill")
    np.testing.assert_array_equal(filled.side[0][:, 0], [1, 2, 2, 2, 3, 3])


def test_decimals_are_numbers():
    table = pa.table({"x": [0.5, 1.5], "price": pa.array([Decimal("1.25"), None])})
    np.testing.assert_array_equal(from_table(table)[0], [[0.5, 1.25], [1.5, np.nan]])


def test_something_that_is_no_table_is_refused():
    with pytest.raises(TypeError, match="table is a list"):
        from_table([1, 2, 3])


def test_columns_that_would_share_a_name_are_refused():
    data = from_table({"frame": [1.0, 2.0]})
    with pytest.raises(ValueError, match="share names"):
        to_columns(data)
