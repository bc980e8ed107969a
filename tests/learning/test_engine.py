"""The training engine: windows, memory, schedules, and what happens when a run goes wrong."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tsbn
from cases import FAMILY, random_model
from tsbn.estimators.side import SideEncoder
from tsbn.estimators.training_data import TrainingData, training_lengths
from tsbn.learning.corpus import Places, Window, cut, random_batch, tiles
from tsbn.learning.engine import Progress, TrainingDiverged, begin, epoch, train
from tsbn.learning.recipe import PRESETS, Recipe, recipe

pytestmark = pytest.mark.usefixtures("optimising")

ALONE = SideEncoder("none", 0)
# Always five sequences and 150 frames: arrays of the same shapes are compiled for once.
lengths_of_sequences = st.lists(st.integers(1, 30), min_size=4, max_size=4).map(lambda n: [*n, 150 - sum(n)])


def numbered(lengths, kept=None) -> TrainingData:
    """Sequences whose frames say where they are from: channel 0 the sequence, channel 1 the frame."""
    arrays = [np.stack([np.full(n, i), np.arange(n)], axis=1).astype(np.float32) for i, n in enumerate(lengths)]
    return TrainingData(arrays, [np.ones((1, 1), np.float32)] * len(lengths), ALONE, list(kept or lengths))


def counted_frames(pieces) -> list[tuple[int, int]]:
    """(sequence, frame) of every frame that counts, in a batch of windows with any leading axes."""
    frames = np.asarray(pieces.v)[np.asarray(pieces.counted)]
    return [(int(sequence), int(frame)) for sequence, frame in frames]


# Windows ----------------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(lengths=lengths_of_sequences, size=st.integers(1, 12), batch=st.integers(1, 4), data=st.data())
def test_held_out_windows_count_every_held_out_frame_once(lengths, size, batch, data):
    kept = [0, 1, *(data.draw(st.integers(0, n)) for n in lengths[2:])]
    training = numbered(lengths, kept)
    window = training.window(size, order=2)
    places, wide = training.held_out(window, batch)
    corpus = jax.tree.map(np.asarray, training.corpus(window, balanced=False))
    found = [
        (sequence, frame)
        for place in zip(*(np.asarray(x).ravel() for x in places), strict=True)
        for sequence, frame in counted_frames(window_by_hand(corpus, wide, Places(*place)))
    ]
    expected = [(i, t) for i, (keep, n) in enumerate(zip(kept, lengths, strict=True)) for t in range(keep, n)]
    assert sorted(found) == expected
    assert places.first.shape[1] == batch


def window_by_hand(corpus, window, place):
    """What `cut` should give, in plain NumPy."""

    class Hand:
        begin = max(int(place.first) - window.context, 0)
        steps = begin + np.arange(window.size + window.context)
        at = int(corpus.starts[place.sequence]) + steps
        v = corpus.frames[at]
        valid = steps < place.until
        counted = valid & (steps >= place.first) & (steps < place.first + window.size)

    return Hand


@settings(max_examples=25)
@given(lengths=lengths_of_sequences, size=st.sampled_from([1, 5]), context=st.sampled_from([0, 3]), data=st.data())
def test_a_window_is_cut_from_one_sequence(lengths, size, context, data):
    training = numbered(lengths)
    corpus = training.corpus(Window(12, 4), balanced=False)
    sequence = data.draw(st.integers(0, len(lengths) - 1))
    first = data.draw(st.integers(0, lengths[sequence] - 1))
    place = Places(jnp.int32(sequence), jnp.int32(first), jnp.int32(lengths[sequence]))
    piece = jax.tree.map(np.asarray, cut(corpus, Window(size, context), place))
    by_hand = window_by_hand(corpus, Window(size, context), jax.tree.map(int, place))
    for field in ("v", "valid", "counted"):
        np.testing.assert_array_equal(getattr(piece, field), getattr(by_hand, field))
    assert (piece.v[piece.valid, 0] == sequence).all()
    # The lead-in is what came just before, as much as there is of it.
    lead_in = piece.v[piece.valid & ~piece.counted][:, 1]
    before = lead_in[lead_in < first]
    np.testing.assert_array_equal(before, np.arange(max(first - context, 0), first))


def test_random_windows_reach_every_frame_and_no_held_out_one():
    lengths, kept = [5, 9, 30, 1], [5, 7, 24, 1]
    training = numbered(lengths, kept)
    window = training.window(8, order=2)
    assert window == Window(8, 2)
    corpus = training.corpus(window, balanced=False)
    found = counted_frames(random_batch(corpus, window, 3000, jax.random.key(0)))
    assert set(found) == {(i, t) for i, n in enumerate(kept) for t in range(n)}
    # A place at the end of the long sequence is not much rarer than one in its middle.
    times = np.bincount([t for i, t in found if i == 2], minlength=24)
    assert times.min() > 0.5 * np.median(times[8:16])


def test_sequences_are_picked_by_their_length():
    training = numbered([10, 30, 60])
    corpus = training.corpus(Window(5, 1), balanced=False)
    np.testing.assert_allclose(np.diff(corpus.odds, prepend=0), [0.1, 0.3, 0.6], rtol=1e-6)
    picked = np.asarray(random_batch(corpus, Window(5, 1), 20_000, jax.random.key(0)).v[:, 0, 0])
    np.testing.assert_allclose(np.bincount(picked.astype(int)) / 20_000, [0.1, 0.3, 0.6], atol=0.02)


def test_balance_picks_every_style_equally_often():
    styles = [np.eye(2, dtype=np.float32)[[style]] for style in (0, 0, 1)]
    training = dataclasses.replace(numbered([10, 30, 400]), sides=styles)
    corpus = training.corpus(Window(5, 1), balanced=True)
    np.testing.assert_allclose(np.diff(corpus.odds, prepend=0), [0.125, 0.375, 0.5], rtol=1e-6)


def test_changing_side_information_is_cut_with_its_frames():
    sides = [np.arange(n, dtype=np.float32)[:, None] + 100 * i for i, n in enumerate((10, 20))]
    training = dataclasses.replace(numbered([10, 20]), sides=sides)
    corpus = training.corpus(Window(5, 2), balanced=False)
    piece = cut(corpus, Window(5, 2), Places(jnp.int32(1), jnp.int32(6), jnp.int32(20)))
    np.testing.assert_array_equal(piece.y[:, 0], 100 + np.arange(4, 11))


def test_short_sequences_are_whole_windows():
    assert numbered([10, 7]).window(100, order=3) == Window(10, 0)


@settings(max_examples=50)
@given(
    lengths=st.lists(st.integers(2, 200), min_size=2, max_size=8),
    share=st.floats(0.01, 0.9),
    order=st.integers(1, 3),
    seed=st.integers(0, 5),
)
def test_something_is_held_out_and_something_is_kept(lengths, share, order, seed):
    kept = training_lengths(lengths, share, order, seed)
    assert 0 < sum(kept) < sum(lengths)
    # Either the end of every sequence is held out, or whole sequences are.
    assert all(order < keep < n for keep, n in zip(kept, lengths, strict=True)) or all(
        keep in (0, n) for keep, n in zip(kept, lengths, strict=True)
    )
    assert kept == training_lengths(lengths, share, order, seed)


def test_tiles_fill_whole_batches_with_windows_that_count_nothing():
    places = tiles(np.array([0, 2]), np.array([4, 3]), size=3, batch=4)
    assert [np.asarray(x).tolist() for x in places] == [[[0, 0, 1, 0]], [[0, 3, 2, 0]], [[4, 4, 3, 0]]]


def test_data_of_similar_size_share_one_program():
    window, key = Window(5, 1), jax.random.key(0)
    few, more = ([7] * count for count in (34, 35))
    shapes = [jax.tree.map(np.shape, numbered(lengths).corpus(window, balanced=False)) for lengths in (few, more)]
    assert shapes[0] == shapes[1]
    picked = counted_frames(random_batch(numbered(few).corpus(window, balanced=False), window, 5000, key))
    assert {sequence for sequence, _ in picked} == set(range(34))


# Memory -----------------------------------------------------------------------------------------------------------


def compiled_epoch(longest: int, batch: int = 4, window: int = 8):
    """The compiled epoch on one sequence of this length and a few short ones."""
    chosen = Recipe(steps=2, every=2, batch=batch, window=window, gradient="later")
    training = numbered([longest, 20, 20])
    model = tsbn.build(tsbn.Architecture(visible=2, hidden=(4,), weights="shared"), key=jax.random.key(0))
    run = begin(model, chosen, jax.random.key(1))
    cuts = training.window(window, 1)
    arguments = (run.state, training.corpus(cuts, False), jax.random.key(2), chosen.estimator(), chosen, cuts, 2)
    return epoch.lower(*arguments).compile().compiled.memory_analysis().temp_size_in_bytes


def test_memory_grows_with_batch_and_window_not_with_the_longest_sequence():
    short, long, wide = compiled_epoch(40), compiled_epoch(400_000), compiled_epoch(40, batch=16)
    assert long <= 1.1 * short
    assert 2 * short < wide < 8 * short


# Going wrong ------------------------------------------------------------------------------------------------------


def test_a_diverging_run_stops_and_keeps_good_parameters():
    noise = np.random.default_rng(0)
    data = [noise.normal(size=(12, 2)) for _ in range(4)]
    model = tsbn.TSBN(hidden=(3,), steps=60, every=2, batch=2, rate=1e30)
    with pytest.raises(TrainingDiverged, match=r"training became unstable: after step \d+ .* 1e\+30"):
        model.fit(data, validation=0.2)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(model.model_))
    assert np.isfinite(model.sample(length=4)).all()


def test_an_update_that_breaks_a_parameter_is_not_kept(monkeypatch):
    """Without held-out data the bound is that of before the update, and cannot tell."""
    chosen = Recipe(steps=4, every=2, batch=2, window=8)
    training = numbered([20, 20])
    window = training.window(8, 1)
    model = tsbn.build(tsbn.Architecture(visible=2, hidden=(3,), weights="shared"), key=jax.random.key(0))
    start = begin(model, chosen, jax.random.key(1))

    def broken(state, *_):
        return state._replace(model=jax.tree.map(lambda x: x * jnp.nan, state.model), step=state.step + 2), 1.0

    monkeypatch.setattr("tsbn.learning.engine.epoch", broken)
    with pytest.raises(TrainingDiverged) as error:
        train(start, training.corpus(window, False), None, chosen, window, jax.random.key(2))
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(error.value.model))


class Look(NamedTuple):
    validation: float


def watched_by(bounds) -> tuple[Progress, list[float]]:
    """A run of four looks at held-out frames that find these bounds, and the bounds in its history."""
    chosen = Recipe(steps=8, every=2, batch=2, window=8)
    training = numbered([20, 20], [15, 15])
    window = training.window(8, 1)
    model = tsbn.build(tsbn.Architecture(visible=2, hidden=(3,), weights="shared"), key=jax.random.key(0))
    looks = iter(bounds)
    run = train(
        begin(model, chosen, jax.random.key(1)),
        training.corpus(window, False),
        training.held_out(window, 2),
        chosen,
        window,
        jax.random.key(2),
        watch=lambda *_: Look(next(looks)),
    )
    return run, [row["validation"] for row in run.history]


def test_a_model_that_runs_away_on_held_out_frames_is_not_kept_and_training_goes_on():
    run, found = watched_by([1.0, np.nan, 2.0, np.inf])
    assert found == [1.0, -np.inf, 2.0, -np.inf]
    assert run.best_bound == 2.0
    assert int(run.state.step) == 8


def test_held_out_frames_that_never_have_a_bound_are_told():
    with pytest.raises(TrainingDiverged, match=r"in 8 steps the bound on held-out frames was never a number.*0\.003"):
        watched_by([np.nan] * 4)


# Recipes ----------------------------------------------------------------------------------------------------------


def test_the_paper_has_its_own_setting():
    paper = PRESETS["paper"]
    assert (paper.gradient, paper.optimiser, paper.decay) == ("nvil", "rmsprop", 0.9)
    assert (paper.anneal, paper.clip, paper.warm_up, paper.slips, paper.first_biases) == (False, 0, 0, 0, False)
    assert paper.scales.factor == 0.01


def test_given_choices_take_the_place_of_the_preset():
    assert tsbn.TSBN(preset="paper", rate=0.5, batch=3).recipe() == recipe("paper", rate=0.5, batch=3)
    assert tsbn.TSBN().recipe() == PRESETS["default"]


def test_the_divergence_warms_up():
    chosen = Recipe(steps=100, warm_up=0.5)
    assert [float(chosen.warmth(step)) for step in (0, 25, 50, 99)] == pytest.approx([0.01, 0.5, 1, 1])
    assert float(Recipe(warm_up=0.0).warmth(0)) == 1


def test_weight_decay_shrinks_weights_and_leaves_biases_and_gains_alone():
    chosen = Recipe(weight_decay=0.5, rate=0.1, anneal=False)
    model = random_model(FAMILY["fctsbn"])
    trained = (model, None)
    optimiser = chosen.transformation()
    nothing = jax.tree.map(jnp.zeros_like, trained)
    updates, _ = optimiser.update(nothing, optimiser.init(trained), trained)
    layer, moved = model.network.layers[0], updates[0].network.layers[0]
    np.testing.assert_allclose(moved.W1.Wa, -0.05 * layer.W1.Wa, rtol=1e-6)
    np.testing.assert_allclose(moved.W1.Wc, -0.05 * layer.W1.Wc, rtol=1e-6)
    assert not np.any(moved.W1.Wb)
    assert not np.any(moved.B)
    assert not np.any(updates[0].network.heads[0].C)
    np.testing.assert_allclose(updates[0].network.heads[0].W2.W, -0.05 * model.network.heads[0].W2.W, rtol=1e-6)


# What the held-out frames say -----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error")
def test_held_out_frames_that_choose_an_early_model_are_told_of():
    noise = np.random.default_rng(0).normal(size=(60, 2))
    model = tsbn.TSBN(hidden=(3,), steps=200, every=20, batch=4, window=20, rate=0.03)
    with pytest.warns(UserWarning, match=r"best at step 20 of 200.*validation=0 learns all there is"):
        model.fit([noise[:12]], validation=([noise[12:]], None))  # twelve frames of noise are learnt by heart
    waves = np.sin(np.arange(600)[:, None] / [3, 5]) + 0.3 * np.random.default_rng(0).normal(size=(600, 2))
    model.fit([waves[:400]], validation=([waves[400:]], None))


@pytest.mark.filterwarnings("error")
def test_a_training_that_ends_before_it_is_warm_has_no_early_best():
    noise = np.random.default_rng(0).normal(size=(60, 2))
    model = tsbn.TSBN(hidden=(3,), steps=200, every=20, batch=4, window=20, rate=0.03)
    model.fit([noise[:12]], validation=([noise[12:]], None), callbacks=[lambda report: report.row["step"] == 60])
