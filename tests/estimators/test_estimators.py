"""What a user can do with a model, whatever its kind, its observations and its side information."""

import jax
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from small_models import CASES, LENGTHS, QUICK, frames

import tsbn
from tsbn.estimators import whole_sequences
from tsbn.estimators.inputs import as_data


def numbers(model: tsbn.SequenceModel) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(model.model_)]


def assert_same_bits(a: tsbn.SequenceModel, b: tsbn.SequenceModel):
    for x, y in zip(numbers(a), numbers(b), strict=True):
        np.testing.assert_array_equal(x, y)


def quick(**changes) -> tsbn.TSBN:
    return tsbn.TSBN(**QUICK | changes)


# Compiling is what costs: by default the harder questions are put to two models that between them have everything.
THOROUGH = [name if name in ("deep", "gaps") else pytest.param(name, marks=pytest.mark.slow) for name in CASES]


@pytest.mark.parametrize("name", CASES)
def test_every_model_can_be_fitted_and_sampled(name, fitted):
    case, model = CASES[name], fitted(name)
    assert [row["step"] for row in model.history_] == [2, 4]
    drawn = model.sample(side=case.one, length=5, num=3)
    assert drawn.shape == (3, 5, 2)
    assert np.isfinite(drawn).all()
    if model.observation != "gaussian":
        assert (drawn >= 0).all()
        assert (drawn == np.round(drawn)).all()


@pytest.mark.parametrize("name", THOROUGH)
def test_every_model_bounds_the_likelihood(name, fitted):
    case, model = CASES[name], fitted(name)
    bounds = model.log_likelihood(case.data(), case.side, particles=16)
    assert all(bound.shape == (4,) and np.isfinite(bound).all() for bound in bounds)
    # The mean of logs is at most the log of the mean: both are of the same samples.
    assert (bounds.elbo <= bounds.multi_sample + 1e-3).all()
    assert np.isfinite(model.score(case.data(), case.side))


@pytest.mark.parametrize("name", THOROUGH)
def test_every_model_predicts(name, fitted):
    case, model = CASES[name], fitted(name)
    predicted = model.predict(case.data(), case.side, samples=5)
    assert [mean.shape for mean in predicted.mean] == [(length, 2) for length in LENGTHS]
    assert all((std >= 0).all() and np.isfinite(std).all() for std in predicted.std)


@pytest.mark.parametrize("name", THOROUGH)
def test_every_model_infers_its_hidden_layers(name, fitted):
    case, model = CASES[name], fitted(name)
    for hidden, length in zip(model.infer(case.data(), case.side, samples=5), LENGTHS, strict=True):
        assert [layer.shape for layer in hidden.samples] == [(5, length, size) for size in model.hidden]
        assert [layer.shape for layer in hidden.means] == [(length, size) for size in model.hidden]
        assert np.isin(hidden.samples[-1], (0, 1)).all()
        assert ((hidden.means[-1] > 0) & (hidden.means[-1] < 1)).all()


def test_a_score_is_the_bound_of_all_sequences_per_frame(fitted):
    case, model = CASES["gaps"], fitted("gaps")
    bounds = model.log_likelihood(case.data(), case.side, particles=16)
    assert model.score(case.data(), case.side) == pytest.approx(bounds.elbo.sum() / sum(LENGTHS), rel=0.05)


def test_sequences_and_plain_lists_give_the_same_bits(fitted):
    case = CASES["CTSBN"]
    together = tsbn.Sequences(case.data(), case.side)
    again = clone(case.model).fit(together, validation=0.2)
    assert_same_bits(again, fitted("CTSBN"))
    # Without one of the styles the other keeps its place.
    np.testing.assert_array_equal(
        again.predict(together[[1, 3]], samples=5).mean[0],
        again.predict(case.data()[1::2], ["brisk", "brisk"], samples=5).mean[0],
    )


def test_styles_that_data_know_by_name_are_known_to_the_model():
    blends = tsbn.Sequences(frames(), list(np.eye(2)[[0, 1, 1, 0]] * 0.5 + 0.25), label_names=["calm", "brisk"])
    model = tsbn.CTSBN(**QUICK).fit(blends, validation=0.2)
    assert model.sample("brisk", length=3).shape == (3, 2)


