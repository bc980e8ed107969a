"""Sampled gradients of every estimator against exact ones (see `gradient_checks`)."""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from cases import FAMILY, random_model, random_piece
from exact import elbo, gradient, log_likelihood, table, two_sample_bound
from gradient_checks import (
    DETERMINISTIC,
    DRAWS,
    assert_unbiased,
    compare,
    exact_gradient,
    flat,
    pieces_of,
    sampled_gradients,
    stacked,
    variance_ratio,
)
from tsbn.inference.piece import Piece
from tsbn.inference.terms import batch_terms
from tsbn.learning.gradients.estimator import sampled_parts
from tsbn.learning.gradients.flips import Flips
from tsbn.learning.gradients.later import ClosedForm, Later
from tsbn.learning.gradients.leave_one_out import LeaveOneOut
from tsbn.learning.gradients.multi_sample import MultiSample
from tsbn.learning.gradients.nvil import Nvil
from tsbn.learning.gradients.particle import Particle
from tsbn.learning.gradients.straight_through import StraightThrough

UNBIASED = {"later": Later(), "closed form": ClosedForm(), "leave one out": LeaveOneOut(), "flips": Flips(3)}
OTHERS = {
    "nvil": Nvil(),
    "multi-sample": MultiSample(2),
    "particle": Particle(4),
    "straight through": StraightThrough(),
}


def missing_and_context() -> Piece:
    """Three binary frames of which the first only gives context; four entries are missing, also in the context."""
    piece = random_piece(FAMILY["deep ctsbn"], time=3)
    seen = jnp.ones((3, 2), bool).at[0, 0].set(False).at[1].set(False).at[2, 1].set(False)
    counted = jnp.array([False, True, True])
    return piece._replace(v=jnp.where(seen, piece.v, 0.0), seen=seen, counted=counted)


CASES = {
    "one layer, constant side information": (
        random_model(FAMILY["fctsbn"], scale=0.6),
        stacked(random_piece(FAMILY["fctsbn"], 3, constant=True)),
    ),
    "two layers, missing entries, context": (
        random_model(dataclasses.replace(FAMILY["deep ctsbn"], hidden=(2, 1)), scale=0.6),
        stacked(missing_and_context()),
    ),
}


@pytest.fixture(scope="module")
def truths():
    """The exact gradients, computed once, with the full bound and with log p(h) - log q(h) at a third."""
    return {
        (name, warmth): exact_gradient(*case, value=partial(elbo, warmth=warmth))
        for name, case in CASES.items()
        for warmth in (1.0, 0.3)
    }


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", UNBIASED)
def test_unbiased_estimators_give_the_exact_gradient_of_theta_and_phi(name, case, truths):
    for warmth in (1.0, 0.3):
        samples = sampled_gradients(UNBIASED[name], *CASES[case], warmth=jnp.asarray(warmth))
        assert_unbiased(samples, truths[case, warmth])


def test_flips_leave_out_what_no_unit_changes():
    """A log-variance without W2' is the same whatever unit is flipped; the tails are heavy."""
    architecture = FAMILY["heavy tails, noise of the style alone"]
    model, batch = random_model(architecture, scale=0.6), stacked(random_piece(architecture, 3))
    samples = sampled_gradients(UNBIASED["flips"], model, batch)
    assert_unbiased(samples, exact_gradient(model, batch))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", UNBIASED | OTHERS)
def test_gradients_stay_finite_on_extreme_input(name, case):
    """Weights of about 50 and, for real data, values of about a million."""
    model, batch = CASES[case]
    huge = jax.tree.map(lambda leaf: 80 * leaf, model)
    far = batch._replace(v=1e6 * batch.v) if batch.seen is None else batch
    estimator = (UNBIASED | OTHERS)[name]
    found = sampled_gradients(estimator, huge, far, warmth=jnp.asarray(1.0))
    assert bool(jnp.all(jnp.isfinite(found)))


def algorithm_1(model, piece: Piece, credit) -> np.ndarray:
    """Expectation, over all paths, of the gradient that weighs grad log q(h_t) by `credit(l)`'s entry t."""
    found = table(model, piece)
    q, terms = np.exp(found.log_q.sum(1)), found.log_p - found.log_q
    signals, steps = credit(terms), terms.shape[1]

    def weighed(m):
        return -q @ np.sum(signals * table(m, piece).log_q, axis=1) / steps

    return flat(gradient(weighed, model))


