"""Observations: log-probabilities against the oracle, draws against their moments, missing entries, extreme values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from exact import moments, observed
from sampling import assert_mean
from tsbn.model.observations import Bernoulli, Counts, Gaussian, Observation, Student, new_observation

KINDS = {"gaussian": Gaussian(), "bernoulli": Bernoulli(), "counts": Counts(9)}


def outputs_and_frames(observation: Observation, frames: int = 5):
    generator = np.random.default_rng(0)
    heads = tuple(1.5 * generator.standard_normal((frames, 4)) for _ in range(observation.heads))
    match observation:
        case Gaussian():
            v = generator.standard_normal((frames, 4))
        case Bernoulli():
            v = generator.integers(0, 2, (frames, 4))
        case _:
            v = generator.multinomial(9, [0.1, 0.2, 0.3, 0.4], frames)
    return tuple(jnp.asarray(head, jnp.float32) for head in heads), jnp.asarray(v, jnp.float32)


@pytest.mark.parametrize("kind", KINDS)
def test_log_probability_of_the_seen_entries(kind):
    observation = KINDS[kind]
    heads, v = outputs_and_frames(observation)
    exact = [np.asarray(head, np.float64) for head in heads]
    for seen in ([True, True, True, True], [True, False, True, False], [False, True, False, False]):
        mask = jnp.broadcast_to(jnp.array(seen), v.shape)
        found = observation.log_prob(v, heads, mask) + observation.log_base(v, mask)
        np.testing.assert_allclose(found, observed(observation, np.asarray(v), exact, seen), rtol=1e-4, atol=1e-4)
    everything = observation.log_prob(v, heads) + observation.log_base(v)
    np.testing.assert_allclose(
        everything, observed(observation, np.asarray(v), exact, [True] * 4), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("kind", KINDS)
def test_draws_have_the_stated_mean_and_variance(kind):
    observation = KINDS[kind]
    heads, _ = outputs_and_frames(observation, frames=1)
    draws = jax.vmap(lambda k: observation.sample(heads, k)[0])(jax.random.split(jax.random.key(0), 20_000))
    mean, variance = moments(observation, [np.asarray(head[0], np.float64) for head in heads])
    np.testing.assert_allclose(observation.mean(heads)[0], mean, rtol=1e-4)
    np.testing.assert_allclose(observation.variance(heads)[0], variance, rtol=1e-4)
    assert_mean(draws, mean)
    assert_mean((np.asarray(draws) - mean) ** 2, variance)


@pytest.mark.parametrize("kind", KINDS)
def test_unseen_entries_are_drawn_given_the_seen_ones(kind):
    observation = KINDS[kind]
    heads, v = outputs_and_frames(observation, frames=1)
    seen = jnp.array([[True, False, True, False]])
    filled = jax.vmap(lambda k: observation.fill(v, heads, seen, k))(jax.random.split(jax.random.key(0), 20_000))
    assert bool(jnp.all(jnp.where(seen[None], filled == v[None], True)))
    unseen = [np.asarray(head[0, 1::2], np.float64) for head in heads]
    expected, _ = moments(observation, unseen)
    if kind == "counts":  # what the seen entries leave of the total is shared among the others
        expected = expected * float(9 - v[0, 0] - v[0, 2]) / 9
        assert bool(jnp.all(jnp.sum(filled, axis=-1) == 9))
    assert_mean(filled[:, 0, 1::2], expected)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_biases_give_frames_of_the_wanted_mean_and_variance(kind):
    observation = KINDS[kind]
    mean = jnp.array([[1.8, 2.7, 0.9, 3.6]]) if kind == "counts" else jnp.array([[0.2, 0.5, 0.3, 0.9]])
    variance = jnp.array([[0.5, 1.0, 2.0, 1e-3]])
    heads = observation.first_biases(mean, variance)
    np.testing.assert_allclose(observation.mean(heads), mean, rtol=1e-2)
    if kind == "gaussian":
        np.testing.assert_allclose(observation.variance(heads), variance, rtol=1e-2)


@pytest.mark.parametrize("kind", KINDS)
def test_extreme_outputs_and_values_keep_probability_and_gradient_finite(kind):
    observation = KINDS[kind]
    heads, v = outputs_and_frames(observation)
    seen = jnp.ones(v.shape, bool).at[0].set(False).at[1, 2].set(False)
    large = v * 1e6 if kind == "gaussian" else v

    def total(heads):
        return jnp.sum(observation.log_prob(large, heads, seen))

    for scale in (0.0, 1e3, 1e6):
        value, slope = jax.value_and_grad(total)(jax.tree.map(lambda head, s=scale: s * head, heads))
        assert bool(jnp.isfinite(value))
        assert all(bool(jnp.all(jnp.isfinite(part))) for part in slope)


def test_an_unknown_kind_is_refused_by_name():
    with pytest.raises(ValueError, match="observation is 'poisson', expected one of 'gaussian'"):
        new_observation("poisson", 1)


def test_heavy_tails_are_those_of_students_t():
    observation = Gaussian().doubtful
    heads, v = outputs_and_frames(observation)
    scale = np.exp(0.5 * np.asarray(Gaussian().log_variance(heads), np.float64))
    expected = stats.t.logpdf(np.asarray(v, np.float64), 3, np.asarray(heads[0], np.float64), scale)
    np.testing.assert_allclose(observation.log_prob(v, heads), expected.sum(axis=-1), rtol=1e-4)
    np.testing.assert_allclose(observation.variance(heads), 3 * scale**2, rtol=1e-4)
    drawn = np.asarray(jax.vmap(lambda k: observation.sample(heads, k))(jax.random.split(jax.random.key(0), 20_000)))
    within = np.mean(np.abs(drawn - np.asarray(heads[0])) < scale, axis=0)
    np.testing.assert_allclose(within, stats.t.cdf(1, 3) - stats.t.cdf(-1, 3), atol=0.02)
    mean, variance = np.zeros(4, np.float32), np.full(4, 0.3, np.float32)
    np.testing.assert_allclose(observation.variance(observation.first_biases(mean, variance)), variance, rtol=1e-4)


@pytest.mark.parametrize("kind", ["bernoulli", "counts"])
def test_kinds_without_far_values_doubt_nothing(kind):
    assert KINDS[kind].doubtful is KINDS[kind]


def test_a_stray_value_outvotes_few_others():
    heads = (jnp.zeros(20), jnp.zeros(20))
    stray, shifted = jnp.zeros(20).at[0].set(10.0), jnp.full(20, 1.5)
    assert Gaussian().log_prob(stray, heads) < Gaussian().log_prob(shifted, heads)
    assert Student().log_prob(stray, heads) > Student().log_prob(shifted, heads)
