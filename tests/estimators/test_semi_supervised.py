"""One object learns to generate and to classify from partly labelled sequences."""

import equinox as eqx
import numpy as np
import pytest
from sklearn.base import clone

import tsbn
from tsbn.estimators.calibration import Calibration
from tsbn.estimators.labels import read_labels
from tsbn.estimators.rounds import SAMPLES, with_own_labels
from tsbn.learning.checkpoint import OtherRun
from tsbn.learning.engine import TrainingDiverged

STYLES = ("calm", "brisk")
QUICK = {"hidden": (4,), "factors": 3, "order": 2, "steps": 4, "every": 2, "batch": 6}


def two_styles(per_style: int = 8, time: int = 12, seed: int = 0) -> tuple[list[np.ndarray], list[str]]:
    """Two styles that differ in their mean, as a softmax can tell them apart."""
    noise = np.random.default_rng(seed)
    labels = [style for _ in range(per_style) for style in STYLES]
    means = {"calm": [-1.0, 0.5], "brisk": [1.0, -0.5]}
    return [noise.normal(size=(time, 2)) * 0.5 + means[label] for label in labels], labels


def partly(labels: list[str], known: int = 6) -> list[str | None]:
    return [label if i < known else None for i, label in enumerate(labels)]


def quick(**choices) -> tsbn.SemiSupervised:
    return tsbn.SemiSupervised(tsbn.FCTSBN(**QUICK), **choices)


@pytest.fixture(scope="module")
def learnt() -> tsbn.SemiSupervised:
    sequences, labels = two_styles()
    model = tsbn.SemiSupervised(tsbn.FCTSBN(**QUICK | {"steps": 300, "every": 100}))
    import jax

    with jax.numpy_dtype_promotion("standard"):
        return model.fit(sequences, partly(labels))


def test_it_learns_to_classify_and_to_generate_from_a_few_labels(learnt):
    test, truth = two_styles(seed=1)
    for by in ("classifier", "model", "both"):
        assert learnt.score_labels(test, truth, by=by) > 0.9
    chances = learnt.predict_label_proba(test)
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-5)
    assert learnt.labels_ == ("brisk", "calm")
    assert learnt.predict_labels(test) == [learnt.labels_[k] for k in chances.argmax(axis=1)]
    drawn = {style: learnt.sample(style=style, length=50, num=4).mean(axis=(0, 1)) for style in STYLES}
    with pytest.raises(ValueError, match="style is missing"):
        learnt.sample(length=50)
    assert drawn["calm"][0] < -0.5 < 0.5 < drawn["brisk"][0]
    assert {"label_log_prob", "accuracy", "held_out_bound", "bound"} <= set(learnt.history_[-1])


def test_a_sequence_is_judged_by_itself_whatever_its_company(learnt):
    test, _ = two_styles(seed=1)
    lengths = [5, 12, 9]
    several = [array[:n] for array, n in zip(test, lengths, strict=False)]
    alone = np.concatenate([learnt.predict_label_proba([one]) for one in several])
    np.testing.assert_allclose(learnt.predict_label_proba(several), alone, atol=1e-5)


def test_frames_of_a_sequence_can_be_judged_one_by_one(learnt):
    joined = np.concatenate([two_styles(seed=2)[0][0], two_styles(seed=2)[0][1]])
    (found,) = learnt.predict_labels([joined], frames=True)
    assert found[4:12].count("calm") > 5
    assert found[16:].count("brisk") > 5
    with pytest.raises(ValueError, match="by is 'model', which recognises whole sequences"):
        learnt.predict_label_proba([joined], by="model", frames=True)


def test_a_saved_model_is_the_same_model(learnt, tmp_path):
    test, _ = two_styles(seed=1)
    learnt.save(tmp_path / "two.tsbn")
    again = tsbn.load(tmp_path / "two.tsbn")
    assert isinstance(again, tsbn.SemiSupervised)
    assert again.get_params(deep=False).keys() == learnt.get_params(deep=False).keys()
    assert again.model.get_params() == learnt.model.get_params()
    np.testing.assert_array_equal(again.predict_label_proba(test), learnt.predict_label_proba(test))
    np.testing.assert_array_equal(again.sample("calm", 9), learnt.sample("calm", 9))
    assert again.history_ == learnt.history_


