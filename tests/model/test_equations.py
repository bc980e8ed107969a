"""The equations of every model agree with an independent oracle on every path, and special cases with general ones."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import FAMILY, random_frames, random_model, random_piece, random_side
from exact import log_likelihood, posterior, table
from tsbn.estimators.starting import with_silent_start
from tsbn.inference.bounds import log_base
from tsbn.inference.piece import Piece, whole
from tsbn.inference.posterior import Draw, probabilities
from tsbn.inference.terms import terms
from tsbn.model.architecture import Architecture
from tsbn.model.build import Model
from tsbn.model.network import every_step
from tsbn.model.weights import Factored, Shared, Tensor, specialise

evaluate = jax.jit(jax.vmap(terms, in_axes=(None, None, 0)))


def along_every_path(model: Model, piece: Piece):
    """The package's terms along all the oracle's paths, and the oracle's table."""
    found = table(model, piece)
    paths = Draw(tuple(jnp.asarray(h, jnp.float32) for h in found.hs), jnp.asarray(found.v, jnp.float32))
    return evaluate(model, piece, paths), found


def bound(model: Model, piece: Piece, hs):
    """l_t along given states, `[paths, time]`."""
    v = jnp.broadcast_to(piece.v, (hs[0].shape[0], *piece.v.shape))
    return evaluate(model, piece, Draw(hs, v)).bound


def some_states(architecture: Architecture, time: int, paths: int = 8, seed: int = 3):
    generator = np.random.default_rng(seed)
    return tuple(
        jnp.asarray(generator.integers(0, 2, (paths, time, size)), jnp.float32) for size in architecture.hidden
    )


@pytest.mark.parametrize("name", FAMILY)
def test_log_p_and_log_q_agree_with_the_oracle_on_every_path(name):
    architecture = FAMILY[name]
    model, piece = random_model(architecture), random_piece(architecture, time=3)
    ours, exact = along_every_path(model, piece)
    base = np.asarray(model.network.observation.log_base(piece.v))
    log_p = base + np.asarray(ours.likelihood + sum(ours.prior))
    np.testing.assert_allclose(log_p, exact.log_p, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(sum(ours.posterior), exact.log_q, rtol=1e-4, atol=1e-4)
    assert np.isclose(np.exp(exact.log_q.sum(1)).sum(), 1), "the oracle's own proposal is a distribution"


@pytest.mark.parametrize("name", ["binary tsbn", "deep ctsbn", "three layers"])
def test_binary_models_give_probabilities_that_add_up_to_one(name):
    """p(v, h) summed over all paths and all sequences, in the package's own numbers."""
    architecture = dataclasses.replace(FAMILY[name], visible=2)
    model, side = random_model(architecture), random_side(architecture, 2)
    sequences = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T.reshape(-1, 2, 2)
    pieces = [whole(jnp.asarray(v, jnp.float32), side) for v in sequences]
    hs = tuple(jnp.asarray(h, jnp.float32) for h in table(model, pieces[0]).hs)

    @jax.jit
    def joint(piece):
        frames = jnp.broadcast_to(piece.v, (hs[0].shape[0], *piece.v.shape))
        found = jax.vmap(terms, in_axes=(None, None, 0))(model, piece, Draw(hs, frames))
        return jnp.sum(jnp.exp(jnp.sum(found.likelihood + sum(found.prior), axis=1)))

    assert sum(float(joint(piece)) for piece in pieces) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("name", FAMILY)
def test_walking_step_by_step_equals_all_steps_at_once(name):
    architecture = FAMILY[name]
    time = 5
    model, piece = random_model(architecture), random_piece(architecture, time)
    hs = tuple(h[0] for h in some_states(architecture, time, paths=1))

    @jax.jit
    def both(model, piece, hs):
        network, recognition = model.network, model.recognition
        drive = recognition.drive(piece.v, piece.valid, piece.y)
        settled, proposed = network.settle(piece.v, hs, piece.y), recognition.settle(drive, hs, piece.y)
        past = network.past(piece.v, settled, piece.y)
        at_once = (
            past,
            network.logits(past, settled, piece.y),
            network.outputs(past, settled[0], piece.y),
            recognition.logits(drive, proposed, piece.y),
        )

        def step(memories, now):
            p_memory, q_memory = memories
            v_t, y_t, hs_t, drive_t = now
            past = network.recall(p_memory, y_t)
            met_p, met_q = {}, {}
            states = network.descend(past, y_t, lambda layer, z: (met_p.update({layer: z}), hs_t[layer])[1])
            proposed = recognition.ascend(
                q_memory, drive_t, y_t, lambda layer, z: (met_q.update({layer: z}), hs_t[layer])[1]
            )
            outputs = network.outputs(past, states[0], y_t)
            memories = network.remember(p_memory, v_t, states), recognition.remember(q_memory, proposed)
            return memories, (past, met_p, outputs, met_q)

        steps = (piece.v, every_step(piece.y, time), hs, drive)
        return at_once, jax.lax.scan(step, (network.blank(), recognition.blank()), steps)[1]

    (past, logits, outputs, proposed), (past_, logits_, outputs_, proposed_) = both(model, piece, hs)
    close = {"rtol": 1e-4, "atol": 1e-4}
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, **close), past, past_)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, **close), outputs, outputs_)
    assert logits_, "at least one layer draws"
    for layer in logits_:
        np.testing.assert_allclose(logits[layer], logits_[layer], **close)
        np.testing.assert_allclose(proposed[layer], proposed_[layer], **close)