def test_one_sequence_may_come_as_an_array_and_many_of_one_length_too():
    array = frames()[0]
    assert as_data(array) == as_data([array])
    assert as_data(np.stack([array, array])) == as_data([array, array])


def test_arguments_stay_as_they_were_given():
    model = quick(hidden=[3], kinds={"W1": "shared"}, rate=np.float64(0.003), steps=np.int64(4))
    before = model.get_params()
    model.fit(frames(), validation=0.2)
    assert all(model.get_params()[name] is value for name, value in before.items())
    assert not hasattr(clone(model), "model_")
    assert clone(model).get_params() == before


def test_noise_may_depend_on_the_style_alone(tmp_path):
    model = tsbn.FCTSBN(factors=2, observation="student", kinds={"W2'": "none", "W4'": "none"}, **QUICK)
    model.fit(frames(), ["calm", "brisk", "brisk", "calm"], validation=0.2)
    calm, brisk = (3 * np.exp(model.model_.network.heads[1].C[:, column]) for column in (0, 1))
    assert not np.allclose(calm, brisk)
    # What is left of a frame once those before it have had their say varies at least as much as the noise alone.
    spread = np.square(model.predict([model.sample("calm", length=200)], ["calm"]).std[0])
    assert (spread > 0.95 * calm).all()
    model.save(tmp_path / "model.tsbn")
    assert_same_bits(tsbn.load(tmp_path / "model.tsbn"), model)


def test_arguments_can_be_replaced_by_name():
    model = quick().set_params(order=2, rate=0.1)
    assert (model.order, model.rate) == (2, 0.1)
    with pytest.raises(ValueError, match="TSBN has no parameter 'factors', expected one of hidden, order"):
        model.set_params(factors=3)


def test_what_was_learnt_ends_in_an_underscore(fitted):
    model = fitted("TSBN")
    learnt = set(vars(model)) - set(model.get_params())
    assert learnt == {"architecture_", "side_", "model_", "history_", "n_features_in_", "preparation_"}


def test_the_seed_decides_all_chance(fitted):
    data = frames()
    assert_same_bits(quick().fit(data, validation=0.2, seed=0), fitted("TSBN"))
    other = quick().fit(data, validation=0.2, seed=1)
    assert any((x != y).any() for x, y in zip(numbers(other), numbers(fitted("TSBN")), strict=True))

    model = fitted("TSBN")
    np.testing.assert_array_equal(model.sample(length=5, num=3, seed=3), model.sample(length=5, num=3, seed=3))
    assert (model.sample(length=5, num=3, seed=3) != model.sample(length=5, num=3, seed=4)).any()
    case, model = CASES["gaps"], fitted("gaps")
    assert model.score(case.data(), case.side, seed=1) == model.score(case.data(), case.side, seed=1)
    assert model.score(case.data(), case.side, seed=1) != model.score(case.data(), case.side, seed=2)


@pytest.mark.parametrize("validation", [0, 0.2])
def test_history_is_a_plain_table(validation):
    model = quick().fit(frames(), validation=validation)
    table = pd.DataFrame(model.history_)
    assert list(table["step"]) == [2, 4]
    assert ("validation" in table) == bool(validation)
    assert np.isfinite(table.to_numpy()).all()
    assert all(type(cell) in (int, float) for row in model.history_ for cell in row.values())


