"""Gradients of the semi-supervised objective against enumeration of all labels and all paths, by central differences.

The oracle shares no code with the library: scores of the classifier are written out here, bounds come from `exact`.
"""

import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import FAMILY, random_model, random_piece
from exact import elbo, gradient, sigmoid
from gradient_checks import assert_unbiased, flat, sampled_gradients, stacked
from tsbn.inference.piece import Piece
from tsbn.learning.gradients.later import ClosedForm
from tsbn.learning.gradients.leave_one_out import LeaveOneOut
from tsbn.learning.gradients.multi_sample import MultiSample
from tsbn.learning.gradients.particle import Particle
from tsbn.learning.semi.classifiers import new_classifier
from tsbn.learning.semi.model import LabelModel, LabelPrior, batch_log_q, with_labels
from tsbn.learning.semi.objective import Sampled, Summed, Weights

DRAWS = 20_000
REACH = 1
MISSING = np.full(2, np.nan, np.float32)


def small(classifier: str = "softmax", name: str = "fctsbn", learned: bool = True, scale: float = 0.5) -> LabelModel:
    """A model of two labels with every number drawn at random."""
    architecture = FAMILY[name]
    blank = new_classifier(classifier, architecture.visible, 2, REACH, units=3, key=jax.random.key(0))
    generator = np.random.default_rng(5)
    drawn = jax.tree.map(lambda leaf: jnp.asarray(scale * generator.standard_normal(leaf.shape), jnp.float32), blank)
    return with_labels(random_model(architecture, scale=scale), drawn, LabelPrior(jnp.array([0.3, -0.4]), learned))


def piece(label, seed: int = 0, time: int = 3, context: int = 0, name: str = "fctsbn") -> Piece:
    """A piece with a given label: one row, or one row per frame; NaN where it is not known."""
    found = random_piece(FAMILY[name], time, seed=seed)
    return found._replace(y=jnp.asarray(np.atleast_2d(label), jnp.float32), counted=jnp.arange(time) >= context)


def scores(model: LabelModel, v: np.ndarray) -> np.ndarray:
    """The classifier's scores `[time, labels]`, frame by frame as its definition reads."""
    c, before, found, state = model.classifier, np.zeros_like(v[0]), [], None
    for frame in v:
        window = np.concatenate([frame, before])
        if hasattr(c, "cell"):
            state = np.zeros(c.cell.hidden_size) if state is None else state
            reset, keep, new = np.split(c.cell.weight_ih @ frame + c.cell.bias, 3)
            from_reset, from_keep, from_new = np.split(c.cell.weight_hh @ state, 3)
            candidate = np.tanh(new + sigmoid(reset + from_reset) * (from_new + c.cell.bias_n))
            share = sigmoid(keep + from_keep)
            features = state = share * state + (1 - share) * candidate
        else:
            features = np.tanh(c.hidden.W @ window + c.hidden.b) if hasattr(c, "hidden") else window
        found.append(c.out.W @ features + c.out.b)
        before = frame
    return np.array(found)


def log_softmax(x: np.ndarray) -> np.ndarray:
    return x - np.log(np.sum(np.exp(x), axis=-1, keepdims=True))


def exact_objective(model: LabelModel, one: Piece, alpha: float | None, changing: bool) -> float:
    """L_l or L_u of a piece, over every way to label what is not labelled."""
    v, given, counted = np.asarray(one.v, float), np.asarray(one.y, float), np.asarray(one.counted)
    by_frame = scores(model, v)
    full = counted & (np.arange(len(v)) >= REACH)
    log_q = log_softmax(by_frame if changing else by_frame[full].mean(axis=0, keepdims=True))
    log_p = log_softmax(np.asarray(model.prior.scores, float))
    steps = counted.sum()
    weight = (2 * steps if alpha is None else alpha) / (steps if changing else 1)
    when = counted if changing else np.ones(1, bool)
    unknown, total = np.flatnonzero(np.isnan(given[:, 0])), 0.0
    for guess in itertools.product(range(2), repeat=len(unknown)):
        y = given.copy()
        y[unknown] = np.eye(2)[list(guess)]
        chance = np.exp(sum(log_q[t] @ y[t] for t in unknown))
        value = elbo(model.conditional, one._replace(y=y))
        for t in np.flatnonzero(when):
            value += y[t] @ log_p + (-(y[t] @ log_q[t]) if t in unknown else weight * (y[t] @ log_q[t]))
        total += chance * value
    return total


def exact_gradient(model, pieces, alpha=None, changing=False) -> np.ndarray:
    steps = sum(int(one.counted.sum()) for one in pieces)
    return flat(gradient(lambda m: -sum(exact_objective(m, one, alpha, changing) for one in pieces) / steps, model))


def sizes(model) -> tuple[int, int, int]:
    """How many numbers theta, phi and the classifier have."""
    return tuple(
        sum(leaf.size for leaf in jax.tree.leaves(part))
        for part in (model.network, model.recognition, model.classifier)
    )


@pytest.mark.parametrize("classifier", ["softmax", "mlp", "recurrent"])
def test_scores_are_what_the_definition_says(classifier):
    model, one = small(classifier), piece(MISSING, time=5)
    expected = scores(model, np.asarray(one.v, float))
    np.testing.assert_allclose(batch_log_q(model, stacked(one), True)[0], log_softmax(expected), atol=1e-5)
    whole = log_softmax(expected[REACH:].mean(axis=0))
    np.testing.assert_allclose(batch_log_q(model, stacked(one), False)[0, 0], whole, atol=1e-5)


