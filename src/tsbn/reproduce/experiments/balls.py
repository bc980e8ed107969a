"""Bouncing balls, from the predecessor's paper: the next picture from those before it."""

from functools import cache

import tsbn
from tsbn.reproduce.experiment import Experiment, Job
from tsbn.reproduce.predicting import Task, in_two, one_step, plain

FILMS = 4000
"""To learn from. A model of millions of weights learns a few hundred films by heart (docs/results.md)."""
ORDER = 2
TRAINING = {"gradient": "straight-through", "slips": 0.0, "window": 20, "every": 500}


@cache
def task():
    """All test films; pixels are not scaled."""
    train, test = in_two(tsbn.datasets.load("balls", sequences=FILMS))
    return [Task(train, test, {"all": list(range(len(test)))}, skip=ORDER)]


def model(**settings) -> tsbn.TSBN:
    """A model of binary pictures."""
    return tsbn.TSBN(observation="bernoulli", **TRAINING | settings)


def jobs() -> list[Job]:
    """Linear models, and ours.

    A layer of stochastic units is hardly more than logistic regression here: where the balls go on is no matter of
    chance. Rectified units say where a ball is and how it moves, so the best model has a layer of them.
    """
    best = {"hidden": (600, 50), "deterministic": True, "order": ORDER, "steps": 5000, "rate": 3e-3}
    models = {
        "TSBN": lambda: model(hidden=(100,), steps=1000, rate=2e-3),
        "DTSBN-S": lambda: model(hidden=(100, 100), steps=1000, rate=2e-3),
        "DTSBN-D best": lambda: model(**best),
    }
    # A hundredth of the films is enough to choose the best parameters by.
    takes = {"DTSBN-D best": 1000.0}
    ours = [one_step(name, make, task, validation=0.01, takes=takes.get(name, 90.0)) for name, make in models.items()]
    return plain(task, orders=range(1, ORDER + 1), takes=100.0) + ours


EXPERIMENT = Experiment(
    name="balls",
    summary="Films of three bouncing balls: squared error of one-step predictions, summed over the pixels of a frame.",
    jobs=jobs,
)
