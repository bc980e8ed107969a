"""Drawn sequences follow the distribution that enumeration gives: every sequence, moments, lag correlations."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import FAMILY, random_model, random_piece, random_side
from exact import binary_sequences, doubles, generative, moments, states, table
from sampling import assert_frequencies, assert_mean
from tsbn.choices import Choices
from tsbn.inference.generation import generate, recent_after
from tsbn.model.architecture import Architecture

DRAWS = 20_000


@jax.jit
def drawn(network, y, key):
    return jax.vmap(lambda k: generate(network, y, k))(jax.random.split(key, DRAWS))


@jax.jit
def continued(model, opening, y, key):
    """Frames that go on from an opening, with its hidden states drawn anew for each."""

    def one(k):
        for_opening, for_rest = jax.random.split(k)
        return generate(model.network, y, for_rest, recent_after(model, opening, for_opening)).v

    return jax.vmap(one)(jax.random.split(key, DRAWS))


def code(frames):
    """The place of a binary sequence in the oracle's list: `[draws, time, visible] -> [draws]`."""
    bits = np.asarray(frames).reshape(len(frames), -1)
    return (bits @ 2.0 ** np.arange(bits.shape[1])[::-1]).astype(int)


@pytest.mark.parametrize("name", ["binary tsbn", "deep ctsbn"])
def test_every_binary_sequence_is_drawn_as_often_as_it_should(name):
    architecture = dataclasses.replace(FAMILY[name], visible=2, order=2)
    model, y = random_model(architecture), random_side(architecture, 3)
    sequences, chances = binary_sequences(model, y, time=3)
    v = np.asarray(drawn(model.network, y, jax.random.key(0)).v)
    assert_frequencies(code(v), chances)
    # The same told as moments: the mean of every entry, and the product of every entry with those one step later.
    assert_mean(v, np.tensordot(chances, sequences, 1))
    lagged = np.einsum("n,nti,ntj->tij", chances, sequences[:, :-1], sequences[:, 1:])
    assert_mean(np.einsum("nti,ntj->ntij", v[:, :-1], v[:, 1:]), lagged)


@pytest.mark.parametrize("name", ["hidden Markov fctsbn", "counts"])
def test_real_values_and_counts_have_the_moments_and_lag_correlations_of_enumeration(name):
    counts = Architecture(visible=3, side=2, hidden=(2,), observation="counts", factors=2, total=7, hidden_markov=True)
    architecture = FAMILY.get(name, counts)
    model, y = random_model(architecture), random_side(architecture, 3)
    plain, hs = doubles(model), states(model, 3)
    log_p, _, outputs = generative(plain, np.zeros((len(hs[0]), 3, architecture.visible)), hs, np.asarray(y, float))
    chances = np.exp(log_p.sum(1))
    mean, variance = moments(plain.network.observation, outputs)
    found = drawn(model.network, y, jax.random.key(0))
    v = np.asarray(found.v)
    assert_mean(found.hs[0], np.tensordot(chances, hs[0], 1))
    assert_mean(v, np.tensordot(chances, mean, 1))
    assert_mean(v**2, np.tensordot(chances, mean**2 + variance, 1), errors=4.5)
    for lag in (1, 2):
        products = np.einsum("n,nti,ntj->tij", chances, mean[:, :-lag], mean[:, lag:])
        assert_mean(np.einsum("nti,ntj->ntij", v[:, :-lag], v[:, lag:]), products, errors=4.5)
    if name == "counts":
        assert np.all(v.sum(-1) == 7)