def test_a_piece_shorter_than_the_window_is_recognised_by_the_frames_it_has():
    model, one = small(), piece(MISSING, time=1)
    expected = log_softmax(scores(model, np.asarray(one.v, float))[0])
    np.testing.assert_allclose(batch_log_q(model, stacked(one), False)[0, 0], expected, atol=1e-5)


@pytest.mark.parametrize(("inner", "alpha"), [(ClosedForm(), None), (LeaveOneOut(), 0.7)])
def test_summing_labels_out_gives_the_exact_gradient_of_theta_phi_and_classifier(inner, alpha):
    model, pieces = small(), (piece([0, 1]), piece(MISSING, seed=3, context=1))
    samples = sampled_gradients(Summed(inner, 1, Weights(alpha)), model, stacked(*pieces), draws=DRAWS)
    assert_unbiased(samples, exact_gradient(model, pieces, alpha))


@pytest.mark.parametrize("classifier", ["softmax", "mlp", "recurrent"])
def test_sampled_labels_give_the_exact_gradient_of_theta_phi_and_classifier(classifier):
    model, pieces = small(classifier), (piece([0, 1]), piece(MISSING, seed=3, context=1))
    samples = sampled_gradients(Sampled(ClosedForm()), model, stacked(*pieces), draws=DRAWS)
    assert_unbiased(samples, exact_gradient(model, pieces))


def test_labels_that_change_within_a_piece_have_the_exact_gradient_too():
    """A stretch is labelled, the rest is not, and one of the unlabelled frames only gives context."""
    model = small()
    pieces = (piece([[1, 0], [0, 1], MISSING]), piece([MISSING, MISSING, [0, 1]], seed=3, context=1))
    samples = sampled_gradients(Sampled(ClosedForm(), changing=True), model, stacked(*pieces), draws=DRAWS)
    assert_unbiased(samples, exact_gradient(model, pieces, changing=True))


@pytest.mark.parametrize("name", ["deep ctsbn", "binary hidden Markov ctsbn"])
def test_deep_hidden_markov_and_binary_models_have_exact_gradients(name):
    model, pieces = small(name=name), (piece([1, 0], time=2, name=name), piece(MISSING, 3, time=2, name=name))
    samples = sampled_gradients(Summed(LeaveOneOut(), 1), model, stacked(*pieces), draws=DRAWS)
    assert_unbiased(samples, exact_gradient(model, pieces))


def test_summing_and_sampling_labels_agree_and_summing_has_less_noise():
    model, batch = small(), stacked(piece([0, 1]), piece(MISSING, seed=3))
    summed = sampled_gradients(Summed(ClosedForm(), 1), model, batch, draws=DRAWS)
    sampled = sampled_gradients(Sampled(ClosedForm()), model, batch, draws=DRAWS)
    theta, phi, classifier = sizes(model)
    rows = slice(theta + phi, theta + phi + classifier)
    error = np.sqrt(summed.var(axis=0) + sampled.var(axis=0)) / np.sqrt(DRAWS)
    assert np.max(np.abs(summed.mean(axis=0) - sampled.mean(axis=0)) / np.maximum(error, 1e-5)) < 5
    assert np.sum(summed[:, rows].var(axis=0)) < 0.2 * np.sum(sampled[:, rows].var(axis=0))


def test_a_given_prior_stays_as_it_is():
    model, batch = small(learned=False), stacked(piece([0, 1]), piece(MISSING, seed=3))
    for estimator in (Summed(ClosedForm(), 1), Sampled(ClosedForm())):
        found = sampled_gradients(estimator, model, batch, draws=10)
        assert not np.any(found[:, -2:])


@pytest.mark.parametrize("inner", [MultiSample(2), Particle(2)])
def test_the_tighter_bounds_take_labels_too(inner):
    """Their gradients are finite, and the bound they report with labels summed out is a mean over q(y | v)."""
    model, unknown = small(), piece(MISSING, seed=3)
    q = np.exp(batch_log_q(model, stacked(unknown), False)[0, 0])
    log_p = np.asarray(model.prior.log_prob())

    @eqx.filter_jit
    def mean_bound(estimator, model, batch):
        _, statistics = estimator.start(model, jax.random.key(7))
        keys = jax.random.split(jax.random.key(2), 20_000)
        found = jax.vmap(lambda k: estimator.surrogate(model, None, statistics, batch, k, jnp.ones(())).bound)(keys)
        return found.mean()

    alone = [mean_bound(inner, model.conditional, stacked(unknown._replace(y=jnp.eye(2)[s][None]))) * 3 for s in (0, 1)]
    expected = q @ (np.array(alone) + log_p - np.log(q)) / 3
    assert abs(mean_bound(Summed(inner, 0), model, stacked(unknown)) - expected) < 0.02
    found = sampled_gradients(Sampled(inner, changing=True), model, stacked(piece([MISSING] * 3)), draws=10)
    assert np.isfinite(found).all()


def test_a_penalty_pulls_the_classifiers_weights_towards_zero():
    model, batch = small(), stacked(piece([0, 1]), piece(MISSING, seed=3))
    plain, pulled = (
        sampled_gradients(Summed(ClosedForm(), 1, Weights(None, p)), model, batch, draws=10) for p in (0.0, 0.5)
    )
    theta, phi, _ = sizes(model)
    W = np.ravel(model.classifier.out.W)
    rows = slice(theta + phi, theta + phi + W.size)
    np.testing.assert_allclose((pulled - plain)[:, rows], np.broadcast_to(0.5 * W, (10, W.size)), atol=1e-4)
