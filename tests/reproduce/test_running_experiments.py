"""An experiment runs every job once for every seed, keeps what is done, and tells mean and spread."""

import json
import os
import re
from importlib import metadata

import numpy as np
import pytest

import tsbn
from tsbn.baselines import Persistence
from tsbn.data import Sequences
from tsbn.reproduce import EXPERIMENTS, Experiment, Finding, Job, reproduce
from tsbn.reproduce.crew import Alone
from tsbn.reproduce.experiments import mocap2
from tsbn.reproduce.predicting import Task, by_label, linear, one_step, plain
from tsbn.reproduce.results import version
from tsbn.reproduce.running import Unfinished, begin, finish


def counting(calls):
    def run(seed, folder):
        calls.append(seed)
        return [Finding("walk", "error", 1.0 + seed), Finding("run", "error", 2.0)]

    return run


@pytest.fixture
def calls():
    return []


@pytest.fixture
def experiment(calls):
    jobs = [Job("ours", counting(calls)), Job("plain", lambda seed, folder: [Finding("walk", "error", 5.0)], True)]
    return Experiment("toy", "A toy.", lambda: jobs, paper={("ours", "walk"): 1.5})


def test_rows_hold_mean_spread_and_the_papers_figure(experiment, tmp_path):
    rows = {(row.model, row.setting): row for row in reproduce(experiment, tmp_path, trials=3)}
    assert rows["ours", "walk"].mean == pytest.approx(2.0)
    assert rows["ours", "walk"].std == pytest.approx(1.0)
    assert rows["ours", "walk"].paper == 1.5
    assert rows["ours", "run"].paper is None
    assert (rows["plain", "walk"].trials, rows["plain", "walk"].std) == (1, None)


def test_the_papers_figures_stand_only_beside_their_metric(tmp_path):
    findings = [Finding("walk", "accuracy", 80.0), Finding("walk", "accuracy (end)", 70.0)]
    job = Job("ours", lambda seed, folder: findings)
    toy = Experiment("toy", "A toy.", lambda: [job], paper={("ours", "walk"): 78.0}, paper_metric="accuracy")
    assert [row.paper for row in reproduce(toy, tmp_path)] == [78.0, None]


def test_what_is_written_is_what_is_told(experiment, tmp_path):
    rows = reproduce(experiment, tmp_path, trials=2)
    told = json.loads((tmp_path / "results.json").read_text())
    assert told["experiment"] == "toy"
    assert told["rows"] == [vars(row) for row in rows]
    assert "| ours | 1.5 ± 0.707 [1.5] | 2 ± 0 |" in (tmp_path / "results.md").read_text()


def test_a_second_run_goes_on_where_the_first_stopped(experiment, calls, tmp_path):
    reproduce(experiment, tmp_path, trials=2)
    rows = reproduce(experiment, tmp_path, trials=3)
    assert calls == [0, 1, 2]
    assert next(row for row in rows if row.model == "ours").trials == 3


def test_a_line_of_several_jobs_keeps_each_and_adds_up_their_time(tmp_path, calls):
    def part(name):
        def run(seed, folder):
            calls.append((name, seed))
            return [Finding(name, "error", 1.0)]

        return Job("ours", run, part=name)

    toy = Experiment("toy", "A toy.", lambda: [part("walk"), part("run")])
    rows = reproduce(toy, tmp_path, trials=2)
    assert [(row.model, row.setting, row.trials) for row in rows] == [("ours", "walk", 2), ("ours", "run", 2)]
    assert calls == [("walk", 0), ("run", 0), ("walk", 1), ("run", 1)]
    kept = sorted((tmp_path / "trials").glob("*.json"))
    assert [path.name for path in kept] == [
        "ours_run.0.json",
        "ours_run.1.json",
        "ours_walk.0.json",
        "ours_walk.1.json",
    ]
    took = sum(json.loads(path.read_text())["seconds"] for path in kept)
    assert rows[0].seconds == pytest.approx(took / 2)


@pytest.fixture
def at_version(monkeypatch):
    """The library as if it were of the version that is given."""

    def be(version):
        monkeypatch.setattr("tsbn.reproduce.running.version", lambda: version)
        monkeypatch.setattr("tsbn.reproduce.crew.version", lambda: version)

    return be


def test_trials_of_another_version_are_told_and_not_taken_for_this_ones(experiment, calls, tmp_path, at_version):
    def told():
        return json.loads((tmp_path / "results.json").read_text())["commit"]

    at_version("0123-dirty")
    reproduce(experiment, tmp_path)
    assert told() == "0123-dirty"
    at_version("4567")
    with pytest.warns(
        UserWarning, match=r"2 of 3 trials in .* \(0123-dirty; now it is 4567\).* those of ours, plain\."
    ):
        reproduce(experiment, tmp_path, trials=2)
    assert told() == "4567, 0123-dirty"
    assert calls == [0, 1]
    for path in (tmp_path / "trials").iterdir():  # as they were before versions were kept
        path.write_text(
            json.dumps({name: one for name, one in json.loads(path.read_text()).items() if name != "commit"})
        )
    with pytest.warns(UserWarning, match=r"3 of 3 trials in .* \(unknown; now it is 4567\)"):
        reproduce(experiment, tmp_path, trials=2)
    assert told() == "unknown"


def test_the_version_is_that_of_the_library_alone(monkeypatch, tmp_path):
    """Within the repository a commit, or one that was changed since; elsewhere the release."""
    found = version.__wrapped__()
    assert re.fullmatch(r"[0-9a-f]{40}(-dirty)?|release \d.*", found)
    monkeypatch.setattr(tsbn, "__file__", str(tmp_path / "__init__.py"))
    assert version.__wrapped__() == f"release {metadata.version('tsbn')}"