def test_nvil_is_algorithm_1_and_its_bias_goes_away_with_the_later_terms():
    """Algorithm 1 credits h_t with l_t alone. Shown by enumeration, and found again in the sampled estimates."""
    architecture = FAMILY["tsbn"]
    model, batch = random_model(architecture, scale=1.0), stacked(random_piece(architecture, 3))
    piece = pieces_of(batch)[0]
    theta = len(flat(model.network))
    truth = exact_gradient(model, batch)

    def relative(found):
        return np.linalg.norm(found[theta:] - truth[theta:]) / np.linalg.norm(truth[theta:])

    def next_too(terms):
        return terms + np.pad(terms[:, 1:], ((0, 0), (0, 1)))

    present = relative(algorithm_1(model, piece, lambda terms: terms))
    following = relative(algorithm_1(model, piece, next_too))
    all_later = relative(algorithm_1(model, piece, lambda terms: np.cumsum(terms[:, ::-1], axis=1)[:, ::-1]))
    print(f"\nrelative bias of the phi-gradient: l_t {present:.3f}, with l_(t+1) {following:.3f}, all {all_later:.1e}")
    assert present > 0.05
    assert following < present
    assert all_later < 1e-6

    @jax.jit
    def nvil(key):
        """From a fresh start: the baseline gives zero, and the running mean a tenth of the sequence's own."""
        baseline, statistics = Nvil().start(model, jax.random.key(7))

        def one(k):
            def loss(m):
                return Nvil().surrogate(m, baseline, statistics, batch, k, jnp.ones(())).loss

            return ravel_pytree(jax.grad(loss)(model))[0]

        return jax.lax.map(one, jax.random.split(key, DRAWS), batch_size=2000)

    def as_printed(terms):
        """kappa and tau are a tenth of this sequence's mean and variance, as they start from zero."""
        spread = np.maximum(1, np.sqrt(0.1 * terms.var(axis=1, keepdims=True)))
        return (terms - 0.1 * terms.mean(axis=1, keepdims=True)) / spread

    expected = truth.copy()
    expected[theta:] = algorithm_1(model, piece, as_printed)[theta:]
    samples = nvil(jax.random.key(1))
    assert_unbiased(samples, expected)
    scores, _ = compare(samples[:, theta:], truth[theta:])
    print(f"sampled nvil: {np.max(np.abs(scores)):.0f} standard errors from the truth at worst")
    assert np.max(np.abs(scores)) > 10, "biased, significantly"
    unbiased = {name: sampled_gradients(e, model, batch) for name, e in UNBIASED.items()}
    passed = sampled_gradients(StraightThrough(), model, batch)
    for name, found in {"nvil": samples, "straight through": passed, **unbiased}.items():
        phi = np.asarray(found[:, theta:], np.float64)
        print(
            f"{name:14} bias {relative(found.mean(0)):.3f}  variance / |g|^2 {variance_ratio(phi, truth[theta:]):.2f}"
        )
    assert_unbiased(unbiased["later"], truth)
    assert relative(passed.mean(0)) < present


def test_nvil_of_a_deep_model_is_exact_where_nothing_comes_later():
    """Over one step Algorithm 1 is unbiased for every layer; the running mean takes a tenth of a lone signal."""
    architecture = FAMILY["deep fctsbn"]
    model, batch = random_model(architecture, scale=0.6), stacked(random_piece(architecture, 1))
    theta = len(flat(model.network))
    expected = exact_gradient(model, batch)
    expected[theta:] *= 0.9
    baseline, statistics = Nvil().start(model, jax.random.key(7))
    baseline = jax.tree.map(lambda leaf: leaf + 0.01, baseline)

    def one(key):
        def loss(m):
            return Nvil().surrogate(m, baseline, statistics, batch, key, jnp.ones(())).loss

        return ravel_pytree(jax.grad(loss)(model))[0]

    assert_unbiased(jax.lax.map(one, jax.random.split(jax.random.key(1), DRAWS), batch_size=2000), expected)