@pytest.mark.parametrize(("name", "constant"), [("deep ctsbn", True), ("binary tsbn of order 3", False)])
def test_generation_goes_on_from_opening_frames(name, constant):
    """The opening's hidden states come from q, everything after it from p; the style may change after the opening."""
    longer = dataclasses.replace(FAMILY["binary tsbn"], visible=2, order=3)
    architecture = FAMILY.get(name, longer)
    model = random_model(architecture)
    opening = random_piece(architecture, time=1 if name == "deep ctsbn" else 2, constant=constant)
    start, y = opening.v.shape[0], random_side(architecture, 2, seed=5)
    steps = jnp.concatenate([jnp.broadcast_to(opening.y, (start, y.shape[1])), y])
    frames = jnp.concatenate([opening.v, jnp.zeros((2, 2))])
    whole = opening._replace(
        v=frames,
        y=steps,
        valid=jnp.ones(start + 2, bool),
        counted=jnp.ones(start + 2, bool),
        seen=jnp.broadcast_to(jnp.arange(start + 2)[:, None] < start, frames.shape),
    )
    paths = table(model, whole)
    chances = np.exp(paths.log_q[:, :start].sum(1) + paths.log_p[:, start:].sum(1))
    v = np.asarray(continued(model, opening, y, jax.random.key(0)))
    assert_frequencies(code(v), np.bincount(code(paths.v[:, start:]), chances))
    assert_mean(v, np.tensordot(chances, paths.v[:, start:], 1))


@pytest.mark.parametrize("name", ["fctsbn", "deep ctsbn"])
def test_constant_side_information_given_once_or_for_every_step_gives_the_same_draws(name):
    architecture = FAMILY[name]
    model, y = random_model(architecture), random_side(architecture, 1)
    once = generate(model.network, y, jax.random.key(0), length=12)
    every = generate(model.network, jnp.broadcast_to(y, (12, 2)), jax.random.key(0))
    np.testing.assert_allclose(once.v, every.v, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", ["fctsbn", "binary tsbn"])
def test_mean_frames_are_the_means_given_the_drawn_hidden_units(name):
    architecture = FAMILY[name]
    model, y = random_model(architecture), random_side(architecture, 5)
    v, hs = generate(model.network, y, jax.random.key(0), choices=Choices("mean"))
    plain = doubles(model)
    _, _, outputs = generative(
        plain, np.asarray(v, float)[None], [np.asarray(h, float)[None] for h in hs], np.asarray(y)
    )
    np.testing.assert_allclose(v, moments(plain.network.observation, outputs)[0][0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("temperature", [0.0, 0.5, 3.0])
def test_temperature_divides_the_logits_of_hidden_units(temperature):
    model = random_model(FAMILY["tsbn"])
    bias = np.asarray(model.network.layers[0].B[:, 0], float)
    keys = jax.random.split(jax.random.key(0), DRAWS)
    first = jax.vmap(lambda k: generate(model.network, jnp.ones((1, 1)), k, choices=Choices(temperature=temperature)))
    chances = 1 / (1 + np.exp(-bias / temperature)) if temperature else (bias > 0).astype(float)
    assert_mean(first(keys).hs[0][:, 0], chances)


@pytest.mark.parametrize("wrong", [{"observation": "median"}, {"temperature": -1.0}, {"temperature": float("nan")}])
def test_choices_that_mean_nothing_are_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} is .*, expected"):
        Choices(**wrong)


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("name", ["fctsbn", "binary tsbn"])
def test_expected_frames_are_the_means_given_the_chances_of_the_hidden_units(name, temperature):
    architecture = FAMILY[name]
    model, y = random_model(architecture), random_side(architecture, 5)
    v, hs = generate(model.network, y, jax.random.key(0), choices=Choices("expected", temperature))
    network = model.network
    past = network.past(v, hs, y)
    logits = network.logits(past, hs, y)[0]
    chances = jax.nn.sigmoid(logits / temperature) if temperature else jnp.where(logits > 0, 1.0, 0.0)
    expected = network.observation.mean(network.outputs(past, chances, y))
    np.testing.assert_allclose(v, expected, rtol=1e-4, atol=1e-5)


def test_expected_frames_do_not_stop_hidden_units_from_being_drawn():
    architecture = FAMILY["fctsbn"]
    model, y = random_model(architecture), random_side(architecture, 50)
    (hs,) = generate(model.network, y, jax.random.key(0), choices=Choices("expected")).hs
    assert set(np.unique(hs)) == {0.0, 1.0}