def test_several_experiments_are_begun_before_the_first_is_finished(experiment, calls, tmp_path):
    """The jobs of a crew that works alone run when they are asked for, in order."""
    seen = []
    alone = Alone(lambda name, work: seen.append((name, work)))
    begun = [begin(experiment, tmp_path / name, alone, trials=2) for name in ("a", "b")]
    assert calls == []
    assert [row.trials for row in finish(begun[1])] == [2, 2, 1]
    assert calls == [0, 1]
    finish(begun[0])
    assert calls == [0, 1, 0, 1]
    assert seen[:2] == [("toy: ours, seed 0", 0.0), ("toy: ours, seed 0: done", 60.0)]
    assert sum(work for _, work in seen) == begun[0].work + begun[1].work == 2 * 3 * 60.0


def test_what_was_kept_is_no_work_any_more(experiment, tmp_path):
    reproduce(experiment, tmp_path, trials=2)
    assert begin(experiment, tmp_path, Alone(lambda name, work: None), trials=3).work == 60.0


def test_a_job_that_fails_does_not_take_the_others_along(tmp_path, calls):
    def broken(seed, folder):
        raise ArithmeticError("it diverged")

    jobs = [Job("broken", broken), Job("ours", counting(calls))]
    with pytest.raises(Unfinished, match="broken, seed 0: it diverged"):
        reproduce(Experiment("toy", "A toy.", lambda: jobs), tmp_path)
    assert [row["model"] for row in json.loads((tmp_path / "results.json").read_text())["rows"]] == ["ours", "ours"]
    assert not (tmp_path / "trials" / "broken.0.json").exists()


def test_only_the_models_asked_for_run(experiment, calls, tmp_path):
    rows = reproduce(experiment, tmp_path, models=("plain",))
    assert [row.model for row in rows] == ["plain"]
    assert calls == []
    with pytest.raises(ValueError, match="no model 'other': known are ours, plain"):
        reproduce(experiment, tmp_path, models=("other",))


def test_running_one_model_keeps_the_others_in_the_table(experiment, calls, tmp_path):
    reproduce(experiment, tmp_path, trials=2)
    (tmp_path / "trials" / "plain.0.json").unlink()
    rows = reproduce(experiment, tmp_path, trials=2, models=("plain",))
    assert [(row.model, row.trials) for row in rows] == [("ours", 2), ("ours", 2), ("plain", 1)]
    assert calls == [0, 1]


NO_NUMBER = '{"model": "ours", "seed": 1, "seconds": 1.0, "findings": [["walk", "error", "abc"]]}'


@pytest.mark.parametrize("content", ["{", "[]", '{"model": "ours"}', NO_NUMBER])
def test_a_damaged_trial_is_told_by_name_and_takes_no_other_along(experiment, calls, tmp_path, content):
    reproduce(experiment, tmp_path, trials=2)
    (tmp_path / "trials" / "ours.1.json").write_text(content)
    for models in (), ("plain",):
        with pytest.raises(Unfinished, match=r"ours.1.json does not hold a trial .* remove it to run that again"):
            reproduce(experiment, tmp_path, trials=2, models=models)
    assert len(json.loads((tmp_path / "results.json").read_text())["rows"]) == 3


def test_one_step_errors_are_those_of_persistence(tmp_path):
    steps = Sequences([np.arange(6.0)[:, None], 3 * np.arange(6.0)[:, None]], side=["slow", "fast"])
    task = Task(steps, steps, by_label(steps, "average"), skip=2)
    job = one_step("persistence", Persistence, lambda: [task], settled=True)
    found = {finding.setting: finding.value for finding in job.run(0, tmp_path)}
    assert found == pytest.approx({"slow": 1.0, "fast": 9.0, "average": 5.0})
    names = [job.model for job in plain(lambda: [task], orders=(1, 2), styled=(1,))]
    assert names == ["persistence", "AR(1)", "AR(2)", "AR(1) bias per style"]


def test_linear_models_have_what_their_names_say(tmp_path):
    """Two styles at levels of their own, which go back to them at speeds of their own."""
    rng = np.random.default_rng(0)
    values = np.zeros((2, 300, 1))
    for t in range(1, 300):
        values[:, t] = [[1.0], [-1.0]] + np.array([[0.9], [-0.9]]) * values[:, t - 1] + 0.1 * rng.normal(size=(2, 1))
    data = Sequences(list(values), side=["slow", "hasty"])
    task = Task(data, data, {"all": [0, 1]}, skip=20)
    jobs = [linear(lambda: [task], 1, own) for own in ("", "bias per style", "weights per style")]
    assert [job.model for job in jobs] == ["AR(1)", "AR(1) bias per style", "AR(1) weights per style"]
    common, biased, apart = (next(iter(job.run(0, tmp_path))).value for job in jobs)
    assert apart == pytest.approx(0.01, rel=0.3)
    assert apart < 0.95 * biased < 0.95 * common


@pytest.mark.skipif("TSBN_DATA" not in os.environ, reason="needs the real data")
@pytest.mark.parametrize("order", [1, 2, 6])
def test_models_of_every_order_are_judged_by_the_same_frames_of_mocap2(order):
    (task,) = mocap2.task(order)
    (first,) = mocap2.task(1)
    for led, plain_one in zip(task.test, first.test, strict=True):
        assert np.array_equal(led[task.skip :], plain_one[first.skip :])
        assert len(led) == len(plain_one) + order - 1


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_plain_model_or_says_its_bounds(name):
    jobs = EXPERIMENTS[name].jobs()
    titles, names = [job.title for job in jobs], [job.model for job in jobs]
    assert len(set(titles)) == len(titles)
    assert {model for model, _ in EXPERIMENTS[name].paper} & set(names) or not EXPERIMENTS[name].paper
