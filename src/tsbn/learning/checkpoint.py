"""Checkpoints: a run saved between two epochs, from which it goes on bit for bit as if it had never stopped."""

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from tsbn.files import FileFormatError, named_arrays, read, with_arrays, write
from tsbn.learning.engine import Progress, Report
from tsbn.learning.recipe import Recipe
from tsbn.model.architecture import Architecture

KIND, VERSION = "checkpoint", 1


class OtherRun(ValueError):
    """A checkpoint was to be continued with other data or settings."""


def save_checkpoint(path: str | os.PathLike, progress: Progress, run: dict[str, Any]) -> None:
    """Write a checkpoint over the previous one, atomically. `run` says what the run is of: it must match on return."""
    header = {
        "kind": KIND,
        "version": VERSION,
        "run": run,
        "best_bound": progress.best_bound,
        "stale": progress.stale,
        "history": progress.history,
    }
    arrays = named_arrays(progress.state, "state.") | named_arrays(progress.best, "best.")
    write(path, arrays, header, overwrite=True)


def load_checkpoint(path: str | os.PathLike, blank: Progress, run: dict[str, Any]) -> Progress:
    """The saved progress of the same run; `blank` is that run before its first step."""
    arrays, header = read(path, KIND, VERSION)
    try:
        saved = header["run"]
        # A setting that was not there yet when the checkpoint was written was None then.
        was = {name: saved.get(name) for name in run}
        if differing := [f"{name} was {was[name]!r}, now {run[name]!r}" for name in run if was[name] != run[name]]:
            raise OtherRun(f"the checkpoint {path} is of another run: {'; '.join(differing)}")
        state = with_arrays(blank.state, arrays, "state.")
        best = with_arrays(blank.best, arrays, "best.")
        return Progress(state, best, header["best_bound"], header["stale"], tuple(header["history"]))
    except (KeyError, TypeError, FileFormatError) as problem:
        raise FileFormatError(f"{path} is a damaged checkpoint: {problem}") from None


class Checkpoints:
    """A callback that saves the run after every epoch."""

    def __init__(self, path: str | os.PathLike, run: dict[str, Any]):
        self.path = Path(path)
        self.run = run

    def __call__(self, report: Report) -> None:
        save_checkpoint(self.path, report.progress, self.run)


def describe_run(architecture: Architecture, recipe: Recipe, seed: int, data: str) -> dict[str, Any]:
    """What a checkpoint must have in common with the run that continues it, as JSON has it; `data` is a digest."""
    chosen = dataclasses.asdict(architecture) | dataclasses.asdict(recipe)
    return json.loads(json.dumps(chosen | {"seed": seed, "data": data}))
