"""Several processes carry out jobs side by side, and find what one alone finds."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings

import equinox as eqx
import pytest

from tsbn.learning.engine import TrainingDiverged
from tsbn.reproduce import EXPERIMENTS, Experiment, Job
from tsbn.reproduce.crew import Alone, _carry_out, crew
from tsbn.reproduce.running import begin, finish, reproduce
from tsbn.reproduce.workers import THREADS, few_threads, shares_of_cores

PLAIN = ("persistence", "AR(1)", "AR(2)", "AR(1) bias per style")
needs_data = pytest.mark.skipif("TSBN_DATA" not in os.environ, reason="needs the real data")
needs_cores = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two cores to bind to"
)


def test_every_core_has_one_worker():
    assert shares_of_cores(1, {4, 5, 6}) == [{4, 5, 6}]
    assert shares_of_cores(3, {4, 5, 6, 7}) == [{4, 7}, {5}, {6}]
    with pytest.raises(ValueError, match="workers is 3, expected at most as many as there are cores: 2"):
        shares_of_cores(3, {0, 1})
    with pytest.raises(ValueError, match="workers is 0"), crew(0):
        pass


def test_new_processes_have_few_threads_unless_told_otherwise(monkeypatch):
    given, *others = THREADS
    monkeypatch.setenv(given, "7")
    for name in others:
        monkeypatch.delenv(name, raising=False)
    with few_threads(2):
        assert [os.environ[name] for name in THREADS] == ["7", *["2"] * len(others)]
    assert [os.environ.get(name) for name in THREADS] == ["7", *[None] * len(others)]


@needs_cores
def test_every_worker_is_bound_to_its_share():
    with crew(2) as hands:
        asked = [hands._pool.submit(_cores_and_pid, 2.0) for _ in range(2)]
        (one, first), (other, second) = (future.result() for future in asked)
    assert first != second
    assert [one, other] in (shares_of_cores(2), shares_of_cores(2)[::-1])


def _cores_and_pid(seconds):
    time.sleep(seconds)  # so that the other worker takes the other call
    return os.sched_getaffinity(0), os.getpid()


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
    assert sorted(name for name, _ in told) == sorted(f"mocap2: {name}, seed 0: done" for name in PLAIN)
    assert sum(work for _, work in told) == pytest.approx(begun.work)


def toy(run):
    return Experiment("toy", "A toy.", lambda: [Job("ours", run)])


def test_whatever_a_job_fails_by_can_be_sent_back_from_a_worker(tmp_path, monkeypatch):
    def diverging(seed, folder):
        raise TrainingDiverged("it diverged", eqx.nn.Identity())

    monkeypatch.setitem(EXPERIMENTS, "toy", toy(diverging))
    with pytest.raises(RuntimeError, match="it diverged") as caught:
        _carry_out("toy", "ours", 0, tmp_path, "now")
    assert str(pickle.loads(pickle.dumps(caught.value))) == "it diverged"


def test_warnings_of_a_job_come_back_with_what_it_found(tmp_path, monkeypatch):
    def doubtful(seed, folder):
        warnings.warn("take care", stacklevel=1)
        return []

    (tmp_path / "trials").mkdir()
    monkeypatch.setitem(EXPERIMENTS, "toy", toy(doubtful))
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        outcome, heard = _carry_out("toy", "ours", 3, tmp_path, "now")
    assert (outcome.seed, outcome.commit, [str(one) for one in heard]) == (3, "now", ["take care"])


def test_what_another_run_has_done_in_the_meantime_is_not_done_again(tmp_path):
    calls = []
    experiment = toy(lambda seed, folder: calls.append(seed) or [])
    alone = Alone(lambda name, work: None)
    first, second = (begin(experiment, tmp_path, alone) for _ in range(2))
    finish(first)
    finish(second)
    assert calls == [0]


@needs_cores
def test_only_known_experiments_can_be_told_to_others_by_name(tmp_path):
    with crew(2) as hands, pytest.raises(ValueError, match="toy is none of tsbn's own experiments"):
        begin(toy(lambda seed, folder: []), tmp_path, hands)


@needs_cores
def test_data_that_are_not_there_end_the_run_as_they_do_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("TSBN_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="cmu35WalkJog"), crew(2) as hands:
        finish(begin(EXPERIMENTS["mocap2"], tmp_path / "out", hands, models=PLAIN))


@pytest.fixture
def running(tmp_path):
    """A run of two workers, one of which has its job done while the other trains, in a group of its own."""
    asked = ["reproduce", "mocap2", "--models", "persistence", "FCTSBN", "--workers", "2", "--out", str(tmp_path)]
    command = [sys.executable, "-c", "import sys; from tsbn.cli import main; sys.exit(main())", *asked]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for(lambda: (tmp_path / "mocap2" / "trials" / "persistence.0.json").exists())
    yield process
    if at_work(process.pid):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()


def wait_for(state, seconds=120):
    until = time.monotonic() + seconds
    while not state():
        assert time.monotonic() < until
        time.sleep(0.2)


def at_work(group):
    """The processes of a group that have not ended, and what they run."""
    command = ["ps", "-eww", "-o", "pgid=,pid=,stat=,args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line.split(maxsplit=3) for line in listed.splitlines()]
    return {int(pid): args for pgid, pid, stat, args in lines if pgid == str(group) and stat[0] != "Z"}


def workers(group):
    return [pid for pid, args in at_work(group).items() if "spawn_main" in args]


def interrupted_as_by_a_terminal(process):
    os.killpg(process.pid, signal.SIGINT)
    return 130, "stopped"


def interrupted_alone(process):
    os.kill(process.pid, signal.SIGINT)
    return 130, "stopped"


def killed(process):
    os.kill(process.pid, signal.SIGKILL)
    return -signal.SIGKILL, ""


def robbed_of_a_worker(process):
    os.kill(workers(process.pid)[0], signal.SIGKILL)
    return 1, "a worker was ended from outside"


@needs_data
@needs_cores
@pytest.mark.parametrize("end", [interrupted_as_by_a_terminal, interrupted_alone, killed, robbed_of_a_worker])
def test_however_a_run_ends_no_worker_stays_and_what_is_done_is_kept(end, running, tmp_path):
    assert len(workers(running.pid)) == 2
    code, said = end(running)
    assert running.wait(timeout=60) == code
    wait_for(lambda: not at_work(running.pid), seconds=30)
    assert said in running.stderr.read().decode()
    kept = tmp_path / "mocap2" / "trials"
    assert json.loads((kept / "persistence.0.json").read_text())["model"] == "persistence"
    assert not (kept / "FCTSBN.0.json").exists()
