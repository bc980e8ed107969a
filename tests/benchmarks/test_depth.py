"""Students are measured against a network that is judged rightly."""

import jax.numpy as jnp
import numpy as np
import pytest

import depth
from exact import log_likelihood, prediction
from tsbn.inference.piece import whole


@pytest.mark.parametrize("keep", [0.0, 8.0])
def test_the_network_is_judged_by_its_likelihood(keep, monkeypatch):
    monkeypatch.setattr(depth, "FRAMES", 3)
    known = depth.teacher(depth.Kind(visible=2, hidden=2, upper=2, keep=keep))
    frames = depth.drawn_from(known, 4, seed=1)
    bounds, errors = depth.judged(known, jnp.asarray(frames))
    exact = [log_likelihood(known, whole(jnp.asarray(v))) / 3 for v in frames]
    np.testing.assert_allclose(bounds, exact, atol=0.05)
    foretold = [prediction(known, whole(jnp.asarray(v)), bootstrap=True)[0] for v in frames]
    truth = [np.square(v - mean)[1:].sum(axis=1).mean() for v, mean in zip(frames, foretold, strict=True)]
    np.testing.assert_allclose(errors, truth, rtol=0.1)
