"""Several processes carry out jobs side by side, and find what one alone finds."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time

import equinox as eqx
import pytest

from tsbn.learning.engine import TrainingDiverged
from tsbn.reproduce import EXPERIMENTS, Experiment, Job
from tsbn.reproduce.crew import _carry_out, crew, shares_of_cores
from tsbn.reproduce.running import begin, finish, reproduce

needs_data = pytest.mark.skipif("TSBN_DATA" not in os.environ, reason="needs the real data")
needs_cores = pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two cores")
PLAIN = ("persistence", "AR(1)", "AR(2)", "AR(1) bias per style")


def test_every_core_has_one_worker():
    assert shares_of_cores(1, {4, 5, 6}) == [{4, 5, 6}]
    assert shares_of_cores(3, {4, 5, 6, 7}) == [{4, 7}, {5}, {6}]
    with pytest.raises(ValueError, match="workers is 3, expected at most as many as there are cores: 2"):
        shares_of_cores(3, {0, 1})
    with pytest.raises(ValueError, match="workers is 0"), crew(0):
        pass


@needs_data
@needs_cores
def test_side_by_side_finds_the_same_and_tells_every_job(tmp_path):
    told = []
    with crew(2, lambda name, work: told.append((name, work))) as hands:
        begun = begin(EXPERIMENTS["mocap2"], tmp_path / "two", hands, models=PLAIN)
        rows = finish(begun)
    alone = reproduce(EXPERIMENTS["mocap2"], tmp_path / "one", models=PLAIN)
    assert [(row.model, row.setting) for row in rows] == [(row.model, row.setting) for row in alone]
    assert [row.mean for row in rows] == pytest.approx([row.mean for row in alone], rel=1e-4)
    assert sorted(name for name, _ in told) == sorted(f"mocap2: {name}, seed 0" for name in PLAIN)
    assert sum(work for _, work in told) == pytest.approx(begun.work)
    assert len(list((tmp_path / "two" / "trials").glob("*.json"))) == len(PLAIN)


def test_whatever_a_job_fails_by_can_be_sent_back_from_a_worker(tmp_path, monkeypatch):
    def diverging(seed, folder):
        raise TrainingDiverged("it diverged", eqx.nn.Identity())

    toy = Experiment("toy", "A toy.", lambda: [Job("broken", diverging)])
    monkeypatch.setitem(EXPERIMENTS, "toy", toy)
    with pytest.raises(RuntimeError, match="it diverged") as caught:
        _carry_out("toy", "broken", 0, tmp_path)
    assert str(pickle.loads(pickle.dumps(caught.value))) == "it diverged"


@needs_cores
def test_data_that_are_not_there_end_the_run_as_they_do_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("TSBN_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="cmu35WalkJog"), crew(2) as hands:
        finish(begin(EXPERIMENTS["mocap2"], tmp_path / "out", hands, models=PLAIN))


def at_work(group):
    """The processes of a group that have not ended, by what the system tells of all processes."""
    listed = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if line.split()[0] == str(group) and line.split()[1][0] != "Z"]


@needs_data
@needs_cores
def test_an_interrupted_run_ends_its_workers_and_keeps_what_is_done(tmp_path):
    """Killed as a terminal does it, in the middle of a long training."""
    asked = ["reproduce", "mocap2", "--models", "persistence", "FCTSBN", "--workers", "2", "--out", str(tmp_path)]
    command = [sys.executable, "-c", "import sys; from tsbn.cli import main; sys.exit(main())", *asked]
    running = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kept = tmp_path / "mocap2" / "trials" / "persistence.0.json"
    until = time.monotonic() + 120
    while not kept.exists() and time.monotonic() < until:
        time.sleep(0.2)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(timeout=60) == 130
    while time.monotonic() < until and at_work(running.pid):
        time.sleep(0.2)
    assert not at_work(running.pid)
    assert json.loads(kept.read_text())["model"] == "persistence"
    assert not kept.with_name("FCTSBN.0.json").exists()