def test_early_stopping_returns_the_best_parameters():
    seen = []
    model = quick(steps=60, rate=0.3, warm_up=0, patience=2)
    model.fit(
        frames(), validation=(frames(seed=5), None), callbacks=[lambda report: seen.append(report.progress.state.model)]
    )
    bounds = [row["validation"] for row in model.history_]
    best = int(np.argmax(bounds))
    assert len(bounds) == best + 3 < 30
    for x, y in zip(numbers(model), jax.tree.leaves(seen[best]), strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_callback_can_end_the_training(fitted):
    model = quick().fit(frames(), validation=0.2, callbacks=[lambda report: report.row["step"] >= 2])
    assert [row["step"] for row in model.history_] == [2]


def test_an_interrupted_fit_leaves_the_best_model_so_far():
    def interrupt(report):
        raise KeyboardInterrupt

    stopped = quick().fit(frames(), validation=0.2, callbacks=[lambda report: True])
    model = quick()
    with pytest.raises(KeyboardInterrupt):
        model.fit(frames(), validation=0.2, callbacks=[interrupt])
    assert_same_bits(model, stopped)
    assert model.sample(length=3).shape == (3, 2)


def test_fit_is_quiet_unless_asked(capfd):
    quick().fit(frames(), validation=0.2)
    assert capfd.readouterr() == ("", "")
    quick().fit(frames(), validation=0.2, progress=False)
    assert capfd.readouterr() == ("", "")
    quick().fit(frames(), validation=0.2, progress=True)
    told = capfd.readouterr()
    assert told.out == ""
    assert "4/4" in told.err


def test_a_sequence_is_judged_apart_from_its_company(fitted):
    case, model = CASES["gaps"], fitted("gaps")
    order = [1, 0, 2, 3]  # the first has no gaps, others have
    data, side = [case.data()[i] for i in order], [case.side[i] for i in order]
    changing = [*side[:3], [side[3]] * LENGTHS[3]]
    alone = model.predict(data[:1], side[:1], samples=5)
    for sides in (side, changing):
        company = model.predict(data, sides, samples=5)
        np.testing.assert_allclose(company.mean[0], alone.mean[0], rtol=1e-4, atol=1e-5)


def test_padding_changes_nothing(fitted, monkeypatch):
    case, model = CASES["gaps"], fitted("gaps")

    def answers():
        bounds = model.log_likelihood(case.data(), case.side, particles=16)
        return bounds, model.infer(case.data(), case.side, samples=5)

    before = answers()
    monkeypatch.setattr(whole_sequences, "_rounded", lambda length: 17)
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-4), answers(), before)


def test_samples_go_on_from_an_opening(fitted):
    model = fitted("FCTSBN")
    rise, fall = np.full((4, 2), 3.0), np.full((4, 2), -3.0)
    after_rise = model.sample(3, length=1, num=200, opening=rise, seed=1)
    after_fall = model.sample(3, length=1, num=200, opening=fall, seed=1)
    assert after_rise.shape == (200, 1, 2)
    assert (after_rise != after_fall).any()
    # One frame ahead, sampling and prediction are two views of the same distribution.
    predicted = model.predict([np.vstack([rise, [[0, 0]]])], [3], samples=2000)
    error = 4 * predicted.std[0][-1] / np.sqrt(200)
    assert (np.abs(after_rise[:, 0].mean(axis=0) - predicted.mean[0][-1]) < error).all()


def test_an_opening_may_be_short_have_gaps_and_a_style_of_its_own(fitted):
    model, opening = fitted("CTSBN"), np.array([[1.0, np.nan]])
    assert model.sample("calm", length=2, opening=opening, opening_side="brisk").shape == (2, 2)


def test_side_information_may_change_while_sampling(fitted):
    model = fitted("hidden Markov")
    assert model.sample(["left", "right", "left"]).shape == (3, 2)
    assert model.sample("left", length=3, num=2).shape == (2, 3, 2)
    assert model.sample([[0.5, 0.5], [0.1, 0.9]]).shape == (2, 2)


def test_real_side_information_has_a_constant_column_behind_it(fitted):
    assert fitted("future").architecture_.side == 3
    assert fitted("future").architecture_.constant
    assert fitted("deep").architecture_.side == 3
    assert not fitted("deep").architecture_.constant


def test_a_label_is_its_one_hot_vector(fitted):
    case, model = CASES["gaps"], fitted("gaps")
    one_hot = [np.array([0.0, 1.0]) if style == "calm" else np.array([1.0, 0.0]) for style in case.side]
    assert model.score(case.data(), case.side) == model.score(case.data(), one_hot)


def test_a_second_question_of_the_same_sizes_compiles_nothing(fitted):
    case, model = CASES["gaps"], fitted("gaps")
    model.score(case.data(), case.side)
    before = whole_sequences._on_batch._cached._cache_size()
    model.score([array + 1 for array in case.data()], case.side, seed=9)
    assert whole_sequences._on_batch._cached._cache_size() == before
