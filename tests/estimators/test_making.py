"""What a fitted model makes: forecasts that follow enumeration, intervals that keep their promise, streams."""

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tsbn
from cases import FAMILY, random_model
from exact import table
from sampling import assert_frequencies
from tsbn.datasets.teacher import teacher_model
from tsbn.estimators.side import SideEncoder
from tsbn.inference.generation import Recent, generate
from tsbn.inference.piece import Piece
from tsbn.model.architecture import Architecture
from tsbn.scores import coverage

STYLES = SideEncoder("labels", 2, ("calm", "wild"))


def fitted(architecture, side=STYLES, model=None):
    """An estimator that has the given model as if it had learnt it."""
    estimator = tsbn.FCTSBN(order=architecture.order, observation=architecture.observation)
    estimator.architecture_, estimator.side_, estimator.history_ = architecture, side, []
    estimator.model_ = random_model(architecture) if model is None else model
    estimator.n_features_in_ = architecture.visible
    return estimator


@pytest.fixture(scope="module")
def walker():
    return fitted(Architecture(visible=3, side=2, hidden=(4,), order=2, factors=3))


def chances_after(model, frames, y, future_y):
    """Chance of every binary continuation of `frames`: the past from q, the rest from p."""
    start, horizon = len(frames), len(future_y)
    everything = np.ones(start + horizon, bool)
    given = Piece(  # q sees the given frames alone, p goes on from there
        v=np.concatenate([frames, np.zeros((horizon, frames.shape[1]))]),
        y=np.concatenate([np.broadcast_to(y, (start, y.shape[1])), future_y]),
        valid=np.arange(start + horizon) < start,
        counted=everything,
        seen=np.broadcast_to((np.arange(start + horizon) < start)[:, None], (start + horizon, frames.shape[1])),
    )
    paths = table(model, given)
    weights = np.exp(paths.log_q[:, :start].sum(1) + paths.log_p[:, start:].sum(1))
    return np.bincount(codes(paths.v[:, start:]), weights)


def codes(frames):
    bits = np.asarray(frames).reshape(len(frames), -1)
    return (bits @ 2.0 ** np.arange(bits.shape[1])[::-1]).astype(int)


@pytest.mark.parametrize("future", [0, 2])
def test_forecasts_of_sequences_of_different_lengths_follow_enumeration(future):
    """They share a padded batch: what is behind the last frame must not be felt. q may see all of the past."""
    architecture = dataclasses.replace(
        FAMILY["binary tsbn"], visible=2, side=2, order=2, weights="factored", factors=2, future=future
    )
    model = fitted(architecture)
    past = [np.array([[1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 1.0]])]
    later = np.array([[0.3, 0.7], [1.0, 0.0]])
    found = model.forecast(past, ["calm", "wild"], horizon=2, future_side=[later, later], samples=20_000)
    for forecast, frames, y in zip(found, past, np.eye(2), strict=True):
        assert_frequencies(codes(forecast.samples), chances_after(model.model_, frames, y[None], later))


def test_intervals_hold_the_promised_share_of_what_the_teacher_does_next():
    model, start, horizon = teacher_model(), 10, 6
    y = jnp.eye(2)[:1]
    drawn = jax.vmap(lambda k: generate(model.network, y, k, length=start + horizon))
    v, hs = drawn(jax.random.split(jax.random.key(0), 400))
    recent = Recent(v[:, start - 1 : start], (hs[0][:, start - 1 : start],))

    def continued(k, recent):
        go_on = jax.vmap(lambda k: generate(model.network, y, k, recent, length=horizon).v)
        return go_on(jax.random.split(k, 200))

    samples = jax.jit(jax.vmap(continued))(jax.random.split(jax.random.key(1), 400), recent)
    for promised in (0.5, 0.9):
        low, high = zip(*(tsbn.Forecast(np.asarray(one)).interval(promised) for one in samples), strict=True)
        assert coverage(v[:, start:], np.stack(low), np.stack(high)) == pytest.approx(promised, abs=0.02)


def test_a_forecast_goes_on_as_the_sequence_ends_unless_told_otherwise(walker):
    frames = np.random.default_rng(0).standard_normal((5, 3))
    side = np.repeat(np.eye(2), [3, 2], axis=0)
    by_default = walker.forecast([frames], [side], horizon=4, samples=7)
    (told,) = walker.forecast([frames], [side], horizon=4, samples=7, future_side="wild")
    (other,) = walker.forecast([frames], [side], horizon=4, samples=7, future_side="calm")
    assert by_default[0].samples.shape == (7, 4, 3)
    np.testing.assert_array_equal(by_default[0].samples, told.samples)
    assert np.abs(other.samples - told.samples).max() > 0.01
    np.testing.assert_allclose(told.quantile(0.5), np.median(told.samples, axis=0), rtol=1e-5)
    np.testing.assert_allclose(told.std, told.samples.std(axis=0))


