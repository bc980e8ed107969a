"""Sampled gradients held against exact ones, which come from enumerating all paths and central differences.

Every comparison states its error bars: the mean over `DRAWS` independent estimates must lie within 5 standard errors
of the truth for every single parameter, and the standard errors must be small against the gradient.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from exact import elbo, gradient
from tsbn.inference.piece import Piece
from tsbn.model.architecture import Architecture

DRAWS = 30_000
DETERMINISTIC = Architecture(visible=2, hidden=(2, 2), weights="shared", deterministic=True)


def stacked(*pieces: Piece) -> Piece:
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *pieces)


def pieces_of(batch: Piece) -> list[Piece]:
    return [jax.tree.map(lambda leaf, n=n: leaf[n], batch) for n in range(batch.v.shape[0])]


def flat(tree) -> np.ndarray:
    return np.concatenate([np.asarray(leaf, np.float64).ravel() for leaf in jax.tree.leaves(tree)])


def exact_gradient(model, batch, value=elbo) -> np.ndarray:
    """Gradient of the loss: minus the objective per counted step."""
    steps = int(np.sum(batch.counted))
    pieces = pieces_of(batch)
    return flat(gradient(lambda m: -sum(value(m, piece) for piece in pieces) / steps, model))


@eqx.filter_jit
def sampled_gradients(estimator, model, batch, draws=DRAWS, warmth=None):
    """`[draws, parameters]`, with a baseline and running statistics that are anything but zero."""
    warmth = jnp.ones(()) if warmth is None else warmth
    baseline, statistics = estimator.start(model, jax.random.key(7))
    baseline = jax.tree.map(lambda leaf: leaf + 0.01, baseline)
    statistics = jax.tree.map(lambda leaf: leaf - 2.0, statistics)

    def one(k):
        def loss(m):
            return estimator.surrogate(m, baseline, statistics, batch, k, warmth).loss

        return ravel_pytree(jax.grad(loss)(model))[0]

    return jax.lax.map(one, jax.random.split(jax.random.key(1), draws), batch_size=2000)


def compare(samples, truth):
    """Normal score of every parameter, and the standard error of the whole against the whole gradient."""
    samples = np.asarray(samples, np.float64)
    error = samples.std(axis=0, ddof=1) / np.sqrt(len(samples))
    # Parts of the gradient that are computed rather than sampled are as exact as single precision.
    return (samples.mean(axis=0) - truth) / np.maximum(error, 1e-5), np.linalg.norm(error) / np.linalg.norm(truth)


def assert_unbiased(samples, truth, precision=0.05):
    scores, error = compare(samples, truth)
    assert error < precision, f"standard error {error:.3f} of the gradient's norm: too noisy to prove anything"
    assert np.max(np.abs(scores)) < 5, f"{np.max(np.abs(scores)):.1f} standard errors away"
    assert np.mean(scores**2) < 2, f"mean squared score {np.mean(scores**2):.2f}, expected about 1"


def variance_ratio(samples, truth):
    return np.sum(samples.var(axis=0)) / np.sum(truth**2)
