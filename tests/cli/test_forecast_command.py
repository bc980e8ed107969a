"""``tsbn forecast``, settings in files and side information in numbers, of a model of places without styles."""

import csv
import json

import numpy as np
import pytest

from tsbn.cli import main

SMALL = ["--hidden", "4", "--factors", "2", "--steps", "2", "--every", "1", "--batch", "2", "--window", "10"]


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A model of waves around 1000, whose side information is two numbers."""
    import jax

    folder = tmp_path_factory.mktemp("places")
    rows = [[who, t, 1000 + np.sin(t / 3 + who), 0.5 * who, -1.0 - who] for who in range(3) for t in range(30)]
    with (folder / "waves.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["who", "t", "wave", "north", "east"], *rows])
    table = [str(folder / "waves.csv"), "--options", "sequence=who", "time=t", "side=north,east"]
    with jax.numpy_dtype_promotion("standard"):
        assert main(["train", *table, *SMALL, "-o", str(folder / "places.tsbn")]) == 0
    return str(folder / "places.tsbn")


def test_a_forecast_from_a_frame_is_scored_beside_plain_models(places, tmp_path, capsys):
    out = tmp_path / "next.npz"
    args = ["--from", "20", "--horizon", "15", "--samples", "20", "--quantiles", "0.5", "-o", str(out), "--json"]
    assert main(["forecast", places, *args]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told["scores"]) == ["FCTSBN", "persistence", "linear AR(1)"]
    assert all(set(row) == {"squared_error", "crps", "coverage"} for row in told["scores"].values())
    with np.load(out) as found:
        assert found["mean"].shape == found["q0.5"].shape == (3, 15, 1)
        assert (found["low"] <= found["q0.5"]).all()
        assert (found["q0.5"] <= found["high"]).all()
        # In the units of the data, and unknown beyond their end.
        np.testing.assert_allclose(found["truth"][0, :10, 0], 1000 + np.sin(np.arange(20, 30) / 3))
        assert np.isnan(found["truth"][:, 10:]).all()
        assert (abs(found["mean"] - 1000) < 50).all()


def test_a_forecast_beyond_the_end_goes_to_a_table_or_a_picture(places, tmp_path):
    out = tmp_path / "next.csv"
    assert main(["forecast", places, "--horizon", "4", "--side", "0.5,-1", "-o", str(out)]) == 0
    header, *rows = list(csv.reader(out.read_text().splitlines()))
    assert header == ["sequence", "frame", "channel", "mean", "std", "low", "high"]
    assert [row[1] for row in rows[:4]] == ["30", "31", "32", "33"]
    assert len(rows) == 3 * 4
    assert main(["forecast", places, "--horizon", "4", "-o", str(tmp_path / "next.png")]) == 0
    assert (tmp_path / "next.png").read_bytes().startswith(b"\x89PNG")


def test_settings_of_a_forecast_go_to_a_file_and_come_back(places, tmp_path, capsys):
    config = str(tmp_path / "run.toml")
    args = ["forecast", places, "--from", "20", "--horizon", "5", "--samples", "9", "--json"]
    assert main([*args, "--save-config", config]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(["forecast", "--config", config, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert main(["forecast", "--config", config, "--json", "--horizon", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["horizon"] == 3


def test_real_side_information_is_taken_as_it_is(places, tmp_path, capsys):
    out, rows = tmp_path / "new.csv", tmp_path / "side.csv"
    assert main(["generate", places, "--side", "0.5,-2", "--length", "3", "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["frames"] == 3
    header, *lines = list(csv.reader(out.read_text().splitlines()))
    assert header[-2:] == ["north", "east"]
    assert [[float(x) for x in line[-2:]] for line in lines] == [[0.5, -2.0]] * 3
    rows.write_text("frame,east,north\n0,-1,0\n1,-2,0.5\n")  # columns are known by their names
    assert main(["generate", places, "--side", str(rows), "-o", str(out), "--overwrite"]) == 0
    assert [line.split(",")[-2:] for line in out.read_text().splitlines()[1:]] == [["0.0", "-1.0"], ["0.5", "-2.0"]]


def test_a_file_without_the_columns_of_side_information_is_refused(places, tmp_path, capsys):
    rows = tmp_path / "side.csv"
    rows.write_text("latitude,longitude\n0,-1\n0.5,-2\n")
    assert main(["generate", places, "--side", str(rows), "-o", str(tmp_path / "new.csv")]) != 0
    assert "no column 'north'; its columns are ['latitude', 'longitude']" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["generate", "--path", "north:9", "-o", "a.csv"], "which are no shares of styles: give --side"),
        (["generate", "--side", "1,2,3", "--length", "4", "-o", "a.csv"], "--side has 3 columns"),
        (["generate", "--side", "1,2", "-o", "a.csv"], "give --length"),
        (["generate", "--side", "a,b", "--length", "4", "-o", "a.csv"], "expected numbers"),
        (["forecast", "--from", "99"], "the longest sequence has 30 frames"),
        (["forecast"], "what for?"),
        (["forecast", "--form", "20"], "did you mean '--from'?"),
        (["forecast", "--from", "9", "--interval", "90"], "--interval is 90"),
    ],
)
def test_what_cannot_be_is_exit_code_2(places, args, message, capsys):
    assert main([args[0], places, *args[1:]]) == 2
    assert message in capsys.readouterr().err


def test_the_exit_codes_are_told(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "exit codes:" in shown
    assert "forecast" in shown