def test_it_follows_the_conventions_of_scikit_learn():
    model = quick(alpha=3.0)
    copy = clone(model)
    assert copy.get_params(deep=False) | {"model": 0} == model.get_params(deep=False) | {"model": 0}
    assert copy.model is not model.model
    assert copy.set_params(model__order=5, penalty=0.1).model.order == 5
    assert model.model.order == 2
    with pytest.raises(ValueError, match="no parameter 'orders'"):
        model.set_params(orders=2)
    with pytest.raises(tsbn.NotFittedError, match="call fit first"):
        model.predict_labels(two_styles()[0])


@pytest.mark.parametrize("mark", [None, -1, float("nan")], ids=["None", "-1", "NaN"])
def test_unlabelled_is_marked_in_any_of_three_ways(mark):
    sequences, _ = two_styles(2)
    rows = read_labels(sequences, [0, mark, [1] * 6 + [mark] * 6, np.array([1] * 12)]).rows
    assert np.isnan(rows[1]).all()
    assert np.isnan(rows[2][6:]).all()
    np.testing.assert_array_equal(rows[2][:6], [[0, 1]] * 6)
    np.testing.assert_array_equal(rows[3], [[0, 1]], "labels that are the same throughout are one label")


@pytest.mark.usefixtures("optimising")
class TestTraining:
    @pytest.mark.parametrize(("classifier", "unlabelled"), [("mlp", "exact"), ("recurrent", "sampled")])
    def test_every_classifier_learns_with_labels_summed_and_sampled(self, classifier, unlabelled):
        sequences, labels = two_styles(4)
        model = quick(classifier=classifier, unlabelled=unlabelled, units=3).fit(sequences, partly(labels, 4))
        assert np.isfinite(model.predict_label_proba(sequences)).all()
        assert len(model.history_) == 2

    def test_labels_may_change_within_a_sequence_and_stretches_may_have_none(self):
        sequences, _ = two_styles(3)
        pairs = [np.concatenate(sequences[i : i + 2]) for i in (0, 2, 4)]
        labels = ["calm"] * 12 + ["brisk"] * 6 + [None] * 3 + ["brisk"] * 3
        model = tsbn.SemiSupervised(tsbn.FCTSBN(**QUICK | {"steps": 300, "every": 300}))
        model.fit(pairs, [labels, None, labels[:10] + [None] * 14], validation=0.1)
        assert model.changing_
        assert model.score_labels(pairs, [["calm"] * 12 + ["brisk"] * 12] * 3) > 0.85
        with pytest.raises(ValueError, match="unlabelled is 'exact', but labels change"):
            quick(unlabelled="exact").fit(pairs, [labels, None, None])
        with pytest.raises(ValueError, match="rounds is 2, but labels change or are partly missing within sequences"):
            quick(rounds=2).fit(pairs, [labels, None, None])

    @pytest.mark.parametrize(
        "inner",
        [
            tsbn.CTSBN(hidden=(3, 2), steps=2, every=2, batch=4),
            tsbn.FCTSBN(hidden=(3,), hidden_markov=True, observation="bernoulli", steps=2, every=2, batch=4),
            pytest.param(
                tsbn.FCTSBN(hidden=(3,), observation="counts", gradient="flips", steps=2, every=2, batch=4),
                marks=pytest.mark.slow,
            ),
            pytest.param(
                tsbn.FCTSBN(hidden=(3,), future=2, objective="multi-sample", steps=2, every=2, batch=4),
                marks=pytest.mark.slow,
            ),
        ],
        ids=["deep", "hidden Markov, binary", "counts", "future, multi-sample"],
    )
    def test_every_model_of_the_family_can_be_the_generator(self, inner):
        sequences, labels = two_styles(3)
        if inner.observation != "gaussian":
            sequences = [(array > 0).astype(float) for array in sequences]
        model = tsbn.SemiSupervised(inner).fit(sequences, partly(labels, 4))
        assert model.predict_label_proba(sequences, by="both").shape == (6, 2)
        assert model.sample("calm", 5).shape == (5, 2)

    def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(self, tmp_path):
        sequences, labels = two_styles(4)
        whole = quick().fit(sequences, partly(labels, 4))
        quick().fit(sequences, partly(labels, 4), checkpoint=tmp_path / "run", callbacks=[lambda report: True])
        resumed = quick().fit(sequences, partly(labels, 4), checkpoint=tmp_path / "run", resume=True)
        np.testing.assert_array_equal(resumed.predict_label_proba(sequences), whole.predict_label_proba(sequences))
        with pytest.raises(OtherRun, match="semi was"):
            quick(alpha=1.0).fit(sequences, partly(labels, 4), checkpoint=tmp_path / "run", resume=True)

    def test_later_rounds_learn_from_the_labels_that_the_model_found(self):
        sequences, labels = two_styles(4)
        model = quick(rounds=2).fit(sequences, partly(labels, 4), validation=0)
        first = quick().fit(sequences, partly(labels, 4), validation=0)
        found = first.predict_label_proba(sequences[4:], by="both", samples=SAMPLES).argmax(axis=1)
        taught = quick().fit(sequences, labels[:4] + [first.labels_[k] for k in found], validation=0)
        np.testing.assert_array_equal(
            model.predict_label_proba(sequences, by="both"), taught.predict_label_proba(sequences, by="both")
        )
        assert (model.predict_label_proba(sequences) != first.predict_label_proba(sequences)).any()

    def test_the_labels_that_are_judged_by_are_never_the_models_own(self):
        sequences, labels = two_styles(4)
        held_out = (sequences[4:], [*labels[4:6], None, None])
        data = quick()._training_data(read_labels(sequences[:4], partly(labels[:4], 2)), held_out, seed=0)
        fitted = quick().fit(sequences[:4], partly(labels[:4], 2), validation=held_out)
        unknown = [bool(np.isnan(row).all()) for row in with_own_labels(fitted, data, seed=0).sides]
        assert unknown == [False] * 6 + [True] * 2
        before = with_own_labels(fitted, data, seed=0).sides
        fitted.calibration_ = Calibration(both=(-1.0, -1.0))
        np.testing.assert_array_equal(with_own_labels(fitted, data, seed=0).sides, before, "they are not calibrated")

    def test_rounds_end_where_there_is_nothing_to_find_out_or_a_callback_says_so(self):
        sequences, labels = two_styles(3)

        def stopped(looks: int, known: int = 4) -> tuple[tsbn.SemiSupervised, list[float]]:
            steps = []

            def enough(report):
                steps.append(report.row["step"])
                return len(steps) == looks

            return quick(rounds=3).fit(sequences, partly(labels, known), callbacks=[enough]), steps

        assert stopped(9, known=6)[1] == [2, 4]  # all have labels
        for looks, rounds in ((3, 1), (4, 2)):
            model, steps = stopped(looks)
            whole = quick(rounds=rounds).fit(sequences, partly(labels, 4))
            assert steps == [2, 4, 2, 4][:looks]
            assert model.rounds_ == rounds
            np.testing.assert_array_equal(model.predict_label_proba(sequences), whole.predict_label_proba(sequences))

    @pytest.mark.parametrize("problem", [TrainingDiverged("nan", eqx.nn.Identity()), KeyboardInterrupt()], ids=repr)
    def test_a_later_round_that_fails_leaves_the_one_before_it_and_can_be_resumed(self, problem, tmp_path):
        sequences, labels = two_styles(4)
        first, whole = (quick(rounds=n).fit(sequences, partly(labels, 4)) for n in (1, 2))
        run, model, looks = tmp_path / "run.ckpt", quick(rounds=2), []

        def third_look(report):
            looks.append(report)
            if len(looks) == 3:
                raise problem

        with pytest.raises(type(problem)) as error:
            model.fit(sequences, partly(labels, 4), callbacks=[third_look], checkpoint=run)
        if isinstance(problem, TrainingDiverged):
            assert "round 2 became unstable, and the model of round 1 is kept. A smaller" in str(error.value)
        np.testing.assert_array_equal(model.predict_label_proba(sequences), first.predict_label_proba(sequences))
        assert sorted(file.name for file in tmp_path.iterdir()) == ["run.ckpt", "run.round2.ckpt"]
        model.fit(sequences, partly(labels, 4), checkpoint=run, resume=True)
        np.testing.assert_array_equal(model.predict_label_proba(sequences), whole.predict_label_proba(sequences))

    def test_rounds_of_other_runs_are_neither_overwritten_nor_continued(self, tmp_path):
        sequences, labels = two_styles(4)
        run, known = tmp_path / "run.ckpt", partly(labels, 4)
        quick(rounds=2).fit(sequences, known, checkpoint=run)
        with pytest.raises(FileExistsError, match=r"run\.ckpt exists already"):
            quick(rounds=2).fit(sequences, known, checkpoint=run)
        run.unlink()
        with pytest.raises(FileExistsError, match=r"run\.round2\.ckpt exists, but .*run\.ckpt, the round before it"):
            quick(rounds=2).fit(sequences, known, checkpoint=run, resume=True)
        quick().fit(sequences, known, checkpoint=run, seed=1)
        with pytest.raises(OtherRun, match=r"seed was 0, now 1.*delete .*run\.round2\.ckpt to learn this round anew"):
            quick(rounds=2).fit(sequences, known, checkpoint=run, resume=True, seed=1)

    def test_a_given_prior_is_kept(self):
        sequences, labels = two_styles(3)
        model = quick(prior=[0.2, 0.8]).fit(sequences, partly(labels, 4))
        np.testing.assert_allclose(np.exp(model.label_model_.prior.log_prob()), [0.2, 0.8], atol=1e-6)
        with pytest.raises(ValueError, match=r"prior is \[0\.2, 0\.2\], expected 2 positive probabilities"):
            quick(prior=[0.2, 0.2]).fit(sequences, partly(labels, 4))


