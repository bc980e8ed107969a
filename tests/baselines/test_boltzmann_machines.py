"""Boltzmann machines agree with enumeration: free energies, conditionals, gradients and samplers."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from machines_by_hand import ByHand

from sampling import assert_mean
from tsbn.baselines.neural import FCRBM, RTRBM, SpikeSlabRTRBM
from tsbn.estimators.dividing import divided
from tsbn.inference.piece import whole

VISIBLE, TIME = 2, 4
MODELS = {
    "FCRBM": FCRBM(hidden=3, factors=2, features=2, order=2, std="learned"),
    "RTRBM": RTRBM(hidden=3, std="learned"),
    "ss-SRTRBM": SpikeSlabRTRBM(hidden=3, nodes=["a", "b"]),
    "ss-RTRBM": SpikeSlabRTRBM(hidden=3),
}


@pytest.fixture(params=MODELS)
def case(request):
    """A net with random parameters in float64, and a piece of random frames whose style changes on the way."""
    rng = np.random.default_rng(list(MODELS).index(request.param))
    model, v = MODELS[request.param], rng.normal(size=(TIME, VISIBLE))
    data = taken([v], [["x", "y", "x", "y"]] if model.takes_side else None)
    net = model._net(data, jax.random.key(0))
    with jax.enable_x64(True):
        net = jax.tree.map(lambda x: jnp.asarray(np.asarray(x) + 0.4 * rng.normal(size=x.shape)), net)
        yield net, whole(jnp.asarray(v), jnp.asarray(data.sides[0], v.dtype))


def taken(arrays, side=None):
    demands = {"observation": "gaussian", "order": 1, "takes_side": side is not None}
    return divided(arrays, side, 0, 0, model="it", **demands)


def test_free_energies_are_those_of_the_energy(case):
    net, piece = case
    machine = net.machines(piece)
    others = jnp.asarray(np.random.default_rng(9).normal(size=piece.v.shape))
    change = np.asarray(machine.free_energy(others) - machine.free_energy(piece.v))
    for t in range(TIME):
        by_hand = ByHand(machine, t)
        sums = [np.logaddexp.reduce(by_hand.log_weights(np.asarray(v[t]))) for v in (piece.v, others)]
        np.testing.assert_allclose(change[t], sums[0] - sums[1], rtol=1e-8)


def test_hidden_units_are_on_with_the_probability_of_the_energy(case):
    net, piece = case
    machine = net.machines(piece)
    found = np.asarray(jax.nn.sigmoid(machine.logits(piece.v)))
    for t in range(TIME):
        by_hand = ByHand(machine, t)
        weights = by_hand.log_weights(np.asarray(piece.v[t]))
        share = np.exp(weights - np.logaddexp.reduce(weights))
        np.testing.assert_allclose(found[t], share @ by_hand.states, rtol=1e-8)


def test_the_density_by_components_is_that_of_the_free_energy(case):
    """Holds the closed forms behind the next tests against the free energy, which was held against the energy."""
    net, piece = case
    machine = net.machines(piece)
    others = jnp.asarray(np.random.default_rng(9).normal(size=piece.v.shape))
    change = np.asarray(machine.free_energy(others) - machine.free_energy(piece.v))
    for t in range(TIME):
        densities = [ByHand(machine, t).log_prob(np.asarray(v[t])) for v in (piece.v, others)]
        np.testing.assert_allclose(change[t], densities[0] - densities[1], rtol=1e-8)


def test_the_positive_phase_is_the_expected_derivative_of_the_energy(case):
    """The derivative of the free energy by every parameter, against differences of sums over all hidden states."""
    net, piece = case

    def by_enumeration(changed):
        machine = changed.machines(piece)
        total = 0.0
        for t in range(TIME):
            found = np.logaddexp.reduce(ByHand(machine, t).log_weights(np.asarray(piece.v[t])))
            # The width of slabs that are off is no part of the free energy.
            total -= found if machine.slab is None else found - 0.5 * np.sum(np.log(2 * np.pi / machine.slab.precision))
        return total

    gradient = jax.grad(lambda n: jnp.sum(n.machines(piece).free_energy(piece.v)))(net)
    check_derivative(by_enumeration, net, gradient)


def test_contrastive_divergence_with_long_chains_is_the_gradient_of_the_likelihood(case):
    """Of every frame given its past; recurrent machines through time. Short chains would stay near the data."""
    net, piece = case
    net = eqx.tree_at(lambda n: n.rounds, net, type(net.rounds)(learning=25))

    def log_likelihood(changed):
        machine = changed.machines(piece)
        return sum(ByHand(machine, t).log_prob(np.asarray(piece.v[t])) for t in range(TIME))

    rng = np.random.default_rng(3)
    way = jax.tree.map(lambda x: jnp.asarray(rng.normal(size=x.shape)), net)
    exact = slope(log_likelihood, net, way)
    penalty = jax.jvp(lambda n: n.penalty(), (net,), (way,))[1]

    def along(key):
        return jax.jvp(lambda n: jnp.sum(n.loss(piece, key)), (net,), (way,))[1]

    slopes = jax.lax.map(along, jax.random.split(jax.random.key(1), 4000), batch_size=1000)
    assert_mean(-np.asarray(slopes - TIME * penalty), exact, precision=0.15 * max(1.0, abs(exact)))


def test_gibbs_sampling_reaches_the_exact_moments(case):
    net, piece = case
    machine = net.machines(piece)
    keys = jax.random.split(jax.random.key(2), 6_000)
    drawn = np.asarray(jax.lax.map(lambda k: machine.chain(piece.v, k, 25)[1], keys, batch_size=1000))
    for t in range(TIME):
        mean, covariance = ByHand(machine, t).moments()
        assert_mean(drawn[:, t], mean)
        off = drawn[:, t] - mean
        assert_mean(off[:, :, None] * off[:, None, :], covariance, errors=4.5)


def test_slabs_leave_every_frame_a_distribution():
    """However large the weights: each component of p(v) has a positive covariance."""
    model = SpikeSlabRTRBM(hidden=4)
    data = taken([np.random.default_rng(0).normal(size=(9, 3))])
    net = eqx.tree_at(lambda n: n.weights, model._net(data, jax.random.key(0)), 5 * np.eye(3, 4) + 1.0)
    covariances = ByHand(net.machines(whole(jnp.asarray(data.arrays[0]))), 0).gaussians()[2]
    assert (np.linalg.eigvalsh(covariances) > 0).all()


def test_memory_after_an_opening_is_that_of_the_whole_sequence(case):
    net, piece = case
    machines = net.machines(piece)
    opening = whole(piece.v[:-1], piece.y[:-1] if len(piece.y) > 1 else piece.y)
    following = net.machine(net.recall(opening, jax.random.key(0)), piece.y[-1])
    for name in ("visible_bias", "hidden_bias"):
        np.testing.assert_allclose(getattr(following, name)[0], getattr(machines, name)[-1], rtol=1e-10)


def test_one_frame_more_is_remembered_as_if_it_had_been_in_the_opening(case):
    net, piece = case
    start = whole(piece.v[:-1], piece.y[:-1] if len(piece.y) > 1 else piece.y)
    memory = net.recall(start, jax.random.key(0))
    grown = net.remember(memory, net.machine(memory, piece.y[-1]), piece.v[-1:])
    for one, other in zip(grown, net.recall(piece, jax.random.key(0)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)


def slope(function, net, way, step=1e-5):
    """The derivative along a direction, by central differences."""
    ahead, behind = (jax.tree.map(lambda x, w, s=sign: x + s * step * w, net, way) for sign in (1, -1))
    return (function(ahead) - function(behind)) / (2 * step)


def check_derivative(function, net, gradient):
    rng = np.random.default_rng(4)
    for _ in range(2):
        way = jax.tree.map(lambda x: jnp.asarray(rng.normal(size=x.shape)), net)
        found = sum(
            np.sum(np.asarray(g * w)) for g, w in zip(jax.tree.leaves(gradient), jax.tree.leaves(way), strict=True)
        )
        np.testing.assert_allclose(found, slope(function, net, way), rtol=1e-5)
