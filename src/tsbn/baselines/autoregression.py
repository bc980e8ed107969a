"""Linear autoregression with a ridge: the next frame is a linear function of the last n."""

import dataclasses
from typing import Any, Literal, Self

import numpy as np

from tsbn.baselines.persistence import centred_noise
from tsbn.data import Sequences
from tsbn.estimators.inputs import as_data
from tsbn.estimators.results import Forecast, Predictions

RIDGES = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0)


@dataclasses.dataclass(eq=False)
class Autoregression:
    """AR(n), one for all sequences.

    `bias` is "common", or "style" for one per column of the side information. Without a `ridge` the best of `RIDGES` is
    chosen on the last `validation` share of every sequence, and the model then fitted to all of the data.

    >>> ramp = [np.arange(30.0)[:, None], np.arange(5.0, 40.0)[:, None]]
    >>> model = Autoregression(order=2, ridge=1e-6).fit(ramp)
    >>> float(model.predict([np.arange(8.0)[:, None]]).mean[0][-1, 0].round(3))
    7.0
    """

    order: int = 1
    bias: Literal["common", "style"] = "common"
    ridge: float | None = None
    validation: float = 0.1

    def fit(self, sequences: Any, side: Any = None) -> Self:
        """Solve the least-squares problem; frames with missing values do not take part."""
        data = as_data(sequences, side)
        self.labels_ = data.label_names
        if self.ridge is None:
            cuts = [max(self.order + 1, round(len(array) * (1 - self.validation))) for array in data]
            self.ridge_ = min(RIDGES, key=lambda ridge: self._validation_error(data, cuts, ridge))
        else:
            self.ridge_ = self.ridge
        self.weights_, residuals = self._solve(data, [0] * len(data), [len(array) for array in data], self.ridge_)
        self.std_ = residuals.std(axis=0)
        return self

    def predict(self, sequences: Any, side: Any = None) -> Predictions:
        """Mean and spread of every frame given the ones before it; what lies before the start counts as zero."""
        data = as_data(sequences, side, self.labels_)
        means = [self._inputs(data, i) @ self.weights_ for i in range(len(data))]
        return Predictions(means, [np.broadcast_to(self.std_, mean.shape) for mean in means])

    def forecast(
        self, sequences: Any, side: Any = None, *, horizon: int, samples: int = 100, seed: int = 0
    ) -> list[Forecast]:
        """The model run on from the end of each sequence, with noise as it was in training; side stays as it ends.

        >>> model = Autoregression(order=2, ridge=1e-6).fit([np.arange(30.0)[:, None]])
        >>> model.forecast([np.arange(8.0)[:, None]], horizon=2)[0].mean.round(3).ravel()
        array([8., 9.])
        """
        data = as_data(sequences, side, self.labels_)
        random = np.random.default_rng(seed)
        found = []
        for i in range(len(data)):
            bias = self._inputs(data, i)[-1, self.order * data.channels :]
            recent = np.zeros((samples, self.order, data.channels))
            last = np.nan_to_num(data.values[i])[::-1][: self.order]
            recent[:, : len(last)] = last
            noise = centred_noise(random, samples, horizon, self.std_)
            frames = np.empty((samples, horizon, data.channels))
            for t in range(horizon):
                inputs = np.hstack([recent.reshape(samples, -1), np.tile(bias, (samples, 1))])
                frames[:, t] = inputs @ self.weights_ + noise[:, t]
                recent = np.concatenate([frames[:, t : t + 1], recent[:, :-1]], axis=1)
            found.append(Forecast(frames))
        return found

    def _inputs(self, data: Sequences, i: int) -> np.ndarray:
        """The last n frames and the bias columns, `[time, order * channels + biases]`."""
        array = np.nan_to_num(data.values[i])
        lags = [np.vstack([np.zeros((lag, array.shape[1])), array[:-lag]])[: len(array)] for lag in self._lags]
        if self.bias == "style" and data.side is None:
            raise ValueError("side is missing; a bias per style needs it")
        side = np.ones((len(array), 1))
        if self.bias == "style" and data.side is not None:
            side = np.broadcast_to(np.atleast_2d(data.side[i]), (len(array), data.styles))
        return np.hstack([*lags, side])

    @property
    def _lags(self) -> range:
        return range(1, self.order + 1)

    def _solve(self, data: Sequences, begins, ends, ridge: float) -> tuple[np.ndarray, np.ndarray]:
        rows = [
            (self._inputs(data, i)[max(begin, self.order) : end], array[max(begin, self.order) : end])
            for i, (array, begin, end) in enumerate(zip(data, begins, ends, strict=True))
        ]
        x, v = (np.concatenate(parts) for parts in zip(*rows, strict=True))
        complete = ~np.isnan(v).any(axis=1)
        x, v = x[complete], v[complete]
        penalty = np.full(x.shape[1], ridge)
        penalty[self.order * v.shape[1] :] = 1e-9  # biases are free
        weights = np.linalg.solve(x.T @ x + np.diag(penalty), x.T @ v)
        return weights, v - x @ weights

    def _validation_error(self, data: Sequences, cuts: list[int], ridge: float) -> float:
        weights, _ = self._solve(data, [0] * len(data), cuts, ridge)
        errors = [
            np.square(array - self._inputs(data, i) @ weights)[cut:]
            for i, (array, cut) in enumerate(zip(data, cuts, strict=True))
        ]
        return float(np.nansum(np.concatenate(errors)))