SEQUENCES, LABELS = two_styles(2)
BAD = {
    "no labels at all": ([None] * 4, {}, "labels holds no label at all"),
    "labels missing": (None, {}, "labels is missing, and the sequences bring none"),
    "too few entries": (["calm"], {}, "labels has 1 entries for 4 sequences"),
    "wrong length": ([["calm"] * 3, None, None, "brisk"], {}, r"labels\[0\] has 3 labels for the 12 frames"),
    "more labels than styles": (LABELS, {"styles": ["calm"]}, "labels holds 'brisk', expected one of the 1 styles"),
    "a style without labels": (LABELS, {"styles": ["brisk", "calm", "odd"]}, "no frame is labelled 'odd'"),
    "one style": (["calm"] * 4, {}, "labels name one style only, 'calm'"),
    "real values": ([0.5, None, 1.0, 2.0], {}, "real-valued side information that is partly missing"),
    "nothing to hold out": (
        [["calm"] * 4 + ["brisk"] * 4 + [None] * 4, None, None, None],
        {},
        "no sequence has a labelled end to hold out",
    ),
    "share": (LABELS, {"validation": 1.5}, "validation is 1.5, expected a share"),
    "unknown label held out": (LABELS, {"validation": (SEQUENCES, ["odd"] * 4)}, "validation labels holds 'odd'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_labels_are_refused_with_a_reason(case):
    labels, arguments, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        quick().fit(SEQUENCES, labels, **arguments)


def test_vectors_and_blends_are_refused():
    with pytest.raises(TypeError, match="not vectors"):
        quick().fit(SEQUENCES, [np.ones((12, 2))] * 4)
    blended = tsbn.Sequences(SEQUENCES, side=[np.array([0.5, 0.5])] * 4)
    with pytest.raises(ValueError, match="real-valued or blended side information"):
        quick().fit(blended)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"classifier": "svm"}, "classifier is 'svm', expected one of 'softmax', 'mlp', 'recurrent'"),
        ({"unlabelled": "guess"}, "unlabelled is 'guess'"),
        ({"labelled_share": 2}, "labelled_share is 2, expected a share"),
        ({"alpha": -1}, "alpha is -1"),
        ({"keep": "all"}, "keep is 'all'"),
        ({"model": tsbn.TSBN()}, "model is a TSBN, which has no styles"),
    ],
)
def test_settings_that_cannot_be_are_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        quick().set_params(**choices).fit(SEQUENCES, LABELS)


def test_a_label_that_only_the_test_has_is_refused(learnt):
    with pytest.raises(ValueError, match="truth holds 'odd', expected one of the 2 styles 'brisk', 'calm'"):
        learnt.score_labels(SEQUENCES, ["odd"] * 4)


def test_a_model_that_is_wrong_on_held_out_labels_loses_its_say(learnt, tmp_path):
    test, _ = two_styles(seed=1)
    by_classifier = learnt.predict_labels(test)
    learnt.save(tmp_path / "model.tsbn")
    other = tsbn.load(tmp_path / "model.tsbn")
    other.calibrate(test, ["calm" if label == "brisk" else "brisk" for label in by_classifier])
    assert other.calibration_.both[1] == 0
    assert other.calibration_.classifier < 0.01
    other.save(tmp_path / "again.tsbn")
    assert tsbn.load(tmp_path / "again.tsbn").calibration_ == other.calibration_
    assert other.predict_labels(test) == by_classifier


def test_calibration_needs_labels(learnt):
    test, _ = two_styles(seed=1)
    with pytest.raises(ValueError, match="labels holds no label at all"):
        learnt.calibrate(test, [None] * len(test))
