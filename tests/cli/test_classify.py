"""``tsbn train --semi`` and ``tsbn classify``: from partly labelled data to recognised styles, tables and pictures."""

import csv
import json

import jax
import pytest

import tsbn
from tsbn.cli import main

SMALL = ["--hidden", "4", "--factors", "2", "--steps", "2", "--every", "1", "--batch", "2", "--window", "10"]
WALKS = ["walker", "--options", "styles=normal,cat", "frames=40"]


def train(*words) -> int:
    with jax.numpy_dtype_promotion("standard"):
        return main(["train", *map(str, words)])


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "walk.tsbn"
    assert train(*WALKS, *SMALL, "--semi", "-o", path) == 0
    return path


def test_what_was_trained_recognises_writes_and_draws(walk, tmp_path, capsys):
    table, matrix, curve = tmp_path / "found.csv", tmp_path / "matrix.png", tmp_path / "curve.svg"
    words = ["-o", table, "--confusion", matrix, "--reliability", curve, "--json"]
    assert main(["classify", str(walk), *map(str, words)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["recognised"].values()) <= {"normal", "cat"}
    assert 0 <= found["accuracy"] <= 1
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["label"] for row in rows] == list(found["recognised"].values())
    assert sum(float(rows[0][f"p({style})"]) for style in ("normal", "cat")) == pytest.approx(1, abs=1e-4)
    assert matrix.read_bytes()[:4] == b"\x89PNG"
    assert curve.read_text().startswith("<?xml")
    assert main(["classify", str(walk)]) == 0
    assert "right, calibration error" in capsys.readouterr().out


def test_the_same_file_generates(walk, tmp_path, capsys):
    assert isinstance(tsbn.load(walk), tsbn.SemiSupervised)
    assert main(["generate", str(walk), "--path", "normal:12 | cat:12", "-o", str(tmp_path / "walk.bvh")]) == 0
    capsys.readouterr()
    assert main(["info", str(walk)]) == 0
    assert "recognises: labels one a sequence, classifier softmax" in capsys.readouterr().out


def test_labels_come_from_a_file_or_are_left_out(tmp_path, capsys):
    names = tsbn.datasets.load("walker", styles=["normal", "cat"], frames=40).train.names
    labels = tmp_path / "labels.csv"
    labels.write_text("sequence,label\n" + f"{names[0]},normal\n{names[-1]},cat\n")
    assert train(*WALKS, *SMALL, "--semi", "--labels", labels, "-o", tmp_path / "a.tsbn") == 0
    assert train(*WALKS, *SMALL, "--semi", "--labels", "1", "-o", tmp_path / "b.tsbn") == 0
    assert f"2 of {len(names)} sequences keep their labels" in capsys.readouterr().out
    more = [*WALKS, "walkers=2", *SMALL, "--semi", "--labels", "1", "--rounds", "2", "-o", tmp_path / "d.tsbn"]
    assert train(*more) == 0
    assert "done after 2 of 2 rounds" in capsys.readouterr().out
    assert tsbn.load(tmp_path / "d.tsbn").rounds_ == 2
    capsys.readouterr()
    for text, message in (
        (f"{names[0]},normal\n{names[-1]},run\n", "holds the label 'run', but the data have the styles normal, cat"),
        (f"{names[0]},normal\n", "labels no sequence as 'cat'"),
        (f"{names[0]},normal\n{names[0]},cat\n", "more than once, and differently"),
        (f"{names[0]},\n", "holds no label at all"),
    ):
        labels.write_text("sequence,label\n" + text)
        assert train(*WALKS, *SMALL, "--semi", "--labels", labels, "-o", tmp_path / "c.tsbn") == 2
        assert message in capsys.readouterr().err
    assert train(*WALKS, *SMALL, "--semi", "--labels", "abc", "-o", tmp_path / "c.tsbn") == 2
    assert "expected a number of sequences a style, or a CSV file" in capsys.readouterr().err
    assert train(*WALKS, *SMALL, "--semi", "--model", "tsbn", "-o", tmp_path / "c.tsbn") == 2
    assert "--semi learns styles, which a tsbn has not" in capsys.readouterr().err
    labels.write_text("sequence,label\nnobody,cat\n")
    assert train(*WALKS, *SMALL, "--semi", "--labels", labels, "-o", tmp_path / "c.tsbn") == 2
    assert "labels the sequence 'nobody', which the data do not have" in capsys.readouterr().err
    for choice in (("--alpha", "5"), ("--rounds", "2")):
        assert train(*WALKS, *SMALL, *choice, "-o", tmp_path / "c.tsbn") == 2
        assert "which only --semi learns: add it" in capsys.readouterr().err
    assert train(*WALKS, *SMALL, "--semi", "--rounds", "0", "-o", tmp_path / "c.tsbn") == 1
    assert "rounds is 0, expected a whole number of at least 1" in capsys.readouterr().err
    assert train(*WALKS, *SMALL, "--labels", "1", "-o", tmp_path / "c.tsbn") == 2
    assert "only --semi can learn from" in capsys.readouterr().err


def test_a_model_that_knows_no_labels_is_refused(tmp_path, capsys):
    assert train(*WALKS, *SMALL, "-o", tmp_path / "plain.tsbn") == 0
    capsys.readouterr()
    assert main(["classify", str(tmp_path / "plain.tsbn")]) == 2
    assert "train it with --semi" in capsys.readouterr().err
