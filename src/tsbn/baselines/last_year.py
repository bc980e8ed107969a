"""Last year's value: the next frame is the one a whole period ago."""

import dataclasses
from typing import Any, Self

import numpy as np

from tsbn.arguments import seed_number, whole_number
from tsbn.baselines.persistence import held
from tsbn.estimators.inputs import as_data
from tsbn.estimators.results import Forecast, Predictions


@dataclasses.dataclass(eq=False)
class LastYear:
    """Predicts what was seen `period` frames ago: 12 for months.

    >>> tides = np.tile([1.0, 5.0, 2.0], 4)[:, None]
    >>> LastYear(period=3).fit([tides]).predict([tides]).mean[0].ravel()[:7]
    array([0., 0., 0., 1., 5., 2., 1.])
    """

    period: int = 12

    def fit(self, sequences: Any, side: Any = None) -> Self:
        """Learn how much frames usually differ from those a period before, per channel."""
        period = whole_number("period", self.period)
        changes = [array[period:] - array[:-period] for array in as_data(sequences)]
        if not any(len(change) for change in changes):
            raise ValueError(f"no sequence is longer than the period of {period} frames")
        self.std_ = np.sqrt(np.nanmean(np.square(np.concatenate(changes)), axis=0))
        return self

    def predict(self, sequences: Any, side: Any = None) -> Predictions:
        """The frame a period before, for every frame; zero in the first period."""
        means = [
            np.vstack([np.zeros((self.period, array.shape[1])), held(array)])[: len(array)]
            for array in as_data(sequences)
        ]
        return Predictions(means, [np.broadcast_to(self.std_, mean.shape) for mean in means])

    def forecast(
        self, sequences: Any, side: Any = None, *, horizon: int, samples: int = 100, seed: int = 0
    ) -> list[Forecast]:
        """The last period over and over, a random step away from itself each time.

        >>> model = LastYear(period=2).fit([np.array([[1.0], [5.0], [1.0], [5.0]])])
        >>> model.forecast([np.array([[3.0], [4.0]])], horizon=3)[0].mean.ravel()
        array([3., 4., 3.])
        """
        random, turns = np.random.default_rng(seed_number(seed)), -(-horizon // self.period)
        found = []
        for array in as_data(sequences):
            last = np.vstack([np.zeros((self.period, array.shape[1])), held(array)])[-self.period :]
            steps = self.std_ * random.standard_normal((samples, turns, *last.shape))
            walks = last + np.cumsum(steps - steps.mean(axis=0), axis=1)
            found.append(Forecast(walks.reshape(samples, -1, array.shape[1])[:, :horizon]))
        return found
