"""The training benchmark writes the figures it measured, and nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import train
from configurations import CONFIGURATIONS
from numpy_reference import operations_per_step

SCRIPT = Path(train.__file__)


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True)


def test_a_run_replaces_the_file_by_one_row_a_configuration(tmp_path):
    target = tmp_path / "figures.json"
    target.write_text("older")
    done = run("--json", target, "--only", "D", "tsbn-1", "--rounds", 1, "--seconds", 0.01)
    assert done.returncode == 0, done.stderr
    rows = json.loads(target.read_text())["rows"]
    assert [row["config"] for row in rows] == ["D", "tsbn-1"]
    assert all(row["numpy_frames_per_second"] > 0 and row["looping_frames_per_second"] > 0 for row in rows)
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_folder_is_told_before_anything_is_measured(tmp_path):
    done = run("--json", tmp_path / "nowhere" / "figures.json")
    assert done.returncode == 2
    assert "nowhere does not exist" in done.stderr


def test_a_row_has_medians_over_rounds_the_better_thread_count_and_the_share_of_the_peak():
    configuration = CONFIGURATIONS[0]
    rates = {
        ("A", "library"): [100.0, 300.0, 200.0],
        ("A", "careful/1"): [50.0, 70.0, 60.0],
        ("A", "careful/2"): [40.0, 90.0, 50.0],
        ("A", "looping/1"): [5.0],
        ("B", "careful/1"): [1000.0],
    }
    row = train.summarise(configuration, rates, peak=2.0)
    share = 200 * operations_per_step(configuration) / configuration.frames / 2e9
    assert row == {
        "config": "A",
        "frames_per_second": 200.0,
        "numpy_frames_per_second": 60.0,
        "looping_frames_per_second": 5.0,
        "peak_fraction": pytest.approx(share),
    }


def test_rounds_stop_when_the_next_would_pass_the_limit(monkeypatch):
    monkeypatch.setattr(train, "sgemm_peak", lambda: {"numpy": 3.0, "xla": 4.0})
    monkeypatch.setattr(train, "contest", lambda configuration, seconds: {"library": 1.0})
    quiet = train.Console(quiet=True)
    rates, peak = train.measure([CONFIGURATIONS[0]], rounds=9, seconds=0, limit=0, console=quiet)
    assert rates == {("A", "library"): [1.0]}
    assert peak == 4.0
