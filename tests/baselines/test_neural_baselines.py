"""The neural baselines learn, predict and draw, under the same verbs as the networks."""

import dataclasses
import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tsbn.baselines import FCRBM, GRU, RTRBM, VRNN, Persistence, SpikeSlabRTRBM, squared_errors
from tsbn.baselines.neural.mixture import new_mixture
from tsbn.choices import Choices
from tsbn.data import Scaler, Sequences
from tsbn.datasets import load
from tsbn.inference.piece import whole
from tsbn.model.observations import new_observation
from tsbn.styles import parse

BRIEF = {"steps": 4, "every": 2, "window": 20, "batch": 3}
MODELS = {
    "FCRBM": FCRBM(hidden=5, factors=4, features=2, order=2, **BRIEF),
    "RTRBM": RTRBM(hidden=5, **BRIEF),
    "ss-SRTRBM": SpikeSlabRTRBM(hidden=5, nodes=["a", "b"], **BRIEF),
    "GRU": GRU(units=5, components=2, observation="student", **BRIEF),
    "VRNN": VRNN(units=5, latent=2, **BRIEF),
}
pytestmark = pytest.mark.usefixtures("optimising")


def turns(speed, frames, start):
    angle = speed * np.arange(frames) + start
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


WAVES = Sequences(
    [turns(speed, 45, start) for speed in (0.2, 0.6) for start in range(4)],
    ["slow"] * 4 + ["fast"] * 4,
)


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    with jax.numpy_dtype_promotion("standard"):
        return MODELS[request.param].fit(WAVES, seed=1)


def test_predictions_never_look_at_the_present_frame(model):
    before = WAVES[:1]
    changed = before.replace(values=[np.concatenate([before[0][:30], 9 + before[0][30:]])])
    one, other = model.predict(before), model.predict(changed)
    np.testing.assert_array_equal(one.mean[0][:31], other.mean[0][:31])
    np.testing.assert_array_equal(one.std[0][:31], other.std[0][:31])
    assert not np.allclose(one.mean[0][31:], other.mean[0][31:])


def test_predictions_come_with_the_shape_of_the_data(model):
    mean, std = model.predict(WAVES)
    assert [one.shape for one in mean] == [one.shape for one in WAVES] == [one.shape for one in std]
    assert all((one > 0).all() for one in std)


def test_drawn_sequences_go_on_from_an_opening_and_repeat_with_their_seed(model):
    side = parse("slow:6 | fast:6") if model.takes_side else None
    drawn = model.sample(side, 12, num=2, opening=WAVES[0][:15], seed=3)
    assert drawn.shape == (2, 12, 2)
    assert not np.allclose(drawn[0], drawn[1])
    np.testing.assert_array_equal(drawn, model.sample(side, 12, num=2, opening=WAVES[0][:15], seed=3))
    assert np.isfinite(model.sample(side, 12, choices=Choices("mean"))).all()


def test_the_same_seed_learns_the_same(model):
    again = dataclasses.replace(model).fit(WAVES, seed=1)
    np.testing.assert_array_equal(again.predict(WAVES).mean[0], model.predict(WAVES).mean[0])


def test_missing_values_count_as_the_last_known_ones(model):
    gaps = WAVES[0].copy()
    gaps[10:12] = np.nan
    filled = gaps.copy()
    filled[10:12] = gaps[9]
    one, other = (model.predict(WAVES[:1].replace(values=[array])).mean[0] for array in (gaps, filled))
    np.testing.assert_array_equal(one, other)


def test_the_best_parameters_on_held_out_frames_are_kept():
    """It ends as soon as a look is worse than the best one, so what is kept is not what came last."""
    model = GRU(units=5, steps=100, every=1, rate=0.3, batch=2, patience=1)
    model.fit(WAVES[::2], validation=(WAVES[1::2], None))
    looks = [row["validation"] for row in model.history_]
    assert looks[-1] < max(looks)
    held_out = zip(WAVES[1::2], model.side_.encode(WAVES[1::2]), strict=True)
    pieces = [whole(jnp.asarray(v, jnp.float32), jnp.asarray(y)) for v, y in held_out]
    costs = [model.net_.cost(piece, jax.random.key(0)) for piece in pieces]
    assert -np.concatenate(costs).mean() == pytest.approx(max(looks), rel=1e-4)


@pytest.mark.parametrize(
    "model",
    [
        FCRBM(hidden=10, factors=10, features=2, steps=400, rate=1e-2),
        GRU(units=10, steps=400, rate=1e-2),
        pytest.param(VRNN(units=10, latent=2, steps=400, rate=1e-2), marks=pytest.mark.slow),
    ],
    ids=lambda model: type(model).__name__,
)
def test_styles_that_differ_in_speed_are_told_apart(model):
    """One frame says where a point on a circle is, the style says how fast it goes: persistence knows but the one."""
    test = Sequences([turns(0.2, 40, 0.5), turns(0.6, 40, 0.5)], ["slow", "fast"], label_names=WAVES.label_names)
    found = squared_errors(test, model.fit(WAVES).predict(test).mean, 1)
    still = squared_errors(test, Persistence().fit(WAVES).predict(test).mean, 1)
    assert (found < 0.2 * still).all()


