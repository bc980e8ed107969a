"""Rows of a table from the findings of many jobs, as JSON and as Markdown."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import tsbn
from tsbn.atomic import new_file
from tsbn.reproduce.experiment import Experiment, Finding, Job


@dataclass(frozen=True)
class Outcome:
    """What one job found with one seed, how long it took, and the version of the library that found it."""

    model: str
    seed: int
    seconds: float
    findings: tuple[Finding, ...]
    commit: str | None = None

    def save(self, path: Path) -> None:
        """Write to a file, so that a run that was interrupted need not do it again."""
        with new_file(path, overwrite=True) as temporary:
            temporary.write_text(json.dumps(dataclasses.asdict(self), indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Outcome:
        """Read what `save` wrote."""
        try:
            told = json.loads(path.read_text())
            findings = tuple(Finding(setting, metric, float(value)) for setting, metric, value in told["findings"])
            return cls(told["model"], told["seed"], told["seconds"], findings, told.get("commit"))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} does not hold a trial ({error!r:.80}): remove it to run that again") from error


def kept_at(folder: Path, job: Job, seed: int) -> Path:
    """Where an experiment's folder keeps what a job found."""
    return folder / "trials" / f"{re.sub(r'[^A-Za-z0-9.()+-]+', '_', job.title)}.{seed}.json"


@dataclass(frozen=True)
class Row:
    """One figure of the table: mean and standard deviation over trials, and what the paper has in its place."""

    model: str
    setting: str
    metric: str
    mean: float
    std: float | None
    trials: int
    paper: float | None
    seconds: float


def table(
    outcomes: Iterable[Outcome], paper: Mapping[tuple[str, str], float], paper_metric: str | None = None
) -> list[Row]:
    """Rows in the order in which models, settings and metrics first appear."""
    values: dict[tuple[str, str, str], list[float]] = {}
    seconds: dict[str, dict[int, float]] = {}
    for outcome in outcomes:
        of_trial = seconds.setdefault(outcome.model, {})
        of_trial[outcome.seed] = of_trial.get(outcome.seed, 0.0) + outcome.seconds  # a trial may take several jobs
        for setting, metric, value in outcome.findings:
            values.setdefault((outcome.model, setting, metric), []).append(value)
    return [
        Row(
            model=model,
            setting=setting,
            metric=metric,
            mean=fmean(found),
            std=stdev(found) if len(found) > 1 else None,
            trials=len(found),
            paper=paper.get((model, setting)) if paper_metric in (None, metric) else None,
            seconds=fmean(seconds[model].values()),
        )
        for (model, setting, metric), found in values.items()
    ]


def write_results(experiment: Experiment, rows: list[Row], folder: Path, versions: str) -> None:
    """`results.json` and `results.md` in the folder."""
    told = {
        "experiment": experiment.name,
        "commit": versions,
        "seconds": sum({row.model: row.seconds * row.trials for row in rows}.values()),
        "rows": [_plain(dataclasses.asdict(row)) for row in rows],
    }
    with new_file(folder / "results.json", overwrite=True) as temporary:
        temporary.write_text(json.dumps(told, indent=2) + "\n")
    with new_file(folder / "results.md", overwrite=True) as temporary:
        temporary.write_text(markdown(experiment, rows))


def markdown(experiment: Experiment, rows: list[Row]) -> str:
    """A table for every metric: a line a model, a column a setting, the paper's figure in brackets."""
    parts = [f"# {experiment.name}\n\n{experiment.summary}\n"]
    for metric in dict.fromkeys(row.metric for row in rows):
        of_it = {(row.model, row.setting): row for row in rows if row.metric == metric}
        settings = list(dict.fromkeys(setting for _, setting in of_it))
        lines = [f"| {metric} | {' | '.join(settings)} | s |", "|---|" + "---|" * (len(settings) + 1)]
        for model in dict.fromkeys(model for model, _ in of_it):
            cells = [_cell(of_it.get((model, setting))) for setting in settings]
            took = next(row.seconds for (name, _), row in of_it.items() if name == model)
            lines.append(f"| {model} | {' | '.join(cells)} | {took:.0f} |")
        parts.append("\n".join(lines) + "\n")
    explained = "Mean ± standard deviation over trials; [the paper's figure]; s: seconds a trial."
    return "\n".join([*parts, explained, experiment.notes]).rstrip() + "\n"


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    spread = "" if row.std is None else f" ± {row.std:.3g}"
    return f"{row.mean:.4g}{spread}" + ("" if row.paper is None else f" [{row.paper:g}]")


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """What JSON has no number for becomes null."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }


@cache
def version() -> str:
    """The last commit that changed the library, `-dirty` if it was changed since; its release outside a repository.

    Found once: what is imported stays as it is, whatever becomes of the files.
    """
    package = str(Path(tsbn.__file__).parent)
    try:
        _git("ls-files", "--error-unmatch", str(Path(tsbn.__file__)))  # within another's repository it is not its
        changed = _git("status", "--porcelain", "--", package)
        return _git("log", "-1", "--format=%H", "--", package) + ("-dirty" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return f"release {metadata.version('tsbn')}"


def _git(*asked: str) -> str:
    here = Path(tsbn.__file__).parent
    return subprocess.run(["git", *asked], cwd=here, capture_output=True, text=True, check=True).stdout.strip()
