"""What the estimators give back."""

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
