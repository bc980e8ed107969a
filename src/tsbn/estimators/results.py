"""What the estimators give back."""

import dataclasses
from typing import NamedTuple

import numpy as np


class Predictions(NamedTuple):
    """Mean and standard deviation of every frame given the ones before it, one array `[time, channels]` a sequence."""

    mean: list[np.ndarray]
    std: list[np.ndarray]


class LikelihoodBounds(NamedTuple):
    """Lower bounds on the log-likelihood of each sequence, in nats: `[sequences]`."""

    elbo: np.ndarray
    multi_sample: np.ndarray
    particle: np.ndarray


class Inferred(NamedTuple):
    """Hidden layers of one sequence, bottom-up: samples `[samples, time, hidden]` and means `[time, hidden]`."""

    samples: tuple[np.ndarray, ...]
    means: tuple[np.ndarray, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class Forecast:
    """Sampled continuations of one sequence, `[samples, horizon, channels]`, and what they say of every frame.

    >>> forecast = Forecast(np.arange(101.0)[:, None, None])
    >>> float(forecast.mean[0, 0]), [round(float(edge[0, 0]), 6) for edge in forecast.interval(0.9)]
    (50.0, [5.0, 95.0])
    """

    samples: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """`[horizon, channels]`."""
        return self.samples.mean(axis=0)

    @property
    def std(self) -> np.ndarray:
        """Standard deviation, `[horizon, channels]`."""
        return self.samples.std(axis=0)

    def quantile(self, level: float | list[float] | np.ndarray) -> np.ndarray:
        """Quantiles: `[horizon, channels]` for one level between 0 and 1, `[levels, horizon, channels]` for several."""
        return np.quantile(self.samples, level, axis=0)

    def interval(self, coverage: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """The central interval that should hold this share of the outcomes: its lower and upper end."""
        if not 0 < coverage < 1:
            raise ValueError(f"coverage is {coverage!r}, expected a share between 0 and 1")
        low, high = self.quantile([(1 - coverage) / 2, (1 + coverage) / 2])
        return low, high
