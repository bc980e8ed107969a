"""Running an experiment: job after job, each kept when it is done, so that a run goes on where it stopped."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tsbn.arguments import seed_number, whole_number
from tsbn.data.nearest import nearest
from tsbn.reproduce.crew import FAILURES, Alone, Crew, Promise, Watcher, told
from tsbn.reproduce.experiment import Experiment, Job
from tsbn.reproduce.results import Outcome, Row, kept_at, table, version, write_results


class Unfinished(RuntimeError):
    """Some jobs failed; the results of the others are written."""


class Begun(NamedTuple):
    """An experiment whose jobs are taken: what each is called, and the promise of what it finds.

    `work`: about how many seconds of one core it takes, without what was kept of earlier runs.
    """

    experiment: Experiment
    folder: Path
    promises: list[tuple[str, Promise]]
    work: float


def reproduce(
    experiment: Experiment,
    folder: Path,
    *,
    trials: int = 1,
    seed: int = 0,
    models: tuple[str, ...] = (),
    watch: Watcher = lambda name, work: None,
) -> list[Row]:
    """Run what has not been run yet and write `results.json`, `results.md` and the figures to the folder.

    `models` runs only those of the table that are named; of the others the results show what was run before. A job that
    fails does not stop the others; what failed is told at the end.
    """
    return finish(begin(experiment, folder, Alone(watch), trials=trials, seed=seed, models=models))


def begin(
    experiment: Experiment,
    folder: Path,
    crew: Crew,
    *,
    trials: int = 1,
    seed: int = 0,
    models: tuple[str, ...] = (),
) -> Begun:
    """Give a crew what has not been run yet; several experiments may be begun before the first is finished."""
    asked = {job.model for job, _ in runs(experiment, trials, seed, models)}
    (folder / "trials").mkdir(parents=True, exist_ok=True)
    promises: list[tuple[str, Promise]] = []
    work = 0.0
    for job, one_seed in runs(experiment, trials, seed):
        path, name = kept_at(folder, job, one_seed), told(experiment, job, one_seed)
        if path.exists():
            promises.append((name, partial(Outcome.load, path)))
        elif job.model in asked:
            promises.append((name, crew.take(experiment, job, one_seed, folder)))
            work += job.takes
    return Begun(experiment, folder, promises, work)


def finish(begun: Begun) -> list[Row]:
    """Wait for what the jobs find, and write it."""
    experiment, folder, promises, _ = begun
    outcomes, failed = [], []
    for name, promise in promises:
        try:
            outcomes.append(promise())
        except FAILURES as error:
            failed.append(f"{name}: {error}")
    rows = table(outcomes, experiment.paper, experiment.paper_metric)
    write_results(experiment, rows, folder, tell_other_versions(outcomes, folder))
    if experiment.figures is not None and rows:
        experiment.figures(rows, folder)
    if failed:
        raise Unfinished("some figures are missing:\n" + "\n".join(failed))
    return rows


def tell_other_versions(outcomes: list[Outcome], folder: Path) -> str:
    """The versions of the library that found the figures, with a warning where it was not the present one."""
    now = version()
    others = [outcome for outcome in outcomes if outcome.commit != now]
    versions = sorted({outcome.commit or "unknown" for outcome in others})
    if others:
        warnings.warn(
            f"{len(others)} of {len(outcomes)} trials in {folder / 'trials'} were run by another version of the "
            f"library ({', '.join(versions)}; now it is {now}), perhaps with other settings: those of "
            f"{', '.join(dict.fromkeys(outcome.model for outcome in others))}. Remove their files to run them anew",
            stacklevel=3,
        )
    return ", ".join(dict.fromkeys([*(now for outcome in outcomes if outcome.commit == now), *versions]))


def runs(experiment: Experiment, trials: int, seed: int, models: tuple[str, ...] = ()) -> list[tuple[Job, int]]:
    """All jobs with their seeds; all models once before any twice, so that an early look shows the whole table."""
    trials, seed = whole_number("trials", trials), seed_number(seed)
    jobs = experiment.jobs()
    known = list(dict.fromkeys(job.model for job in jobs))
    for name in models:
        if name not in known:
            raise ValueError(f"{experiment.name} has no model {name!r}: {nearest(name, known)}")
    chosen = [job for job in jobs if not models or job.model in models]
    return [(job, seed + trial) for trial in range(trials) for job in chosen if trial == 0 or not job.settled]
