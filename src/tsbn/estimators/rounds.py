"""Learning in rounds: what one round recognises, the next one learns from as if it had been told."""

import dataclasses
import os
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from itertools import pairwise
from pathlib import Path

import numpy as np

from tsbn.estimators.calibration import Calibration
from tsbn.estimators.classifying import Recogniser
from tsbn.estimators.fitting import check_checkpoint
from tsbn.estimators.training_data import TrainingData
from tsbn.learning.checkpoint import OtherRun
from tsbn.learning.engine import Callback, Report, TrainingDiverged, remedy
from tsbn.learning.recipe import Recipe

SAMPLES = 2
"""Of the hidden units, by which the model of a round is asked. Later rounds forgive what few samples get wrong,
and with many, asking takes longer than learning."""


class Relay:
    """Tells the callbacks of all rounds, and remembers whether one of them ended the training."""

    def __init__(self, callbacks: tuple[Callback, ...]):
        self._callbacks = callbacks
        self.stopped = False

    def __call__(self, report: Report) -> bool:
        answers = [callback(report) for callback in self._callbacks]
        self.stopped |= any(answers)
        return self.stopped


def files_of_rounds(checkpoint: str | os.PathLike | None, rounds: int) -> list[Path | None]:
    """Where each round keeps its checkpoint.

    >>> [str(file) for file in files_of_rounds("run.ckpt", 2)]
    ['run.ckpt', 'run.round2.ckpt']
    """
    if checkpoint is None:
        return [None] * rounds
    first = Path(checkpoint)
    return [first, *(first.with_name(f"{first.stem}.round{n}{first.suffix}") for n in range(2, rounds + 1))]


def check_files(files: list[Path | None], resume: bool) -> None:
    """No round of an earlier run is overwritten, nor taken for one of this run."""
    for file in files:
        check_checkpoint(file, resume)
    for before, file in pairwise(files):
        if before is not None and file is not None and file.exists() and not before.exists():
            raise FileExistsError(
                f"the checkpoint {file} exists, but {before}, the round before it, does not: delete it"
            )


def check_rounds(rounds: int, data: TrainingData) -> None:
    """Whole sequences are recognised, so they must have one label each, or none."""
    if rounds > 1 and any(len(row) > 1 for row in data.sides):
        raise ValueError(
            f"rounds is {rounds}, but labels change or are partly missing within sequences, which are recognised as a "
            "whole between the rounds; expected rounds=1, or sequences cut such that each has one label or none"
        )


def without_labels(data: TrainingData) -> list[int]:
    """The sequences that are learnt from without a label."""
    return [i for i, row in enumerate(data.sides) if data.lengths[i] and np.isnan(row).all()]


def with_own_labels(model: Recogniser, data: TrainingData, seed: int) -> TrainingData:
    """The data with the labels that a fitted model gives to the sequences without any."""
    blank, asked = without_labels(data), copy(model)
    asked.calibration_ = Calibration()  # a few held-out labels are not to silence the generator
    chances = asked.predict_label_proba([data.arrays[i] for i in blank], by="both", samples=SAMPLES, seed=seed)
    given = np.eye(chances.shape[1], dtype=np.float32)[chances.argmax(axis=1)]
    sides = list(data.sides)
    for i, row in zip(blank, given, strict=True):
        sides[i] = row[None]
    return dataclasses.replace(data, sides=sides)


@contextmanager
def later_round(model: Recogniser, number: int, file: Path | None, relay: Relay, recipe: Recipe) -> Iterator[None]:
    """A later round takes the place of the one before it only if it comes to its end."""
    before = {name: value for name, value in vars(model).items() if name.endswith("_")}
    finished = False
    try:
        yield
        finished = not relay.stopped or model.generator_.history_[-1]["step"] == recipe.steps
    except TrainingDiverged as problem:
        raise TrainingDiverged(
            f"round {number} became unstable, and the model of round {number - 1} is kept. {remedy(recipe)}",
            before["label_model_"],
        ) from problem
    except OtherRun as problem:
        raise OtherRun(
            f"{problem}. To the data of round {number} belong the labels that the model found before: "
            f"delete {file} to learn this round anew"
        ) from None
    finally:
        if not finished:
            vars(model).update(before)
