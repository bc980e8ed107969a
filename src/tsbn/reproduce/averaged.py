"""Several trainings of one model as one model: what chance put into each of them cancels out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from tsbn.arguments import whole_number
from tsbn.data import Sequences
from tsbn.estimators.results import Predictions


class Averaged:
    """`trainings` models that differ by their seed alone; the prediction is that of their even mixture.

    Trials with different seeds have no training in common.
    """

    def __init__(self, make: Callable[[], Any], trainings: int):
        self.make, self.trainings = make, whole_number("trainings", trainings)

    def fit(self, sequences: Sequences, *, seed: int = 0, **fitting: Any) -> Self:
        seeds = range(seed * self.trainings, (seed + 1) * self.trainings)
        self.models_ = [self.make().fit(sequences, seed=one, **fitting) for one in seeds]
        return self

    def predict(self, sequences: Sequences, *, seed: int = 0) -> Predictions:
        """Mean and standard deviation of the mixture."""
        found = [model.predict(sequences, seed=seed) for model in self.models_]
        means = [np.stack(of_models) for of_models in zip(*(one.mean for one in found), strict=True)]
        stds = [np.stack(of_models) for of_models in zip(*(one.std for one in found), strict=True)]
        return Predictions(
            [mean.mean(axis=0) for mean in means],
            [np.sqrt(mean.var(axis=0) + np.square(std).mean(axis=0)) for mean, std in zip(means, stds, strict=True)],
        )
