"""Jobs that fit a model to one part of some data and measure its one-step errors on another."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tsbn.baselines import Autoregression, Persistence, squared_errors
from tsbn.data import Scaler, Sequences, led_in
from tsbn.datasets import Parts
from tsbn.reproduce.experiment import Finding, Job

METRIC = "squared error"
"""Summed over channels, averaged over frames, in units of the training data's spread."""
FACTORS = 50  # of the paper's FCTSBN
ALGORITHM_1 = {"gradient": "nvil"}
"""The paper's own estimator. It predicts better than the default one where sequences are few (docs/prediction.md)."""


@dataclass(frozen=True)
class Task:
    """Data to fit and to predict, and the settings (names of groups of test sequences) that errors are told for.

    `skip`: how many frames of each test sequence are only there to predict the others from.
    """

    train: Sequences
    test: Sequences
    settings: dict[str, list[int]]
    skip: int

    def looking_back(self, order: int) -> Task:
        """The same task, and the same frames to judge, for a model of this order.

        Where it looks further back than the skipped frames reach, sequences stand still before they begin: its first
        predictions would else be made from a jump.
        """
        lead = max(order - self.skip, 0)
        return replace(self, train=led_in(self.train, lead), test=led_in(self.test, lead), skip=self.skip + lead)

    def findings(self, predicted: list[np.ndarray]) -> Iterator[Finding]:
        """Mean error of each group of sequences."""
        errors = squared_errors(self.test, predicted, self.skip)
        for setting, at in self.settings.items():
            yield Finding(setting, METRIC, float(errors[at].mean()))


def in_two(parts: Parts) -> tuple[Sequences, Sequences]:
    """Training and test part as they are."""
    if parts.test is None:
        raise ValueError("the data have no test part")
    return parts.train, parts.test


def scaled(parts: Parts) -> tuple[Sequences, Sequences]:
    """Training and test part with zero mean and unit variance over the training part."""
    train, test = in_two(parts)
    scaler = Scaler.fit(train)
    return scaler.transform(train), scaler.transform(test)


def one_step(
    name: str,
    make: Callable[[], Any],
    tasks: Callable[[], Iterable[Task]],
    *,
    settled: bool = False,
    takes: float = 60.0,
    **fitting: Any,
) -> Job:
    """The job of a model that has `fit` and `predict`, over one or several tasks; `fitting` is passed on to `fit`."""

    def run(seed: int, folder: Path) -> Iterator[Finding]:
        for task in tasks():
            model = make()
            seeded = {"seed": seed} if "seed" in inspect.signature(model.fit).parameters else {}
            model.fit(task.train, **seeded, **fitting)
            seeded = {"seed": seed} if "seed" in inspect.signature(model.predict).parameters else {}
            yield from task.findings(model.predict(task.test, **seeded).mean)

    return Job(name, run, settled, takes=takes)


LINEAR = {"": {}, "bias per style": {"bias": "style"}, "weights per style": {"weights": "style"}}
"""What each style has of its own in a linear model."""


def linear(tasks: Callable[[], Iterable[Task]], order: int, own: str = "", *, takes: float = 1.0) -> Job:
    """A linear autoregression, of which each style may have its `own` bias, or its weights too (see `LINEAR`)."""
    make = partial(Autoregression, order, **LINEAR[own])
    return one_step(f"AR({order}) {own}".strip(), make, tasks, settled=True, takes=takes)


def plain(
    tasks: Callable[[], Iterable[Task]], orders: Iterable[int], styled: Iterable[int] = (), *, takes: float = 1.0
) -> list[Job]:
    """Persistence, linear autoregressions of these orders, and of the `styled` ones with a bias per style."""
    return [
        one_step("persistence", Persistence, tasks, settled=True, takes=1.0),
        *(linear(tasks, n, takes=takes) for n in orders),
        *(linear(tasks, n, "bias per style", takes=takes) for n in styled),
    ]


def by_label(test: Sequences, average: str | None = None) -> dict[str, list[int]]:
    """A setting for each label of the test sequences, and, if it has a name, one of them all."""
    labels = [str(label) for label in test.labels or ()]
    found = {label: [i for i, one in enumerate(labels) if one == label] for label in dict.fromkeys(labels)}
    return found if average is None else found | {average: list(range(len(labels)))}
