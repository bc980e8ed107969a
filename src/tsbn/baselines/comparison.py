"""One-step errors of a model beside those of the plain ones, fitted to the same data."""

from typing import Any

import numpy as np
from jaxtyping import Float

from tsbn.baselines.autoregression import Autoregression
from tsbn.baselines.persistence import Persistence
from tsbn.data import Sequences


def squared_errors(truth: Sequences, predicted: list[np.ndarray], skip: int = 0) -> Float[np.ndarray, " sequences"]:
    """For each sequence, the squared error summed over channels, averaged over the frames from `skip` on.

    Missing values count as no error.

    >>> squared_errors(Sequences([np.array([[0.0, 0.0], [1.0, 2.0]])]), [np.zeros((2, 2))], skip=1)
    array([5.])
    """
    pairs = zip(truth, predicted, strict=True)
    return np.array([np.nansum(np.square(array - mean)[skip:], axis=1).mean() for array, mean in pairs])


def one_step_errors(
    model: Any, train: Sequences | None, test: Sequences, order: int, *, seed: int = 0
) -> dict[str, Float[np.ndarray, " sequences"]]:
    """By name of the model, the `squared_errors` on every test sequence, from frame `order` on.

    Without training data there are no linear models to compare with.

    >>> import tsbn
    >>> waves = Sequences([np.sin(np.arange(60) / 4 + start)[:, None] for start in range(5)])
    >>> model = tsbn.TSBN(hidden=(8,), steps=50, order=2).fit(waves[:4])
    >>> list(one_step_errors(model, waves[:4], waves[4:], order=2))
    ['TSBN', 'persistence', 'linear AR(1)', 'linear AR(2)']
    """
    found = {type(model).__name__: model.predict(test, seed=seed)}
    found["persistence"] = Persistence().fit(test if train is None else train).predict(test)
    if train is not None:
        for n in sorted({1, order}):
            found[f"linear AR({n})"] = Autoregression(n).fit(train).predict(test)
    return {name: squared_errors(test, predicted.mean, order) for name, predicted in found.items()}
