"""Linear autoregression with a ridge: the next frame is a linear function of the last n."""

import dataclasses
from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float

from tsbn.arguments import one_of, seed_number
from tsbn.baselines.persistence import centred_noise
from tsbn.choices import Choices
from tsbn.data import Sequences
from tsbn.estimators.inputs import as_data, check_channels
from tsbn.estimators.results import Forecast, Predictions
from tsbn.estimators.sampling import Sampler
from tsbn.estimators.side import fit_side
from tsbn.inference.piece import Piece
from tsbn.ridge import Products, Rows, applied, best_ridge, lagged, learnt, products, solved, spread


@dataclasses.dataclass(eq=False)
class Autoregression(Sampler):
    """AR(n): one for all sequences, one with a bias per style, or one per style.

    - `bias` is "common", or "style" for one per column of the side information.
    - `weights` are "common", or "style" for matrices and biases of each style's own; blends of styles then blend them.

    Without a `ridge` the best of `tsbn.ridge.RIDGES` is chosen on the last `validation` share of every sequence, the
    model then fitted to all of the data. What lies before the start of a sequence counts as zero.

    >>> ramp = [np.arange(30.0)[:, None], np.arange(5.0, 40.0)[:, None]]
    >>> model = Autoregression(order=2, ridge=1e-6).fit(ramp)
    >>> float(model.predict([np.arange(8.0)[:, None]]).mean[0][-1, 0].round(3))
    7.0
    """

    order: int = 1
    bias: Literal["common", "style"] = "common"
    ridge: float | None = None
    validation: float = 0.1
    weights: Literal["common", "style"] = "common"

    def fit(self, sequences: Any, side: Any = None) -> Self:
        """Solve the least-squares problem; frames with missing values do not take part."""
        one_of("bias", self.bias, ("common", "style"))
        one_of("weights", self.weights, ("common", "style"))
        data = as_data(sequences, side)
        self.side_, self.n_features_in_, self.preparation_ = fit_side(data), data.channels, None
        if self._feels_side and data.side is None:
            raise ValueError("side is missing; a bias or weights per style need it")
        if self.weights == "style" and not self.side_.shares:
            raise ValueError(f"side holds {self.side_.describe()}; weights per style need labels or shares of styles")

        def rows() -> Iterator[Rows]:
            pairs = zip(self._side(data), data, strict=True)
            return (Rows(self._inputs(v, y), y, v) for y, v in pairs)

        def following() -> Iterator[Rows]:
            return (one.part(self.order, None) for one in rows())

        self.ridge_ = self.ridge
        if self.ridge_ is None:
            self.ridge_ = best_ridge(rows, self.order, self.validation, self._products, self._solved)
        self.weights_ = self._solved(learnt(following(), self._products), self.ridge_)
        self.std_ = spread(following(), self.weights_)
        return self

    def predict(self, sequences: Any, side: Any = None) -> Predictions:
        """Mean and spread of every frame given the ones before it."""
        data = self._checked(sequences, side)
        pairs = zip(self._side(data), data, strict=True)
        means = [applied(self._inputs(v, y), y, self.weights_) for y, v in pairs]
        return Predictions(means, [np.broadcast_to(self.std_, mean.shape) for mean in means])

    def forecast(
        self, sequences: Any, side: Any = None, *, horizon: int, samples: int = 100, seed: int = 0
    ) -> list[Forecast]:
        """The model run on from the end of each sequence, with noise as it was in training; side stays as it ends.

        >>> model = Autoregression(order=2, ridge=1e-6).fit([np.arange(30.0)[:, None]])
        >>> model.forecast([np.arange(8.0)[:, None]], horizon=2)[0].mean.round(3).ravel()
        array([8., 9.])
        """
        data = self._checked(sequences, side)
        random = np.random.default_rng(seed_number(seed))
        return [
            Forecast(self._run_on(array, y[-1:], centred_noise(random, samples, horizon, self.std_)))
            for array, y in zip(data, self._side(data), strict=True)
        ]

    def _drawn(
        self, y: np.ndarray, opening: Piece | None, length: int, num: int, seed: int, choices: Choices
    ) -> np.ndarray:
        noise = self.std_ * np.random.default_rng(seed_number(seed)).standard_normal((num, length, len(self.std_)))
        start = np.zeros((0, len(self.std_))) if opening is None else np.asarray(opening.v, float)
        return self._run_on(start, y, noise if choices.observation == "sample" else np.zeros_like(noise))

    def _run_on(
        self, start: np.ndarray, y: np.ndarray, noise: np.ndarray
    ) -> Float[np.ndarray, "samples time channels"]:
        """Continuations of `start [time, channels]` under `y [1 or time, columns]` with this noise."""
        samples, horizon, channels = noise.shape
        recent = np.zeros((samples, self.order, channels))
        last = np.nan_to_num(start)[::-1][: self.order]
        recent[:, : len(last)] = last
        frames = np.empty(noise.shape)
        for t, y_t in enumerate(np.broadcast_to(y, (horizon, y.shape[1]))):
            now = np.tile(y_t, (samples, 1))
            inputs = np.hstack([recent.reshape(samples, -1), self._biases(now)])
            frames[:, t] = applied(inputs, now, self.weights_) + noise[:, t]
            recent = np.concatenate([frames[:, t : t + 1], recent[:, :-1]], axis=1)
        return frames

    @property
    def _feels_side(self) -> bool:
        return "style" in (self.bias, self.weights)

    def _fitted(self) -> np.ndarray:
        if not hasattr(self, "weights_"):
            raise ValueError("this Autoregression has not been fitted yet; call fit first")
        return self.weights_

    def _checked(self, sequences: Any, side: Any = None, name: str = "sequences") -> Sequences:
        self._fitted()
        data = as_data(sequences, side, self.side_.label_names, name)
        check_channels(data, self.n_features_in_, name)
        return data

    def _side(self, data: Sequences) -> list[np.ndarray]:
        """Side information of every frame, `[time, columns]`; a model that does not feel it needs none."""
        rows = self.side_.encode(data) if self._feels_side else [np.ones((1, 1)) for _ in data]
        return [np.broadcast_to(row, (len(array), row.shape[1])) for row, array in zip(rows, data, strict=True)]

    def _inputs(self, v: np.ndarray, y: np.ndarray) -> Float[np.ndarray, "time inputs"]:
        """The last n frames, the newest first, and the bias columns."""
        return np.hstack([lagged(v, self.order), self._biases(y)])

    def _biases(self, y: np.ndarray) -> np.ndarray:
        # Weights per style bring a constant of their own.
        return y if self.bias == "style" and self.weights == "common" else np.ones((len(y), 1))

    def _products(self, rows: Rows) -> list[Products]:
        """One for all frames; where weights go by style, one for each, of the frames by their shares of it."""
        return [products(rows, share) for share in (rows.y.T if self.weights == "style" else [None])]

    def _solved(self, found: list[Products], ridge: float) -> Float[np.ndarray, "groups inputs channels"]:
        penalty = np.full(len(found[0].inner), ridge)
        penalty[self.order * self.n_features_in_ :] = 1e-9  # biases are free
        return np.stack([solved(one, penalty) for one in found])
