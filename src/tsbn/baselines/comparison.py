"""One-step predictions of a model beside those of the plain ones, fitted to the same data."""

from typing import Any

import numpy as np
from jaxtyping import Float

from tsbn.baselines.autoregression import Autoregression
from tsbn.baselines.persistence import Persistence
from tsbn.data import Sequences
from tsbn.estimators.results import Predictions
from tsbn.scores import squared_error


def squared_errors(truth: Sequences, predicted: list[np.ndarray], skip: int = 0) -> Float[np.ndarray, " sequences"]:
    """The `tsbn.scores.squared_error` of each sequence, from frame `skip` on.

    Channels of which a sequence has no value count as no error; a sequence without any value there has NaN.

    >>> squared_errors(Sequences([np.array([[0.0, 0.0], [1.0, 2.0]])]), [np.zeros((2, 2))], skip=1)
    array([5.])
    """
    return np.array([_error(array, mean, skip) for array, mean in zip(truth, predicted, strict=True)])


def one_step_predictions(
    model: Any, train: Sequences | None, test: Sequences, order: int, *, seed: int = 0
) -> dict[str, Predictions]:
    """By name of the model, its predictions of every test sequence.

    Without training data there are no linear models to compare with.

    >>> import tsbn
    >>> waves = Sequences([np.sin(np.arange(60) / 4 + start)[:, None] for start in range(5)])
    >>> model = tsbn.TSBN(hidden=(8,), steps=50, order=2).fit(waves[:4])
    >>> list(one_step_predictions(model, waves[:4], waves[4:], order=2))
    ['TSBN', 'persistence', 'linear AR(1)', 'linear AR(2)']
    """
    found = {type(model).__name__: model.predict(test, seed=seed)}
    return found | {name: plain.predict(test) for name, plain in plain_models(train, test, order).items()}


def one_step_errors(
    model: Any, train: Sequences | None, test: Sequences, order: int, *, seed: int = 0
) -> dict[str, Float[np.ndarray, " sequences"]]:
    """The `squared_errors` of the `one_step_predictions`, from frame `order` on."""
    found = one_step_predictions(model, train, test, order, seed=seed)
    return {name: squared_errors(test, predicted.mean, order) for name, predicted in found.items()}


def plain_models(train: Sequences | None, test: Sequences, order: int) -> dict[str, Persistence | Autoregression]:
    """By name, the plain models that a model of this order is compared with, fitted."""
    found: dict[str, Persistence | Autoregression] = {
        "persistence": Persistence().fit(test if train is None else train)
    }
    if train is not None:
        found |= {f"linear AR({n})": Autoregression(n).fit(train) for n in sorted({1, order})}
    return found


def _error(truth: np.ndarray, mean: np.ndarray, skip: int) -> float:
    known = ~np.isnan(truth[skip:]).all(axis=0)
    return squared_error(truth[:, known], mean[:, known], skip=skip) if known.any() else np.nan
