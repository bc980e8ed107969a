"""Tables as people have them: ids and labels that are numbers, columns that never change, files that changed since."""

import csv
import dataclasses
import json

import jax
import numpy as np
import pytest

from tsbn.cli import UsageError, main
from tsbn.cli.judged import judged_data
from tsbn.cli.sources import Source
from tsbn.data import from_csv, save_npz
from tsbn.preparation import Preparation

SMALL = ["--hidden", "4", "--factors", "2", "--steps", "2", "--every", "1", "--batch", "2", "--window", "10"]
OPTIONS = ["--options", "sequence=shop", "time=day", "side=region"]
SHOPS, DAYS = (100, 200, 300, 400), 30


def write_panel(path, fixed=lambda day: 5, columns=("sales", "fixed")):
    values = {"sales": lambda shop, day: np.sin(day / 3 + shop), "fixed": lambda shop, day: fixed(day)}
    rows = [[s, d, s // 200, *(values[name](s, d) for name in columns)] for s in SHOPS for d in range(DAYS)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["shop", "day", "region", *columns], *rows])
    return str(path)


def train(*words) -> int:
    with jax.numpy_dtype_promotion("standard"):
        return main(["train", *map(str, words)])


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    """A table, and a model of it; the column `fixed` never changes."""
    folder = tmp_path_factory.mktemp("panel")
    table = write_panel(folder / "panel.csv")
    assert train(table, *OPTIONS, *SMALL, "-o", folder / "shops.tsbn") == 0
    return table, str(folder / "shops.tsbn")


@pytest.fixture(scope="module")
def semi(panel, tmp_path_factory):
    """The same, told the regions of three shops by a file."""
    folder = tmp_path_factory.mktemp("semi")
    (folder / "labels.csv").write_text("sequence,label\n100,0\n200,1\n400,2\n")
    words = ["--semi", "--labels", folder / "labels.csv", "-o", folder / "semi.tsbn"]
    assert train(panel[0], *OPTIONS, *SMALL, *words) == 0
    return str(folder / "semi.tsbn")


def test_the_truth_beside_a_forecast_is_what_the_data_say(panel, tmp_path, capsys):
    other = write_panel(tmp_path / "other.csv", fixed=lambda day: 50 + day)
    words = ["--from", "20", "--horizon", "5", "--samples", "9", "-o", str(tmp_path / "next.csv")]
    assert main(["forecast", panel[1], other, *OPTIONS, *words]) == 0
    rows = [
        row for row in csv.DictReader((tmp_path / "next.csv").read_text().splitlines()) if row["channel"] == "fixed"
    ]
    assert [row["sequence"] for row in rows[:5]] == ["100"] * 5
    assert [float(row["truth"]) for row in rows[:5]] == [70, 71, 72, 73, 74]
    assert {float(row["mean"]) for row in rows} == {5}  # all that the model knows


def test_other_data_are_judged_though_the_training_table_has_changed(tmp_path):
    source = Source.parse(write_panel(tmp_path / "panel.csv"), OPTIONS[1:])
    preparation = Preparation.fit(source.load().train, source=dataclasses.asdict(source))
    other = write_panel(tmp_path / "other.csv")
    assert len(judged_data(preparation, other, OPTIONS[1:]).train or ()) == len(SHOPS)
    write_panel(tmp_path / "panel.csv", columns=("sales",))
    judged = judged_data(preparation, other, OPTIONS[1:])
    assert judged.train is None
    assert len(judged.test) == len(SHOPS)


def test_labels_that_are_numbers_stay_numbers_in_what_is_generated(panel, tmp_path, capsys):
    made = str(tmp_path / "made.npz")
    assert main(["generate", panel[1], "--path", "1:20", "-o", made]) == 0
    assert main(["evaluate", panel[1], made]) == 0


def test_labels_from_a_file_are_those_of_the_data(semi, capsys):
    assert main(["classify", semi, "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["recognised"]) == ["100", "200", "300", "400"]


def test_sequences_of_the_same_name_are_told_apart(panel, semi, tmp_path, capsys):
    data = from_csv(panel[0], sequence="shop", time="day", side="region")
    save_npz(tmp_path / "twice.npz", data.replace(names=["a", "a (2)", "a", "a"]))
    assert main(["classify", semi, str(tmp_path / "twice.npz")]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in told[:4]] == ["a", "a (2)", "a (3)", "a (4)"]


def test_a_checkpoint_that_is_not_there_is_told_and_one_that_is_there_kept(panel, tmp_path, capsys):
    words = [panel[0], *OPTIONS, *SMALL, "--overwrite", "-o", tmp_path / "a.tsbn", "--checkpoint", tmp_path / "run"]
    assert train(*words, "--resume") == 0
    assert "there is no checkpoint" in capsys.readouterr().err
    assert train(*words) == 2
    assert "--resume goes on with that run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("side=region", "region"),
        ("side=temp,", ("temp",)),
        ("side=temp,open", ("temp", "open")),
        ("columns=2020,1e3", ("2020", "1e3")),
        ('columns="sales, net",visits', ("sales, net", "visits")),
        ('side="north, or east"', "north, or east"),
        ('sequence="my id"', "my id"),
        ('delimiter=";"', ";"),
        ("sequence=7", "7"),
        ("time=None", None),
        ("delimiter=,", ","),
        ("frame_rate=30", 30),
    ],
)
def test_options_are_what_they_were_meant_to_be(panel, option, value):
    ((_, found),) = Source.parse(panel[0], [option]).options.items()
    assert found == value


def test_an_option_without_a_value_is_refused(panel):
    with pytest.raises(UsageError, match="expected name=value"):
        Source.parse(panel[0], ["side"])
