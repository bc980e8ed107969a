"""``tsbn judge``: the report of a model file, for people and for programs."""

import json

import jax
import pytest

from tsbn.cli import main

SMALL = ["--hidden", "4", "--factors", "2", "--steps", "2", "--every", "1", "--batch", "2", "--window", "10"]


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "walk.tsbn"
    data = ["walker", "--options", "styles=normal,cat", "frames=90"]
    with jax.numpy_dtype_promotion("standard"):
        assert main(["train", *data, *SMALL, "-o", str(path)]) == 0
    return str(path)


def test_programs_get_every_figure(walk, capsys):
    capsys.readouterr()
    few = ["--frames", "40", "--seeds", "2", "--long", "90", "--transitions", "--json"]
    assert main(["judge", walk, *few]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["judged_on"] == "walker"
    assert [row["style"] for row in told["styles"]] == ["normal", "cat"]
    assert all(row["sliding"] is not None and row["lasting"]["frames"] == 90 for row in told["styles"])
    # Hardly trained, the model is far from real motion, and the motion of another person is not.
    assert told["held_out"]["average"]["recognised"] > 0.9
    assert told["held_out"]["average"]["nearest"] < told["average"]["nearest"]
    assert [(row["begin"], row["end"]) for row in told["transitions"]["rows"]] == [("normal", "cat"), ("cat", "normal")]


def test_people_get_a_table(walk, capsys):
    assert main(["judge", walk, "walker", "--options", "styles=normal,cat", "frames=60", "--frames", "40"]) == 0
    printed = capsys.readouterr().out
    assert "recognised" in printed
    assert "real, held out" in printed


def test_options_without_data_are_refused(walk, capsys):
    assert main(["judge", walk, "--options", "frames=60"]) == 2
    assert "--options needs DATA" in capsys.readouterr().err


def test_data_with_other_channels_are_refused(walk, capsys):
    assert main(["judge", walk, "balls"]) == 1
    assert "channels" in capsys.readouterr().err