def test_one_label_for_all_forecasts_may_be_a_number_of_any_kind():
    frames = [np.random.default_rng(seed).standard_normal((8, 2)) for seed in range(2)]
    model = tsbn.FCTSBN(hidden=(3,), factors=2, steps=2, every=2).fit(frames, [0, 1])
    plain, numpys = (model.forecast(frames, [0, 1], horizon=2, samples=3, future_side=one) for one in (1, np.int64(1)))
    for a, b in zip(plain, numpys, strict=True):
        np.testing.assert_array_equal(a.samples, b.samples)


def test_values_missing_from_the_past_do_not_reach_the_forecast(walker):
    frames = np.random.default_rng(0).standard_normal((5, 3))
    frames[4, 1] = np.nan
    (found,) = walker.forecast([frames], ["calm"], horizon=3, samples=5)
    assert np.isfinite(found.samples).all()


def test_a_path_of_one_frame_says_how_long_it_is(walker):
    assert walker.sample(tsbn.styles.parse("calm:1", walker.side_.labels)).shape == (1, 3)
    with pytest.raises(ValueError, match="length is missing"):
        walker.sample("calm")


def test_choices_reach_samples_forecasts_and_streams(walker):
    """Where nothing is left to chance, seeds do not matter and all three tell the same."""
    still = tsbn.Choices("mean", temperature=0)
    one, other = (walker.sample("calm", 6, choices=still, seed=seed) for seed in (0, 1))
    np.testing.assert_array_equal(one, other)
    stream = walker.stream("calm", choices=still, seed=2)
    np.testing.assert_allclose(np.stack(list(itertools.islice(stream, 6))), one, rtol=1e-4, atol=1e-5)
    (forecast,) = walker.forecast([one[:1]], ["calm"], horizon=3, samples=4, choices=still)
    assert forecast.samples.shape == (4, 3, 3)


def test_a_stream_follows_its_side_information_and_its_seed(walker):
    opening = np.random.default_rng(0).standard_normal((4, 3))

    def frames(seed, *sides):
        stream = walker.stream("calm", opening=opening, seed=seed)
        return np.stack([stream.next(side) for side in sides])

    same = frames(0, None, "wild", [0.5, 0.5], None)
    np.testing.assert_array_equal(same, frames(0, "calm", "wild", np.array([0.5, 0.5]), [0.5, 0.5]))
    assert np.abs(same - frames(1, None, "wild", [0.5, 0.5], None)).max() > 0.01
    assert np.abs(same - frames(0, None, "calm", [0.5, 0.5], None)).max() > 0.01


def test_a_stream_goes_on_from_frames_as_they_were_snapped(walker):
    """Rounded frames, and not those before rounding, are the past of the next one."""
    still = tsbn.Choices("mean", temperature=0)
    first, second = itertools.islice(walker.stream("calm", choices=still, snap=np.round), 2)
    np.testing.assert_array_equal(first, np.round(walker.stream("calm", choices=still).next()))
    far = walker.stream("calm", choices=still, snap=lambda frame: frame + 100)
    far.next()
    assert np.abs(far.next() - 100 - second).max() > 1


def test_many_sequences_can_be_drawn_and_all_differ(walker):
    many = walker.sample("calm", 3, 130, opening=np.zeros((2, 3)))
    assert many.shape == (130, 3, 3)
    assert len(np.unique(many[:, 0, 0])) == 130


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: m.forecast([np.zeros((3, 3))], ["calm"], horizon=0), "horizon is 0"),
        (lambda m: m.forecast([np.zeros((3, 2))], ["calm"], horizon=2), "sequences has 2 channels"),
        (
            lambda m: m.forecast([np.zeros((3, 3))], ["calm"], horizon=2, future_side=["calm", "wild"]),
            "future_side has 2 entries for 1 sequences",
        ),
        (
            lambda m: m.forecast([np.zeros((3, 3))], ["calm"], horizon=2, future_side=[np.ones((3, 2))]),
            r"for a sequence of 2 frames",
        ),
        (lambda m: m.forecast([np.zeros((3, 3))], ["calm"], horizon=2, future_side="old"), "old"),
        (lambda m: m.stream(), "side is missing"),
        (lambda m: m.stream("calm").next([1.0, 0.0, 0.0]), "styles"),
        (lambda m: m.stream("calm", opening=np.zeros((3, 4))), "opening has 4 channels"),
        (lambda m: tsbn.Forecast(np.zeros((2, 1, 1))).interval(90), "coverage is 90"),
    ],
)
def test_what_cannot_be_made_is_said(walker, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(walker)
