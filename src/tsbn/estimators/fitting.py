"""Carrying out a training run: checkpoints, the progress bar, and keeping what was learnt on the way."""

import os
import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
from jaxtyping import PRNGKeyArray

from tsbn.learning.checkpoint import Checkpoints, load_checkpoint, save_checkpoint
from tsbn.learning.corpus import Corpus, Places, Window
from tsbn.learning.display import ProgressBar
from tsbn.learning.engine import Callback, Progress, Watch, begin, check, train
from tsbn.learning.gradients.estimator import GradientEstimator
from tsbn.learning.recipe import Recipe


class Job(NamedTuple):
    """What is to be trained, on what, and how; `identity` is what a checkpoint must have in common with it."""

    model: eqx.Module
    recipe: Recipe
    corpus: Corpus
    held_out: tuple[Places, Window] | None
    window: Window
    identity: dict[str, Any]
    estimator: GradientEstimator | None = None
    watch: Watch = check


def carry_out(
    job: Job,
    keys: tuple[PRNGKeyArray, PRNGKeyArray],
    learned: Callable[[Progress], None],
    *,
    callbacks: tuple[Callback, ...],
    progress: bool | None,
    checkpoint: str | os.PathLike | None,
    title: str = "training",
) -> None:
    """Train; `learned` is told the state of things at the beginning and after every epoch."""
    run = begin(job.model, job.recipe, keys[0], job.estimator)
    if checkpoint is not None:
        run = load_checkpoint(checkpoint, run, job.identity) if Path(checkpoint).exists() else run
        save_checkpoint(checkpoint, run, job.identity)  # a place that cannot be written to is found now
    learned(run)
    watchers: list[Callback] = [lambda report: learned(report.progress)]
    with ExitStack() as stack:
        if checkpoint is not None:
            watchers.append(Checkpoints(checkpoint, job.identity))
        watchers.append(stack.enter_context(ProgressBar(job.recipe.steps, title, progress)))
        every = (*watchers, *callbacks)
        run = train(run, job.corpus, job.held_out, job.recipe, job.window, keys[1], every, job.estimator, job.watch)
    if job.held_out is not None and job.watch is check:
        warn_of_an_early_best(run.history, job.recipe)


class EarlyBest(UserWarning):
    """The model that is kept is one from before the training was in earnest."""


def warn_of_an_early_best(history: Iterable[dict[str, float]], recipe: Recipe) -> None:
    """Say so where the held-out frames chose a model that had hardly begun to learn, and what to do about it."""
    looks = list(history)
    warmed_up = recipe.warm_up * recipe.steps
    best = max(looks, key=lambda row: row["validation"])["step"]
    if best < warmed_up <= looks[-1]["step"]:
        warnings.warn(
            f"the bound on held-out frames was best at step {best:g} of {recipe.steps}, while the divergence was still "
            f"being warmed up (until step {warmed_up:g}), and not reached again: that model is kept. "
            "If held-out frames are unlike the others, as the ends of short recordings are, validation=0 learns all "
            "there is; if the model is too large for the data, fewer steps or smaller layers do better.",
            EarlyBest,
            stacklevel=4,
        )


def check_checkpoint(checkpoint: str | os.PathLike | None, resume: bool) -> None:
    """A run is not overwritten by accident. To resume one that has not begun is to begin it."""
    if resume and checkpoint is None:
        raise ValueError("resume is True, but checkpoint is None: expected the file to go on from")
    if checkpoint is not None and Path(checkpoint).exists() and not resume:
        raise FileExistsError(f"the checkpoint {checkpoint} exists already; pass resume=True to continue that run")


def all_callable(callbacks: Iterable[Callback]) -> tuple[Callback, ...]:
    """The callbacks, if they are that."""
    given = tuple(callbacks) if isinstance(callbacks, Iterable) else (callbacks,)
    for callback in given:
        if not callable(callback):
            raise TypeError(f"callbacks holds {callback!r:.60}, expected functions that take a report")
    return given
