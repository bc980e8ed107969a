"""The two NumPy references agree with each other and with automatic differentiation of the equations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from configurations import CONFIGURATIONS, Configuration, draw_batch
from numpy_careful import careful
from numpy_looping import looping
from numpy_reference import Batch, Signal, Training, define, operations_per_step, shapes, views

SMALL = [
    Configuration("tsbn", visible=3, hidden=4, factors=None, styles=1, order=1, time=7, batch=2),
    Configuration("tsbn, order 3", visible=3, hidden=4, factors=None, styles=1, order=3, time=7, batch=3),
    Configuration("fctsbn", visible=3, hidden=4, factors=5, styles=2, order=1, time=7, batch=3),
    Configuration("fctsbn, order 3", visible=3, hidden=4, factors=5, styles=3, order=3, time=7, batch=4),
    Configuration("shorter than its order", visible=3, hidden=4, factors=2, styles=2, order=6, time=4, batch=3),
]
each_model = pytest.mark.parametrize("configuration", SMALL, ids=lambda c: c.name)


def random_case(configuration):
    """Parameters large enough that every term matters, frames, styles and uniforms."""
    random = np.random.default_rng(1)
    size = sum(int(np.prod(shape)) for shape in shapes(configuration).values())
    parameters = views(0.6 * random.standard_normal(size, dtype=np.float32), configuration)
    frames, styles = draw_batch(configuration, seed=2)
    uniforms = random.random((*frames.shape[:2], configuration.hidden), dtype=np.float32)
    return parameters, frames, styles, uniforms


def estimate(gradient, configuration, case):
    parameters, *batch = case
    gradients = {name: np.zeros_like(value) for name, value in parameters.items()}
    signal = Signal(mean=-3.0, variance=4.0)
    return gradient(configuration, parameters, signal, Batch(*batch), gradients), gradients, signal


def weights_of(configuration, parameters, style):
    """Every map of a style as one matrix a lag, factors multiplied out: `{name: [lags, inputs, outputs]}`."""
    found = {}
    for name, _, _, blocks, kind in define(configuration).maps.values():
        if kind == "shared":
            found[name] = parameters[name]
        elif kind == "tensor":
            found[name] = parameters[name][style][None]
        else:
            to_factors = jnp.split(parameters[f"{name}.in"], len(blocks), axis=-1)
            gains = jnp.split(parameters[f"{name}.gain"][style], len(blocks))
            parts = zip(blocks, to_factors, gains, strict=True)
            found[name] = jnp.concatenate(
                [c @ jnp.diag(gain) @ parameters[f"{name}.{block}"] for block, c, gain in parts], axis=-1
            )
    return found


def direct_terms(configuration, parameters, v, h, style):
    """log p(v_t, h_t), log q(h_t) and C(v_t) of one sequence by the equations, each `[time]`."""
    maps, columns = define(configuration)
    weights = weights_of(configuration, parameters, style)
    a = jnp.tile(parameters["bias"][style], (len(v), 1))
    for name, source, lags, _, _ in maps.values():
        x = h if source == "h" else v
        for lag, weight in zip(lags, weights[name], strict=True):
            past = jnp.concatenate([jnp.zeros((lag, x.shape[1])), x])[: len(x)]
            a = a.at[:, columns[name]].add(past @ weight)
    prior, recognition, mean, log_variance = (
        a[:, columns[k]] for k in ("prior", "recognition", "mean", "log_variance")
    )
    log_p = (h * prior - jax.nn.softplus(prior)).sum(-1)
    log_p += jax.scipy.stats.norm.logpdf(v, mean, jnp.exp(log_variance / 2)).sum(-1)
    log_q = (h * recognition - jax.nn.softplus(recognition)).sum(-1)
    units = jnp.tanh(v @ parameters["baseline.in"] + parameters["baseline.bias"][None])
    return log_p, log_q, units @ parameters["baseline.out"]


@each_model
def test_both_references_give_the_same_step(configuration):
    case = random_case(configuration)
    one, one_gradients, one_signal = estimate(careful, configuration, case)
    other, other_gradients, other_signal = estimate(looping, configuration, case)
    np.testing.assert_array_equal(one.hidden, other.hidden)
    np.testing.assert_allclose(one.bound, other.bound, rtol=1e-5)
    np.testing.assert_allclose(one.signal, other.signal, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(
        [one_signal.mean, one_signal.variance], [other_signal.mean, other_signal.variance], rtol=1e-5
    )
    for name, gradient in one_gradients.items():
        np.testing.assert_allclose(
            gradient, other_gradients[name], rtol=1e-3, atol=1e-3 * abs(gradient).max(), err_msg=name
        )


@each_model
def test_the_gradient_is_that_of_the_equations(configuration):
    case = parameters, frames, styles, _ = random_case(configuration)
    found, gradients, _ = estimate(careful, configuration, case)

    def objective(parameters):
        total = 0.0
        for b, style in enumerate(styles):
            log_p, log_q, baseline = direct_terms(configuration, parameters, frames[:, b], found.hidden[:, b], style)
            total += (log_p + found.signal[:, b] * (log_q + baseline)).sum()
        return total

    expected = jax.jit(jax.grad(objective))({name: jnp.asarray(value) for name, value in parameters.items()})
    assert expected.keys() == gradients.keys()
    for name, gradient in expected.items():
        assert abs(gradient).max() > 0 or "shorter" in configuration.name, f"{name} is not exercised"
        np.testing.assert_allclose(
            gradients[name], gradient, rtol=1e-3, atol=1e-3 * float(abs(gradient).max()) + 1e-6, err_msg=name
        )


@each_model
def test_bound_and_signal_are_those_of_algorithm_1(configuration):
    case = parameters, frames, styles, _ = random_case(configuration)
    found, _, running = estimate(careful, configuration, case)
    terms = [
        direct_terms(configuration, parameters, frames[:, b], found.hidden[:, b], style)
        for b, style in enumerate(styles)
    ]
    signal = np.stack([log_p - log_q for log_p, log_q, _ in terms], axis=1)
    np.testing.assert_allclose(found.bound, signal.mean(), rtol=1e-4)
    signal = signal - np.stack([baseline for _, _, baseline in terms], axis=1)
    np.testing.assert_allclose(running.mean, 0.9 * -3.0 + 0.1 * signal.mean(), rtol=1e-4)
    np.testing.assert_allclose(running.variance, 0.9 * 4.0 + 0.1 * signal.var(), rtol=1e-4)
    expected = (signal - running.mean) / max(1, np.sqrt(running.variance))
    np.testing.assert_allclose(found.signal, expected, rtol=1e-3, atol=1e-4)


def test_hidden_units_are_on_as_often_as_the_recognition_model_says():
    configuration = Configuration("wide", 2, 3, factors=None, styles=1, order=1, time=1, batch=20_000)
    parameters, frames, styles, uniforms = random_case(configuration)
    frames[:] = frames[:, :1]
    found, *_ = estimate(careful, configuration, (parameters, frames, styles, uniforms))
    logits = frames[0, 0] @ parameters["U2"][0] + parameters["bias"][0, 3:6]
    np.testing.assert_allclose(found.hidden.mean((0, 1)), 1 / (1 + np.exp(-logits)), atol=0.015)


@pytest.mark.parametrize("gradient", [careful, looping])
def test_training_raises_the_bound_and_stays_in_float32(gradient):
    training = Training(SMALL[2], gradient)
    frames, styles = draw_batch(SMALL[2])
    bounds = [training.step(frames, styles) for _ in range(300)]
    assert np.mean(bounds[-50:]) > np.mean(bounds[:50]) + 0.5
    assert {value.dtype for value in training.parameters.values()} == {np.dtype(np.float32)}
    assert training.flat_gradient.dtype == training.squares.dtype == np.float32


def test_operations_are_those_of_the_products_written_out():
    tsbn = next(c for c in CONFIGURATIONS if c.name == "tsbn-1")
    visible, hidden, time = 49, 100, 100
    now = visible * hidden + hidden * 2 * visible + visible * 100
    past = 2 * hidden * hidden + visible * (2 * hidden + 2 * visible)
    assert operations_per_step(tsbn) == 2 * 2 * (time * now + (time - 1) * past)