def same_numbers_as_tensor(model: Model) -> Model:
    """A model with shared weights written as a tensor of one style."""

    def widen(leaf):
        return Tensor(leaf.W[:, None], leaf.lags) if isinstance(leaf, Shared) else leaf

    return jax.tree.map(widen, model, is_leaf=lambda leaf: isinstance(leaf, Shared))


def test_a_ctsbn_with_one_style_is_a_tsbn():
    architecture = FAMILY["tsbn of order 3"]
    tsbn, piece = random_model(architecture), random_piece(architecture, time=4)
    hs = some_states(architecture, 4)
    ctsbn = same_numbers_as_tensor(tsbn)
    assert any(isinstance(leaf, Tensor) for leaf in jax.tree.leaves(ctsbn, is_leaf=lambda x: isinstance(x, Tensor)))
    np.testing.assert_allclose(bound(ctsbn, piece, hs), bound(tsbn, piece, hs), rtol=1e-5, atol=1e-5)


def test_a_ctsbn_given_a_style_is_the_tsbn_of_that_style():
    architecture = FAMILY["ctsbn"]
    model, frames, hs = (
        random_model(architecture),
        random_frames(architecture, 4),
        some_states(architecture, 4),
    )
    for style in range(2):
        side = jax.nn.one_hot(jnp.array([style]), 2)

        def pick(leaf, style=style):
            return Shared(leaf.W[:, style], leaf.lags) if isinstance(leaf, Tensor) else leaf[:, style, None]

        tsbn = jax.tree.map(pick, model, is_leaf=lambda leaf: isinstance(leaf, Tensor))
        alone = bound(tsbn, whole(frames), hs)
        np.testing.assert_allclose(bound(model, whole(frames, side), hs), alone, rtol=1e-5, atol=1e-5)


def test_factored_weights_of_full_rank_reproduce_any_tensor():
    """One factor per style and target: Wc stacks the styles' matrices, the gains switch each block, Wa adds them up."""

    def factor(leaf):
        if not isinstance(leaf, Tensor):
            return leaf
        lags, side, target, source = leaf.W.shape
        Wa = jnp.tile(jnp.eye(target), (1, side))
        Wb = jnp.repeat(jnp.eye(side), target, axis=0)
        return Factored(Wa, Wb, leaf.W.reshape(lags, side * target, source), leaf.lags)

    for name in ("ctsbn", "deep ctsbn"):
        architecture = FAMILY[name]
        tensor, piece = random_model(architecture), random_piece(architecture, time=4)
        factored = jax.tree.map(factor, tensor, is_leaf=lambda leaf: isinstance(leaf, Tensor))
        hs = some_states(architecture, 4)
        np.testing.assert_allclose(bound(factored, piece, hs), bound(tensor, piece, hs), rtol=1e-4, atol=1e-5)


def test_a_deep_model_with_a_disconnected_upper_layer_has_the_likelihood_of_the_shallow_one():
    architecture = FAMILY["deep fctsbn"]
    deep, piece = random_model(architecture), random_piece(architecture, time=3)
    first = dataclasses.replace(deep.network.layers[0], W5=None)
    shallow = dataclasses.replace(
        deep,
        network=dataclasses.replace(deep.network, layers=(first,)),
        recognition=dataclasses.replace(deep.recognition, layers=deep.recognition.layers[:1]),
    )
    cut = with_silent_start(deep)
    assert log_likelihood(cut, piece) == pytest.approx(log_likelihood(shallow, piece), abs=1e-9)
    ours, exact = along_every_path(cut, piece)
    joint = jnp.sum(ours.likelihood + sum(ours.prior), axis=1)
    assert float(jax.nn.logsumexp(joint)) == pytest.approx(log_likelihood(shallow, piece), abs=1e-4)
    # The first layer's terms are the shallow model's own, path by path.
    alone = evaluate(shallow, piece, Draw((jnp.asarray(exact.hs[0], jnp.float32),), jnp.asarray(exact.v, jnp.float32)))
    for a, b in ((alone.prior[0], ours.prior[0]), (alone.posterior[0], ours.posterior[0])):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["hidden Markov fctsbn", "binary hidden Markov ctsbn", "three layers"])
