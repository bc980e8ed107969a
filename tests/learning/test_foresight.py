"""What a model foretells while it learns, against enumeration, and what it is worth."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

import exact
import tsbn
from cases import FAMILY, random_model, random_piece
from sampling import assert_mean
from tsbn.learning.gradients.foresight import Foresight, foretold
from tsbn.learning.gradients.later import Later

NAMES = [name for name, architecture in FAMILY.items() if not architecture.future]
DRAWS = 20_000


def with_gap(piece):
    """A piece whose first frame lacks an entry."""
    seen = jnp.ones(piece.v.shape, bool).at[0, 0].set(False)
    return piece._replace(v=jnp.where(seen, piece.v, 0.0), seen=seen)


def scores(model, piece, draws=DRAWS):
    keys = jax.random.split(jax.random.key(1), draws)
    return eqx.filter_jit(jax.vmap(foretold, in_axes=(None, None, 0)))(model, piece, keys)


def assert_as_enumerated(model, piece):
    base = model.network.observation.log_base(piece.v, piece.seen)
    found, truth = np.asarray(scores(model, piece)), exact.foretold(model, piece) - np.asarray(base, np.float64)
    certain = np.ptp(found, axis=0) < 1e-5  # as the first frame of one layer is: only rounding errs
    np.testing.assert_allclose(found[0, certain], truth[certain], rtol=1e-5)
    assert_mean(found[:, ~certain], truth[~certain])


@pytest.mark.parametrize("name", NAMES)
def test_frames_are_scored_by_what_is_expected_before_they_are_seen(name):
    model, piece = random_model(FAMILY[name]), random_piece(FAMILY[name], 3)
    assert_as_enumerated(model, piece)


@pytest.mark.parametrize("name", ["binary tsbn", "deep ctsbn"])
def test_missing_entries_are_drawn_for_the_steps_that_feel_them(name):
    model, piece = random_model(FAMILY[name]), with_gap(random_piece(FAMILY[name], 3))
    assert_as_enumerated(model, piece)


def gradients(model, piece):
    """Sampled `[draws, parameters]` and exact, of the sum over the steps."""

    def one(key):
        return ravel_pytree(jax.grad(lambda m: jnp.sum(foretold(m, piece, key)))(model))[0]

    keys = jax.random.split(jax.random.key(1), DRAWS)
    sampled = np.asarray(jax.lax.map(one, keys, batch_size=2000), np.float64)
    truth = exact.gradient(lambda m: exact.foretold(m, piece).sum(), model)
    return sampled, np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(truth)])


def test_the_gradient_of_one_layer_is_exact_for_theta_and_near_for_phi():
    model, piece = random_model(FAMILY["tsbn"], scale=1.0), random_piece(FAMILY["tsbn"], 3)
    sampled, truth = gradients(model, piece)
    theta = sum(leaf.size for leaf in jax.tree.leaves(model.network))
    assert_mean(sampled[:, :theta], truth[:theta])
    assert np.linalg.norm(sampled.mean(0)[theta:] - truth[theta:]) < 0.1 * np.linalg.norm(truth[theta:])


def test_the_gradient_of_a_deep_model_is_near_the_exact_one_in_every_part():
    model, piece = random_model(FAMILY["deep ctsbn"], scale=1.0), random_piece(FAMILY["deep ctsbn"], 3)
    sampled, truth = gradients(model, piece)
    _, parts = ravel_pytree(model)
    sampled, truth = parts(jnp.asarray(sampled.mean(0), jnp.float32)), parts(jnp.asarray(truth, jnp.float32))
    for part, share in (
        (lambda m: m.network.layers[0], 0.05),
        (lambda m: m.network.layers[1], 0.1),
        (lambda m: m.recognition, 0.4),
    ):
        found, exactly = ravel_pytree(part(sampled))[0], ravel_pytree(part(truth))[0]
        assert np.linalg.norm(found - exactly) < share * np.linalg.norm(exactly)


def test_slips_of_the_past_are_foretold_from():
    model, piece = random_model(FAMILY["fctsbn"]), random_piece(FAMILY["fctsbn"], 4)
    batch = jax.tree.map(lambda leaf: leaf[None], piece)
    keys = jax.random.split(jax.random.key(1), 200)
    steady, slipping = (
        jax.vmap(lambda key, share=share: foretold(model, piece, key, share))(keys) for share in (0.0, 0.5)
    )
    np.testing.assert_allclose(steady[:, 0], slipping[:, 0], rtol=1e-6, err_msg="the first frame has no past")
    assert not np.allclose(steady[:, 1:].mean(0), slipping[:, 1:].mean(0), atol=1e-3)
    handed_on = [
        Foresight(Later(), 1e6).pieces(model, *Later().start(model, keys[0]), batch, keys[0], jnp.ones(()), share).value
        for share in (0.0, 0.5)
    ]
    own = jax.random.split(jax.random.split(keys[0])[1], 1)[0]
    for share, value in zip((0.0, 0.5), handed_on, strict=True):
        np.testing.assert_allclose(value[0] / 1e6, foretold(model, piece, own, share), rtol=1e-3)


def test_the_objective_is_the_bound_and_so_many_times_what_was_foretold():
    """Steps that only give context are not counted; the bound that is reported stays the bound."""
    model, piece = random_model(FAMILY["fctsbn"]), random_piece(FAMILY["fctsbn"], 4)
    batch = jax.tree.map(lambda leaf: leaf[None], piece._replace(counted=jnp.array([False, True, True, False])))
    estimator = Foresight(Later(), 0.7)
    baseline, statistics = estimator.start(model, jax.random.key(0))

    def found(key, chosen):
        return chosen.pieces(model, baseline, statistics, batch, key, jnp.ones(()))

    keys = jax.random.split(jax.random.key(2), 4000)
    told = jax.vmap(lambda key: found(key, estimator))(keys)
    value = np.asarray(told.value)[:, 0, 1:3].sum(axis=1)
    counted = exact.foretold(model, piece)[1:3].sum()
    elbo = exact.elbo(model, piece._replace(counted=batch.counted[0]))
    assert_mean(value[:, None], np.array([elbo + 0.7 * counted]))
    assert_mean(np.asarray(told.bound)[:, 0, 1:3].sum(axis=1)[:, None], np.array([elbo]))
    plain = jax.vmap(lambda key: found(jax.random.split(key)[0], Later()))(keys)
    weighed = told.loss - plain.loss + jnp.sum((told.value - plain.value)[:, :, 1:3], axis=-1)
    np.testing.assert_allclose(weighed, 0.0, atol=1e-4)


def swings(count=40, length=60):
    """Positions of pendulums; where one goes next depends on its speed, which a single frame does not show."""
    generator = np.random.default_rng(0)
    found = []
    for _ in range(count):
        x = list(generator.normal(size=2))
        for _ in range(length):
            x.append(1.6 * x[-1] - 0.9 * x[-2] + 0.1 * generator.normal())
        found.append(np.array(x[10:], np.float32)[:, None])
    return found


def error_on_swings(steps, **choices):
    """Squared error of predictions of new pendulums by a model of order 1."""
    data = swings()
    model = tsbn.TSBN(
        hidden=(20,), steps=steps, every=steps, batch=16, window=30, rate=1e-2, linear_start=True, **choices
    ).fit(data[:30], validation=0)
    means = model.predict(data[30:]).mean
    return np.mean([np.square(mean - x)[1:].mean() for mean, x in zip(means, data[30:], strict=True)])


def test_models_with_foresight_predict_better(optimising):
    """After 600 steps: up to 300 the default gradient finds the speed of a pendulum as fast without it."""
    assert error_on_swings(600, foresight=1.0) < 0.95 * error_on_swings(600)


def test_hidden_units_learn_to_remember_where_draws_are_followed_through_time(optimising):
    """The speed of a pendulum, which only hidden units can keep; scores are too noisy to tell them in so few steps."""
    assert error_on_swings(300) < 0.75 * error_on_swings(300, gradient="nvil")


def test_partly_labelled_data_and_deep_models_can_be_learnt_with_it(optimising):
    generator = tsbn.FCTSBN(hidden=(3, 2), factors=2, steps=2, every=2, batch=4, window=20, foresight=0.5)
    model = tsbn.SemiSupervised(generator, unlabelled="sampled").fit(swings(4), ["a", "b", None, None], validation=0)
    assert np.isfinite(model.history_[-1]["bound"])


def test_a_recognition_model_that_sees_the_future_is_refused():
    with pytest.raises(ValueError, match=r"foresight is .* expected future=0"):
        tsbn.TSBN(hidden=(3,), future=2, foresight=1.0).fit([])  # the data are not even looked at


@pytest.mark.parametrize("weight", [-1, float("nan"), "much"])
def test_a_weight_that_cannot_be_is_refused(weight):
    with pytest.raises((ValueError, TypeError), match="foresight is"):
        tsbn.TSBN(foresight=weight).fit(swings(3))


def test_no_foresight_is_the_plain_estimator():
    recipe = tsbn.TSBN().recipe()
    assert not isinstance(recipe.estimator(), Foresight)
    assert isinstance(dataclasses.replace(recipe, foresight=0.1).estimator(), Foresight)
