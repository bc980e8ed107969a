"""Running an experiment: job after job, each kept when it is done, so that a run goes on where it stopped."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import jax

from tsbn.arguments import seed_number, whole_number
from tsbn.data.nearest import nearest
from tsbn.reproduce.experiment import Experiment, Job
from tsbn.reproduce.results import Outcome, Row, table, write_results

Watcher = Callable[[str, bool], None]
"""Told before (False) and after (True) each job."""


class Unfinished(RuntimeError):
    """Some jobs failed; the results of the others are written."""


def reproduce(
    experiment: Experiment,
    folder: Path,
    *,
    trials: int = 1,
    seed: int = 0,
    models: tuple[str, ...] = (),
    watch: Watcher = lambda told, done: None,
) -> list[Row]:
    """Run what has not been run yet and write `results.json`, `results.md` and the figures to the folder.

    `models` runs only those of the table that are named; of the others the results show what was run before. A job that
    fails does not stop the others; what failed is told at the end.
    """
    trials, seed = whole_number("trials", trials), seed_number(seed)
    kept = folder / "trials"
    kept.mkdir(parents=True, exist_ok=True)
    asked = {job.model for job, _ in runs(experiment, trials, seed, models)}
    outcomes, failed, before = [], [], None
    for job, one_seed in runs(experiment, trials, seed):
        path = kept / f"{re.sub(r'[^A-Za-z0-9.()+-]+', '_', job.title)}.{one_seed}.json"
        told = f"{experiment.name}: {job.title}, seed {one_seed}"
        try:
            if path.exists():
                outcomes.append(Outcome.load(path))
            elif job.model in asked:
                if job.model != before:
                    jax.clear_caches()  # hundreds of compiled programs would not fit; the parts of a line share theirs
                before = job.model
                watch(told, False)
                outcomes.append(_run(job, one_seed, folder, path))
        except (ArithmeticError, ValueError, RuntimeError) as error:
            failed.append(f"{told}: {error}")
        if job.model in asked:
            watch(told, True)
    rows = table(outcomes, experiment.paper, experiment.paper_metric)
    write_results(experiment, rows, folder)
    if experiment.figures is not None and rows:
        experiment.figures(rows, folder)
    if failed:
        raise Unfinished("some figures are missing:\n" + "\n".join(failed))
    return rows


def runs(experiment: Experiment, trials: int, seed: int, models: tuple[str, ...] = ()) -> list[tuple[Job, int]]:
    """All jobs with their seeds; all models once before any twice, so that an early look shows the whole table."""
    jobs = experiment.jobs()
    known = list(dict.fromkeys(job.model for job in jobs))
    for name in models:
        if name not in known:
            raise ValueError(f"{experiment.name} has no model {name!r}: {nearest(name, known)}")
    chosen = [job for job in jobs if not models or job.model in models]
    return [(job, seed + trial) for trial in range(trials) for job in chosen if trial == 0 or not job.settled]


def _run(job: Job, seed: int, folder: Path, path: Path) -> Outcome:
    started = time.perf_counter()
    findings = tuple(job.run(seed, folder))
    outcome = Outcome(job.model, seed, time.perf_counter() - started, findings)
    outcome.save(path)
    return outcome