def test_a_hidden_markov_model_has_zero_W3_and_W4(name):
    markov = FAMILY[name]
    full = dataclasses.replace(markov, hidden_markov=False)
    model, template = random_model(markov), random_model(full)

    def silent(weights):
        return jax.tree.map(jnp.zeros_like, weights)

    first = dataclasses.replace(model.network.layers[0], W3=silent(template.network.layers[0].W3))
    heads = tuple(
        dataclasses.replace(head, W4=silent(other.W4))
        for head, other in zip(model.network.heads, template.network.heads, strict=True)
    )
    network = dataclasses.replace(model.network, layers=(first, *model.network.layers[1:]), heads=heads)
    zeroed = dataclasses.replace(model, network=network)
    assert network.feels_past_observations
    assert not model.network.feels_past_observations
    piece, hs = random_piece(markov, time=4), some_states(markov, 4)
    np.testing.assert_allclose(bound(zeroed, piece, hs), bound(model, piece, hs), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["ctsbn", "fctsbn", "deep fctsbn", "recognition that sees the future"])
def test_side_information_may_be_given_in_several_ways(name):
    """Constant or repeated, one-hot or soft with all its weight on one style: the same numbers."""
    architecture = FAMILY[name]
    model, frames, hs = (
        random_model(architecture),
        random_frames(architecture, 4),
        some_states(architecture, 4),
    )
    once = jnp.array([[0.0, 1.0]])
    constant = bound(model, whole(frames, once), hs)
    repeated = bound(model, whole(frames, jnp.tile(once, (4, 1))), hs)
    soft = bound(model, whole(frames, jnp.array([[1e-9, 1 - 1e-9]])), hs)
    np.testing.assert_allclose(repeated, constant, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(soft, constant, rtol=1e-4, atol=1e-5)
    other = bound(model, whole(frames, jnp.array([[1.0, 0.0]])), hs)
    assert np.max(np.abs(other - constant)) > 0.1, "the style matters in this model"


@pytest.mark.parametrize("name", ["ctsbn", "fctsbn", "deep ctsbn"])
def test_specialising_a_model_to_its_side_information_changes_nothing(name):
    architecture = FAMILY[name]
    model, hs = random_model(architecture), some_states(architecture, 4)
    piece = random_piece(architecture, time=4, constant=True)
    special = specialise(model, piece.y)
    kinds = {type(leaf) for leaf in jax.tree.leaves(special, is_leaf=lambda x: isinstance(x, (Tensor, Shared)))}
    assert Shared in kinds
    assert Tensor not in kinds
    written_out = piece._replace(y=every_step(piece.y, 4))  # takes the path on which nothing is specialised
    expected = bound(model, written_out, hs)
    np.testing.assert_allclose(bound(model, piece, hs), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(bound(special, piece, hs), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["fctsbn", "counts fctsbn", "recognition that sees the future"])
def test_padding_changes_nothing(name):
    architecture = FAMILY[name]
    model, piece, hs = random_model(architecture), random_piece(architecture, 3), some_states(architecture, 6)
    rest = random_piece(architecture, 3, seed=9)
    padded = Piece(
        jnp.concatenate([piece.v, rest.v]),
        jnp.concatenate([piece.y, rest.y]),
        jnp.arange(6) < 3,
        jnp.arange(6) < 3,
    )
    alone = bound(model, piece, tuple(h[:, :3] for h in hs))
    np.testing.assert_allclose(bound(model, padded, hs)[:, :3], alone, rtol=1e-5, atol=1e-5)
    assert log_base(model, padded) == pytest.approx(float(log_base(model, piece)), abs=1e-5)


def test_probabilities_along_a_path_are_those_of_the_oracle():
    """The chance of a unit given its past, from the oracle's table of q."""
    architecture = FAMILY["deep ctsbn"]
    model, piece = random_model(architecture), random_piece(architecture, time=2)
    found = table(model, piece)
    q = np.exp(found.log_q.sum(1))
    first = np.all(found.hs[0][:, 0] == [1, 0], axis=1)  # given h^1_1 = (1, 0): the chance that h^2_1 has unit 0 on
    expected = np.sum(q[first] * found.hs[1][first, 0, 0]) / np.sum(q[first])
    path = tuple(jnp.asarray(h[np.argmax(first)], jnp.float32) for h in found.hs)
    assert probabilities(model, piece, path)[1][0, 0] == pytest.approx(expected, abs=1e-5)
    assert posterior(model, piece).sum() == pytest.approx(1.0)