def test_what_lies_below_a_layer_is_no_part_of_its_signal():
    """However badly the frames are explained, the second layer answers for the first one's units and its own."""
    architecture = FAMILY["three layers"]
    model, batch = random_model(architecture), stacked(random_piece(architecture, 3))
    terms = batch_terms(model, batch, jax.random.key(1))
    worse = terms._replace(likelihood=terms.likelihood - 1000, posterior=(terms.posterior[0] + 7, *terms.posterior[1:]))
    now, then = (sampled_parts(found, jnp.asarray(0.5)).present for found in (terms, worse))
    np.testing.assert_allclose(np.asarray(now[0] - then[0]), 1003.5, rtol=1e-5)
    for layer in (1, 2):
        np.testing.assert_array_equal(np.asarray(now[layer]), np.asarray(then[layer]))
        own = sum(terms.prior[layer:]) - sum(terms.posterior[layer:])
        np.testing.assert_allclose(now[layer], 0.5 * (terms.prior[layer - 1] + own), rtol=1e-5)


def test_a_horizon_that_reaches_the_end_is_no_horizon_and_a_short_one_is_biased():
    architecture = FAMILY["tsbn"]
    model, batch = random_model(architecture, scale=1.0), stacked(random_piece(architecture, 3))

    def mean_gradient(horizon):
        return sampled_gradients(LeaveOneOut(2, horizon), model, batch).mean(0)

    np.testing.assert_allclose(mean_gradient(2), mean_gradient(None), atol=1e-4)
    assert np.max(np.abs(mean_gradient(1) - mean_gradient(None))) > 0.01


@pytest.mark.parametrize("missing", [False, True])
def test_the_multi_sample_objective_has_an_unbiased_gradient(missing):
    """K = 2, over all pairs of paths."""
    architecture = dataclasses.replace(FAMILY["binary tsbn"], visible=2)
    model, piece = random_model(architecture, scale=0.6), random_piece(architecture, time=2)
    if missing:
        seen = jnp.ones(piece.v.shape, bool).at[0, 0].set(False).at[1, 1].set(False)
        piece = piece._replace(v=jnp.where(seen, piece.v, 0.0), seen=seen)
    batch = stacked(piece)
    samples = sampled_gradients(MultiSample(2), model, batch)
    assert_unbiased(samples, exact_gradient(model, batch, two_sample_bound))


def test_two_particles_are_never_resampled_and_give_the_gradient_of_the_two_sample_bound():
    architecture = dataclasses.replace(FAMILY["binary tsbn"], visible=2)
    model, batch = random_model(architecture, scale=0.6), stacked(random_piece(architecture, time=2))
    samples = sampled_gradients(Particle(2), model, batch)
    assert_unbiased(samples, exact_gradient(model, batch, two_sample_bound))


def test_with_many_particles_the_gradient_of_theta_nears_that_of_the_likelihood():
    """The score of resampling is left out, and the bound is not tight: still within a tenth of the gradient's norm."""
    architecture = dataclasses.replace(FAMILY["binary tsbn"], visible=2)
    model, batch = random_model(architecture, scale=0.6), stacked(random_piece(architecture, time=3))
    theta = len(flat(model.network))
    truth = exact_gradient(model, batch, log_likelihood)[:theta]
    found = sampled_gradients(Particle(32), model, batch, draws=4000).mean(0)[:theta]
    assert np.linalg.norm(found - truth) < 0.1 * np.linalg.norm(truth)


@pytest.mark.parametrize("name", ["later", "leave one out"])
def test_deterministic_middle_layers_and_batches_with_padding(name):
    """Rectified layers are differentiated through; pieces of a batch count by their own valid steps."""
    architecture = DETERMINISTIC
    model = random_model(architecture, scale=0.5)
    long, short = random_piece(architecture, 3), random_piece(architecture, 3, seed=4)
    short = short._replace(valid=jnp.arange(3) < 2, counted=jnp.arange(3) < 2)
    batch = stacked(long, short)
    samples = sampled_gradients(UNBIASED[name], model, batch)
    alone = short._replace(v=short.v[:2], y=short.y[:2], valid=short.valid[:2], counted=short.counted[:2])
    total = gradient(lambda m: -(elbo(m, long) + elbo(m, alone)) / 5, model)
    assert_unbiased(samples, flat(total))
