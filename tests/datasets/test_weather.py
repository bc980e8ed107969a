"""Weather: 125 places of 156 months, of which 25 on an even grid; baselines as measured before."""

import numpy as np
import pytest

from tsbn import datasets
from tsbn.data import Scaler, from_csv, join_in_time
from tsbn.data.download import find


def test_the_file_has_125_places_of_156_months(real_data):
    path = find(datasets.about("weather").files[0])
    table = from_csv(path, columns=["YEAR", "MONTH", "LAT", "LONG"])[0]
    places, months = np.unique(table[:, 2:], axis=0, return_counts=True)
    assert len(places) == 125
    assert set(months) == {156}


@pytest.mark.parametrize("grid", range(4))
def test_25_places_on_an_even_grid(real_data, grid):
    parts = datasets.load("weather", grid=grid)
    assert parts.train.lengths.tolist() == [144] * 25
    assert parts.test.lengths.tolist() == [12] * 25
    assert parts.train.channels == 17
    assert "UV" not in parts.train.channel_names
    places = np.array([[float(degrees) for degrees in name.split(",")] for name in parts.train.names])
    for axis, step in ((0, 2.5), (1, 7.5)):
        found = np.unique(places[:, axis])
        np.testing.assert_allclose(np.diff(found), [step] * 4)
    assert not any(np.isnan(array).any() for part in (parts.train, parts.test) for array in part)


def test_side_information_in_three_forms(real_data):
    two, ten, all_ = (datasets.load("weather", side=side).train for side in ("2d", "10d", "25d"))
    assert [data.styles for data in (two, ten, all_)] == [2, 10, 25]
    np.testing.assert_array_equal(np.array(ten.side).sum(axis=1), 2)
    np.testing.assert_array_equal(all_.side, np.eye(25))
    assert np.unique(np.array(two.side)).tolist() == [-1, -0.5, 0, 0.5, 1]
    # All three tell the same place.
    for row in range(25):
        north, east = np.argmax(ten.side[row][:5]), np.argmax(ten.side[row][5:])
        np.testing.assert_allclose(two.side[row], [north / 2 - 1, east / 2 - 1])
        assert north * 5 + east == row


def test_wrong_options_are_named(real_data):
    with pytest.raises(ValueError, match="grid is 4: expected 0 to 3"):
        datasets.load("weather", grid=4)
    with pytest.raises(ValueError, match="side is '3d'"):
        datasets.load("weather", side="3d")


def test_context_gives_the_test_part_its_past(real_data):
    parts = datasets.load("weather", context=6)
    assert parts.test.lengths.tolist() == [18] * 25
    np.testing.assert_array_equal(parts.test[3][:6], parts.train[3][-6:])


@pytest.mark.parametrize("grid", range(4))
def test_simple_predictions_err_as_measured_before(real_data, grid):
    parts = datasets.load("weather", grid=grid)
    scaler = Scaler.fit(parts.train)
    scaled = np.stack(list(scaler.transform(join_in_time(parts.train, parts.test))))
    persistence = ((scaled[:, 144:] - scaled[:, 143:-1]) ** 2).sum(-1).mean()
    last_year = ((scaled[:, 144:] - scaled[:, 132:144]) ** 2).sum(-1).mean()
    past = np.stack([scaled[:, t - 6 : t].reshape(25, -1) for t in range(6, 156)], axis=1)
    past = np.concatenate([past, np.ones((*past.shape[:2], 1))], axis=-1)
    known, wanted = past[:, :138].reshape(-1, 103), scaled[:, 6:144].reshape(-1, 17)
    weights = np.linalg.solve(known.T @ known + 10 * np.eye(103), known.T @ wanted)
    linear = ((past[:, 138:] @ weights - scaled[:, 144:]) ** 2).sum(-1).mean()
    assert 5.6 < persistence < 6.5
    assert 4.7 < last_year < 5.8
    assert 3.15 < linear < 3.4
