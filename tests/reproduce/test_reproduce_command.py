"""`tsbn reproduce` tells how far it has come, in lines where nobody watches, and what it was asked wrongly."""

import pytest

from tsbn.cli import main
from tsbn.reproduce import EXPERIMENTS, Experiment, Finding, Job


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    jobs = [Job(name, lambda seed, folder: [Finding("walk", "error", 1.0 + seed)], takes=30.0) for name in "ab"]
    monkeypatch.setitem(EXPERIMENTS, "toy", Experiment("toy", "A toy.", lambda: jobs))


def test_a_log_has_a_line_for_every_job(tmp_path, capsys):
    assert main(["reproduce", "toy", "--trials", "2", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert [line.split(", about")[0].strip() for line in lines] == [
        "25 % toy: a, seed 0: done",
        "50 % toy: b, seed 0: done",
        "75 % toy: a, seed 1: done",
        "100 % toy: b, seed 1: done",
    ]
    assert "left" not in lines[-1]
    assert "| a | 1.5 ± 0.707 |" in said.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--models", "c"], "toy has no model 'c': known are a, b"),
        (["--trials", "0"], "trials is 0, expected a whole number of at least 1"),
        (["--workers", "0"], "workers is 0, expected a whole number of at least 1"),
    ],
)
def test_a_mistyped_word_is_wrong_usage_and_nothing_begins(words, told, tmp_path, capsys):
    assert main(["reproduce", "toy", *words, "--out", str(tmp_path)]) == 2
    assert told in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_job_that_failed_or_was_stopped_is_not_told_as_done(tmp_path, capsys, monkeypatch):
    def broken(seed, folder):
        raise ArithmeticError("it diverged")

    def stopped(seed, folder):
        raise KeyboardInterrupt

    jobs = [Job("broken", broken), Job("stopped", stopped)]
    monkeypatch.setitem(EXPERIMENTS, "toy", Experiment("toy", "A toy.", lambda: jobs))
    assert main(["reproduce", "toy", "--out", str(tmp_path)]) == 130
    assert [line.split(", about")[0] for line in capsys.readouterr().err.splitlines()] == [
        " 50 % toy: broken, seed 0: failed",
        "tsbn: stopped",
    ]
