"""Persistence: the next frame is the present one."""

from typing import Any, Self

import numpy as np

from tsbn.arguments import seed_number
from tsbn.estimators.inputs import as_data
from tsbn.estimators.results import Forecast, Predictions


class Persistence:
    """Predicts that nothing changes; the spread is that of the changes in the training data."""

    def fit(self, sequences: Any, side: Any = None) -> Self:
        """Learn how much frames usually change, per channel."""
        changes = [np.diff(array, axis=0) for array in as_data(sequences)]
        self.std_ = np.sqrt(np.nanmean(np.square(np.concatenate(changes)), axis=0))
        return self

    def predict(self, sequences: Any, side: Any = None) -> Predictions:
        """The frame before, for every frame; zero for the first. A missing value counts as the one before it.

        >>> Persistence().fit([np.arange(4.0)[:, None]]).predict([np.array([[5.0], [7.0]])]).mean[0].ravel()
        array([0., 5.])
        """
        means = [np.vstack([np.zeros((1, array.shape[1])), held(array)[:-1]]) for array in as_data(sequences)]
        return Predictions(means, [np.broadcast_to(self.std_, mean.shape) for mean in means])

    def forecast(
        self, sequences: Any, side: Any = None, *, horizon: int, samples: int = 100, seed: int = 0
    ) -> list[Forecast]:
        """Random walks from the last known frame; their mean is that frame.

        >>> model = Persistence().fit([np.arange(4.0)[:, None]])
        >>> model.forecast([np.array([[5.0], [7.0]])], horizon=2)[0].mean.round(9).ravel()
        array([7., 7.])
        """
        data, random = as_data(sequences), np.random.default_rng(seed_number(seed))
        steps = [centred_noise(random, samples, horizon, self.std_) for _ in data]
        return [Forecast(held(array)[-1] + np.cumsum(step, 1)) for array, step in zip(data, steps, strict=True)]


def centred_noise(random: np.random.Generator, samples: int, horizon: int, std: np.ndarray) -> np.ndarray:
    """Normal noise `[samples, horizon, channels]` with the mean 0 over the samples, so that theirs is not moved."""
    noise = random.standard_normal((samples, horizon, len(std)))
    return std * (noise - noise.mean(axis=0))


def held(array: np.ndarray) -> np.ndarray:
    """Missing values replaced by the last known one, zero before there is any."""
    known = np.where(np.isnan(array), 0, np.arange(len(array))[:, None] + 1)
    latest = np.maximum.accumulate(known, axis=0)
    padded = np.vstack([np.zeros((1, array.shape[1])), np.nan_to_num(array)])
    return np.take_along_axis(padded, latest, axis=0)
