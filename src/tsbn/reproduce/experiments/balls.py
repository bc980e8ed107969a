"""Bouncing balls, from the predecessor's paper: the next picture from those before it."""

from functools import cache

import tsbn
from tsbn.reproduce.experiment import Experiment, Job
from tsbn.reproduce.predicting import Task, in_two, one_step, plain

ORDER = 4


@cache
def task():
    """All test films; pixels are not scaled."""
    train, test = in_two(tsbn.datasets.load("balls"))
    return [Task(train, test, {"all": list(range(len(test)))}, skip=ORDER)]


def jobs() -> list[Job]:
    """Linear models of several orders, and ours."""
    models = {
        "TSBN": lambda: tsbn.TSBN(observation="bernoulli"),
        "TSBN best": lambda: tsbn.TSBN(observation="bernoulli", hidden=(200,), order=ORDER, steps=6000),
        "DTSBN-S": lambda: tsbn.TSBN(observation="bernoulli", hidden=(100, 100)),
    }
    return plain(task, orders=(1, 2, ORDER)) + [one_step(name, make, task) for name, make in models.items()]


EXPERIMENT = Experiment(
    name="balls",
    summary="Films of three bouncing balls: squared error of one-step predictions, summed over the pixels of a frame.",
    jobs=jobs,
)
