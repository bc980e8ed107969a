"""Starting a model at a linear autoregression, so that its hidden units learn what that leaves over."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from tsbn.estimators.training_data import TrainingData, moments, shares_of_styles
from tsbn.model.build import Model
from tsbn.model.network import Head
from tsbn.model.observations import Gaussian
from tsbn.model.weights import set_to, times
from tsbn.ridge import Products, Rows, best_ridge, lagged, products, solved, stacked

VALIDATION = 0.1


def with_linear_start(model: Model, data: TrainingData, constant: bool) -> Model:
    """The model whose mean is the ridge regression on its past frames, with a bias per side column.

    Its variance is that of the residuals, and what hidden units add to the mean is scaled to them. Models without
    arrows from past frames to the present one, or of binary data or counts, stay as they are.
    """
    if model.network.heads[0].W4 is None or not isinstance(model.network.observation, Gaussian):
        return model
    mean, spread = model.network.heads
    assert mean.W2 is not None
    assert mean.W4 is not None
    order, channels = len(mean.W4.lags), mean.C.shape[0]
    rows = [
        Rows(np.hstack([lagged(v, order), y]), y, v.astype(float))
        for v, y in data.each_learnt_from()
        if len(v) > order + 1
    ]
    if not rows:
        return model

    def sums(some: Rows) -> list[Products]:
        return [products(some)]

    def regression(found: list[Products], ridge: float) -> np.ndarray:
        # Side columns may add up to the constant one; a little ridge settles which of them carries it.
        penalty = np.full(len(found[0].inner), 1e-3)
        penalty[: order * channels] = ridge
        return solved(found[0], penalty)[None]

    everything = stacked(one.part(order, None) for one in rows)
    weights = regression(sums(everything), best_ridge(lambda: rows, order, VALIDATION, sums, regression))
    residuals = everything.residuals(weights)
    matrices = weights[0, : order * channels].reshape(order, channels, channels).transpose(0, 2, 1)
    gains = jnp.zeros(everything.y.shape[1]).at[-1].set(1.0) if constant else jnp.ones(everything.y.shape[1])
    variances = moments([(residuals, shares_of_styles(everything.y, constant))])[1]
    log_variances = model.network.observation.first_biases(jnp.zeros(variances.shape), jnp.asarray(variances))[1]
    started = (
        Head(
            W2=times(mean.W2, jnp.asarray(residuals.std(axis=0), jnp.float32)),
            W4=set_to(mean.W4, matrices, gains),
            C=jnp.asarray(weights[0, order * channels :].T, jnp.float32),
        ),
        Head(
            W2=spread.W2,
            W4=None if spread.W4 is None else set_to(spread.W4, np.zeros_like(matrices), gains),
            C=jnp.where(gains[None] > 0, log_variances.T, 0.0).astype(jnp.float32),
        ),
    )
    return eqx.tree_at(lambda m: m.network.heads, model, started)