@pytest.mark.parametrize(
    "model", [RTRBM(hidden=20, steps=400, rate=1e-2, std="learned"), SpikeSlabRTRBM(hidden=20, steps=400, rate=1e-2)]
)
def test_recurrent_machines_learn_to_turn(model):
    found = squared_errors(WAVES, model.fit(WAVES).predict(WAVES).mean, 1).mean()
    assert found < 0.35  # the mean of all frames would have 1


@pytest.mark.parametrize(("model", "kind"), [(GRU, "bernoulli"), pytest.param(VRNN, "counts", marks=pytest.mark.slow)])
def test_recurrent_networks_also_take_binary_data_and_counts(model, kind):
    rng = np.random.default_rng(0)
    data = [rng.integers(0, 2 if kind == "bernoulli" else 5, size=(30, 3)).astype(float) for _ in range(3)]
    fitted = model(units=4, observation=kind, **BRIEF).fit(data)
    drawn = fitted.sample(length=15)
    assert (drawn == np.round(drawn)).all()
    assert (drawn >= 0).all()


def test_a_mixture_has_the_moments_of_its_draws_and_the_density_of_its_parts():
    mixture = new_mixture(3, new_observation("gaussian", 1), 2, jnp.zeros(2), jnp.ones(2), jax.random.key(0))
    outputs = mixture(jnp.array([30.0, -20.0, 10.0]), jnp.array([0.5, -1.0]))
    drawn = np.asarray(jax.vmap(lambda k: mixture.draw(outputs, k, False))(jax.random.split(jax.random.key(1), 10_000)))
    mean, std = mixture.moments(outputs)
    np.testing.assert_allclose(drawn.mean(axis=0), mean, atol=0.1)
    np.testing.assert_allclose(drawn.std(axis=0), std, rtol=0.05)
    shares, (means, outs) = np.asarray(jax.nn.softmax(outputs.logits)), outputs.heads
    widths = np.exp(6.0 * np.tanh(np.asarray(outs) / 12))
    v = np.array([0.3, -0.4])
    parts = np.exp(-0.5 * ((v - np.asarray(means)) / widths) ** 2) / widths / np.sqrt(2 * np.pi)
    density = mixture.log_prob(jnp.asarray(v, jnp.float32), outputs)
    np.testing.assert_allclose(density, np.log(shares @ parts.prod(axis=1)), rtol=1e-4)


def test_latent_variables_diverge_as_quadrature_says():
    from tsbn.baselines.neural.vrnn import Normal

    q, p = Normal(jnp.array([0.3]), jnp.array([-0.5])), Normal(jnp.array([-0.2]), jnp.array([0.4]))
    grid = np.linspace(-12, 12, 20001)

    def density(one):
        std = np.exp(float(one.log_std[0]))
        return np.exp(-0.5 * ((grid - float(one.mean[0])) / std) ** 2) / std / np.sqrt(2 * np.pi)

    at_q, at_p = density(q), density(p)
    exact = np.trapezoid(
        np.where(at_q > 0, at_q * np.log(np.maximum(at_q, 1e-300) / np.maximum(at_p, 1e-300)), 0), grid
    )
    np.testing.assert_allclose(q.divergence(p), exact, rtol=1e-4)


def test_what_cannot_be_is_said_before_any_work():
    with pytest.raises(ValueError, match="nodes has 1 entries, expected one for each of 2 channels"):
        SpikeSlabRTRBM(nodes=["a"], **BRIEF).fit(WAVES)
    with pytest.raises(ValueError, match="a RTRBM has no side information"):
        RTRBM(**BRIEF).fit(list(WAVES), ["slow"] * 8)
    with pytest.raises(ValueError, match="std is 'unitt', expected one of 'unit', 'learned'"):
        FCRBM(std="unitt", **BRIEF).fit(WAVES)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="this GRU has not been fitted yet"):
        GRU().predict(WAVES)


@pytest.mark.slow
@pytest.mark.skipif("TSBN_DATA" not in os.environ, reason="TSBN_DATA names no folder with the data sets")
def test_an_fcrbm_on_mocap2_is_about_as_good_as_a_linear_model():
    parts = load("mocap2", layout="mat")
    scaler = Scaler.fit(parts.train)
    train, test = scaler.transform(parts.train), scaler.transform(parts.test)
    run, walk = squared_errors(test, FCRBM(steps=1000).fit(train).predict(test).mean, 1)
    assert run < 7.2
    assert walk < 3.7
