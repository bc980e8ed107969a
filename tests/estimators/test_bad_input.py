"""Bad input gives one clear error (the argument, what was given, what was expected) before any work starts."""

import re

import numpy as np
import pytest
from small_models import QUICK, frames

import tsbn
from tsbn.estimators import base, making, whole_sequences

GOOD = frames()
STYLES = ["calm", "brisk", "calm", "brisk"]
VECTORS = list(np.arange(8.0).reshape(4, 2))


@pytest.fixture
def no_work(monkeypatch):
    """Building, training, or evaluating a model fails the test."""

    def reached(*args, **kwargs):
        pytest.fail("work started")

    work = [(base, "first_model"), (base, "carry_out"), (making, "_generated"), (whole_sequences, "_on_batch")]
    for module, name in work:
        monkeypatch.setattr(module, name, reached)


def changed(value, sequence=0, at=(0, 0), data=GOOD):
    arrays = [array.astype(float) for array in data]
    arrays[sequence][at] = value
    return arrays


def says(*words: str) -> str:
    """A pattern for a message that has these words in this order."""
    return "(?s)" + ".*".join(re.escape(word) for word in words)


DATA = {
    "nothing": ([], says("sequences is empty", "at least one array")),
    "None": (None, says("sequences is None", "expected a list of arrays")),
    "a number": (7, says("sequences is 7", "expected a list of arrays")),
    "text": ("walk", says("sequence 0", "<U", "expected numbers [time, channels]")),
    "numbers": ([1.0, 2.0], says("sequence 0 has shape ()", "expected numbers [time, channels]")),
    "one axis": ([np.zeros(5)], says("sequence 0 has shape (5,)", "expected numbers [time, channels]")),
    "three axes": ([np.zeros((5, 2, 2))], says("sequence 0 has shape (5, 2, 2)", "expected numbers [time, channels]")),
    "no frames": ([*GOOD, np.zeros((0, 2))], says("sequence 4 has shape (0, 2)", "one frame")),
    "no channels": ([np.zeros((9, 0))], says("sequence 0 has shape (9, 0)", "one channel")),
    "a missing one": ([*GOOD, None], says("sequence 4", "expected numbers")),
    "complex numbers": ([GOOD[0] + 1j], says("sequence 0", "complex128", "expected numbers")),
    "objects": ([GOOD[0].astype(object)], says("sequence 0", "object", "expected numbers")),
    "words": ([np.full((9, 2), "a")], says("sequence 0", "<U1", "expected numbers")),
    "other channels": ([GOOD[0], np.zeros((9, 3))], says("sequence 1 has 3 channels, sequence 0 has 2")),
    "infinity": (changed(np.inf), says("sequence 0 is infinite at frame 0, channel 0", "NaN")),
    "too short": ([*GOOD, np.zeros((1, 2))], says("sequences[4] has 1 frames", "order 1 needs at least 2")),
    "a constant channel": ([a * [1, 0] for a in GOOD], says("channels 1 are constant", "Scaler")),
    "constant in float32": ([a * [1, 1e-9] + 1 for a in GOOD], says("channels 1 are constant")),
    "a huge channel": (
        [a * [1, 1e6] for a in GOOD],
        says("sequences[0] holds", "channel 1", "at most 10000", "Scaler"),
    ),
    "beyond float32": (changed(1e300), says("sequences[0] holds 1e+300 at frame 0, channel 0", "at most 10000")),
    "an empty channel": ([a * [1, np.nan] for a in GOOD], says("channels 1 have no values at all")),
    "constant but for what is held out": (
        [np.vstack([a[:-1] * [1, 0], a[-1:]]) for a in GOOD],
        says("channels 1 are constant in what is learnt from"),
    ),
    "nothing seen of what is held out": (
        [np.vstack([a[:-1], np.full((1, 2), np.nan)]) for a in GOOD],
        says("validation: all frames to hold out are missing"),
    ),
}


@pytest.mark.parametrize("given", DATA)
def test_data_that_cannot_be_learnt_from(given, no_work):
    data, message = DATA[given]
    with pytest.raises((ValueError, TypeError), match=message):
        tsbn.TSBN(**QUICK).fit(data)


OBSERVATIONS = {
    "2 for binary": ("bernoulli", 2, says("sequences[0] holds 2 at frame 3, channel 1", "expected 0, 1 or NaN")),
    "a share for binary": ("bernoulli", 0.5, says("sequences[0] holds 0.5", "expected 0, 1 or NaN")),
    "a negative count": ("counts", -1, says("sequences[0] holds -1", "expected whole numbers from 0")),
    "a fractional count": ("counts", 1.5, says("sequences[0] holds 1.5", "expected whole numbers from 0")),
    "a count beyond float32": ("counts", 2**25, says("sequences[0] holds 3.35544e+07", "to 16777216")),
}


@pytest.mark.parametrize("given", OBSERVATIONS)
def test_values_that_are_not_of_the_kind(given, no_work):
    observation, value, message = OBSERVATIONS[given]
    data = changed(value, at=(3, 1), data=frames(observation))
    with pytest.raises(ValueError, match=message):
        tsbn.TSBN(**QUICK, observation=observation).fit(data)


def test_one_channel_alone_cannot_be_shares_of_a_total(no_work):
    with pytest.raises(ValueError, match="one channel, which counts cannot be"):
        tsbn.TSBN(**QUICK, observation="counts").fit([array[:, :1] for array in frames("counts")])


def test_sequences_with_names_are_named(no_work):
    named = tsbn.data.Sequences([*GOOD, np.zeros((1, 2))], names=["a", "b", "c", "d", "stump"])
    with pytest.raises(ValueError, match=says("sequences[4] ('stump') has 1 frames")):
        tsbn.TSBN(**QUICK).fit(named)
    unlabelled = tsbn.data.Sequences(GOOD, [*STYLES[:3], None], names=["a", "b", "c", "lost"])
    with pytest.raises(ValueError, match=says("side[3] ('lost') has no label")):
        tsbn.CTSBN(**QUICK).fit(unlabelled)


SIDES = {
    "too few": (STYLES[:3], says("side has 3 entries for 4 sequences")),
    "none at all": ([], says("side has 0 entries for 4 sequences")),
    "one label": ("calm", says("side is 'calm'", "one entry per sequence")),
    "one number": (3, says("side is 3", "one entry per sequence")),
    "labels for other frames": ([["calm"] * 5, *STYLES[1:]], says("side[0] has 5 labels for the 12 frames")),
    "rows for other frames": ([np.ones((5, 2)), *VECTORS[1:]], says("side[0] has shape (5, 2)", "12 frames")),
    "labels and vectors": ([VECTORS[0], *STYLES[1:]], says("side mixes labels and vectors")),
    "words and numbers": ([1, *STYLES[1:]], says("labels mix str and int")),
    "an unlabelled sequence": ([None, *STYLES[1:]], says("side[0] has no label")),
    "an unlabelled frame": ([[None] + ["calm"] * 11, *STYLES[1:]], says("side[0] has no label")),
    "NaN": ([np.array([1, np.nan]), *VECTORS[1:]], says("side[0] has no label or holds NaN")),
    "NaN at a frame": ([np.full((12, 2), np.nan), *VECTORS[1:]], says("side[0] has no label or holds NaN")),
    "infinity": ([np.array([1, np.inf]), *VECTORS[1:]], says("side has infinite values")),
    "a huge number": ([np.array([1, 1e12]), *VECTORS[1:]], says("side[0] holds 1e+12", "at most 10000")),
    "other columns": ([np.ones(3), *VECTORS[1:]], says("side vectors must all have the same number", "[2, 3]")),
    "three axes": ([np.ones((12, 2, 2)), *VECTORS[1:]], says("side[0] is", "expected a label")),
    "objects": ([object(), *STYLES[1:]], says("side[0] is", "expected a label")),
    "complex numbers": ([np.ones(2) * 1j, *VECTORS[1:]], says("side[0] is", "expected a label")),
}


@pytest.mark.parametrize("given", SIDES)
def test_side_information_that_does_not_fit_the_data(given, no_work):
    side, message = SIDES[given]
    with pytest.raises((ValueError, TypeError), match=message):
        tsbn.FCTSBN(**QUICK, factors=2).fit(GOOD, side)


def test_side_information_for_a_model_without(no_work):
    with pytest.raises(ValueError, match=says("side was given", "TSBN has no side information", "use FCTSBN or CTSBN")):
        tsbn.TSBN(**QUICK).fit(GOOD, STYLES)


SETTINGS = {
    "one size": ({"hidden": 100}, says("hidden is 100", "(100,)")),
    "no layers": ({"hidden": ()}, says("hidden is ()", "(100,)")),
    "text for sizes": ({"hidden": "100"}, says("hidden is '100'", "(100,)")),
    "an empty layer": ({"hidden": (3, 0)}, says("hidden[1] is 0", "whole number of at least 1")),
    "half a unit": ({"hidden": (2.5,)}, says("hidden[0] is 2.5", "whole number")),
    "no order": ({"order": 0}, says("order is 0", "whole number of at least 1")),
    "text for order": ({"order": "2"}, says("order is '2'", "whole number")),
    "no factors": ({"factors": 0}, says("factors is 0", "at least 1")),
    "negative future": ({"future": -1}, says("future is -1", "at least 0")),
    "an unknown observation": ({"observation": "gausian"}, says("observation is 'gausian'", "did you mean 'gaussian'")),
    "an unknown map": ({"kinds": {"W9": "tensor"}}, says("kinds", "'W9'", "expected one of 'W1'")),
    "an unknown kind": ({"kinds": {"W2": "factord"}}, says("kinds['W2'] is 'factord'", "did you mean 'factored'")),
    "a map that cannot be left out": ({"kinds": {"W2": "none"}}, says("kinds['W2'] is 'none'", "'factored'")),
    "kinds as a tuple": ({"kinds": ("W2", "tensor")}, says("kinds is", "expected a dict")),
    "one deterministic layer": ({"deterministic": True}, says("deterministic", "at least two layers")),
    "no steps": ({"steps": 0}, says("steps is 0", "at least 1")),
    "text for steps": ({"steps": "many"}, says("steps is 'many'", "whole number")),
    "half a batch": ({"batch": 2.5}, says("batch is 2.5", "whole number")),
    "no window": ({"window": 0}, says("window is 0", "at least 1")),
    "never checked": ({"every": 0}, says("every is 0", "at least 1")),
    "a negative rate": ({"rate": -0.1}, says("rate is -0.1", "positive")),
    "no rate": ({"rate": 0.0}, says("rate is 0.0", "positive")),
    "NaN for rate": ({"rate": np.nan}, says("rate is nan", "positive")),
    "infinite rate": ({"rate": np.inf}, says("rate is inf", "positive")),
    "text for rate": ({"rate": "fast"}, says("rate is 'fast'", "positive")),
    "too long a warm-up": ({"warm_up": 1.5}, says("warm_up is 1.5", "from 0 to 1")),
    "too many slips": ({"slips": 0.7}, says("slips is 0.7", "from 0 to 0.5")),
    "growing weights": ({"weight_decay": -0.1}, says("weight_decay is -0.1", "from 0")),
    "text for yes or no": ({"hidden_markov": "no"}, says("hidden_markov is 'no'", "True or False")),
    "a number for yes or no": ({"balanced": 2}, says("balanced is 2", "True or False")),
    "an opening of everything": ({"opening": 99}, says("opening is 99", "to learn from ends after 11 frames")),
    "negative patience": ({"patience": -1}, says("patience is -1", "at least 0")),
    "no chains": ({"chains": 0}, says("chains is 0", "at least 1")),
    "one chain": ({"chains": 1, "gradient": "leave-one-out"}, says("chains is 1", "at least 2")),
    "an unknown preset": ({"preset": "papre"}, says("preset is 'papre'", "'default', 'paper'", "did you mean 'paper'")),
    "an unknown gradient": ({"gradient": "nvill"}, says("gradient is 'nvill'", "did you mean 'nvil'")),
    "an unknown objective": ({"objective": "iwae"}, says("objective is 'iwae'", "expected one of 'elbo'")),
}


@pytest.mark.parametrize("given", SETTINGS)
def test_settings_that_cannot_be(given, no_work):
    settings, message = SETTINGS[given]
    with pytest.raises(ValueError, match=message):
        tsbn.FCTSBN(**QUICK | settings).fit(GOOD, STYLES)


def test_an_unknown_setting_is_refused_at_once():
    with pytest.raises(TypeError, match="hiden"):
        tsbn.TSBN(hiden=(3,))


ARGUMENTS = {
    "share above 1": ({"validation": 1.5}, says("validation is 1.5", "from 0 to below 1")),
    "negative share": ({"validation": -0.1}, says("validation is -0.1", "from 0 to below 1")),
    "text for a share": ({"validation": "some"}, says("validation is 'some'", "a share")),
    "data for a share": ({"validation": GOOD}, says("validation is", "(sequences, side)")),
    "three things": ({"validation": (GOOD, None, 0)}, says("validation has 3 entries", "(sequences, side)")),
    "no validation data": ({"validation": ([], None)}, says("validation is empty")),
    "other channels": ({"validation": ([np.zeros((9, 3))], None)}, says("validation has 3 channels", "2")),
    "unneeded side": ({"validation": (GOOD, STYLES)}, says("validation has side information", "TSBN has none")),
    "text for seed": ({"seed": "lucky"}, says("seed is 'lucky'", "whole number")),
    "negative seed": ({"seed": -1}, says("seed is -1", "from 0 to")),
    "a seed that would repeat another": ({"seed": 2**32}, says("seed is 4294967296", "from 0 to 4294967295")),
    "validation data without values": ({"validation": ([np.full((9, 2), np.nan)], None)}, says("are missing")),
    "not a callback": ({"callbacks": ["stop"]}, says("callbacks holds 'stop'", "functions")),
    "resume from nothing": ({"resume": True}, says("resume is True", "checkpoint is None")),
}


@pytest.mark.parametrize("given", ARGUMENTS)
def test_arguments_of_fit_that_cannot_be(given, no_work):
    arguments, message = ARGUMENTS[given]
    with pytest.raises((ValueError, TypeError), match=message):
        tsbn.TSBN(**QUICK).fit(GOOD, **arguments)


def test_validation_data_must_be_of_the_kind(no_work):
    with pytest.raises(ValueError, match=says("validation[0] holds", "expected 0, 1 or NaN")):
        tsbn.TSBN(**QUICK, observation="bernoulli").fit(frames("bernoulli"), validation=(GOOD, None))
    with pytest.raises(ValueError, match=says("validation: side holds the labels ['slow'], expected some of", "brisk")):
        tsbn.CTSBN(**QUICK).fit(GOOD, STYLES, validation=(GOOD, ["slow"] * 4))


def test_one_short_sequence_has_nothing_to_hold_out(no_work):
    with pytest.raises(ValueError, match=says("validation is 0.1", "3 frames", "validation=0")):
        tsbn.TSBN(**QUICK).fit(GOOD[0][:3])


@pytest.mark.parametrize("question", ["score", "log_likelihood", "predict", "infer"])
def test_a_model_must_be_fitted_first(question, tmp_path):
    model = tsbn.TSBN()
    with pytest.raises(tsbn.NotFittedError, match="this TSBN has not been fitted yet; call fit first"):
        getattr(model, question)(GOOD)
    with pytest.raises(tsbn.NotFittedError):
        model.sample(length=3)
    with pytest.raises(tsbn.NotFittedError):
        model.save(tmp_path / "model.tsbn")
    assert not list(tmp_path.iterdir())


QUESTIONS = {
    "other channels": ("CTSBN", [np.zeros((9, 3))], ["calm"], says("sequences has 3 channels", "fitted to 2")),
    "nothing": ("CTSBN", [], [], says("sequences is empty")),
    "a huge value": ("CTSBN", changed(1e9), STYLES, says("sequences[0] holds 1e+09", "at most 10000")),
    "no side": ("CTSBN", GOOD, None, says("side is missing", "2 styles (brisk, calm)")),
    "an unknown style": ("CTSBN", GOOD, ["slow"] * 4, says("labels ['slow'], expected some of", "brisk")),
    "a number for a style": ("CTSBN", GOOD, [0] * 4, says("labels [0], expected some of", "brisk")),
    "an unlabelled sequence": ("CTSBN", GOOD, [None, *STYLES[1:]], says("side[0] has no label")),
    "too many columns": ("CTSBN", GOOD, [np.ones(3)] * 4, says("same number of styles", "[2, 3]")),
    "too few columns": ("future", GOOD, [np.ones(1)] * 4, says("side[0] has 1 columns", "2 columns")),
    "labels for vectors": ("future", GOOD, STYLES, says("side holds the labels ('brisk', 'calm')", "2 columns")),
    "unneeded side": ("TSBN", GOOD, STYLES, says("side was given", "without side information")),
    "not binary": ("deterministic", GOOD, None, says("sequences[0] holds", "expected 0, 1 or NaN")),
}


@pytest.mark.parametrize("given", QUESTIONS)
@pytest.mark.parametrize("question", ["score", "predict"])
def test_questions_about_data_the_model_was_not_fitted_for(given, question, fitted, request):
    name, data, side, message = QUESTIONS[given]
    model = fitted(name)
    request.getfixturevalue("no_work")
    with pytest.raises((ValueError, TypeError), match=message):
        getattr(model, question)(data, side)


def test_blends_of_other_styles_are_refused(fitted, request):
    model = fitted("CTSBN")
    request.getfixturevalue("no_work")
    blends = tsbn.Sequences(GOOD, [np.full(2, 0.5)] * 4, label_names=["calm", "brisk"])
    with pytest.raises(ValueError, match=says("sequences blends the styles ('calm', 'brisk')", "('brisk', 'calm')")):
        model.score(blends)


@pytest.mark.parametrize(
    ("question", "arguments", "message"),
    [
        ("score", {"samples": 0}, says("samples is 0", "at least 1")),
        ("log_likelihood", {"particles": 0}, says("particles is 0", "at least 1")),
        ("predict", {"samples": 1.5}, says("samples is 1.5", "whole number")),
        ("infer", {"samples": -1}, says("samples is -1", "at least 1")),
        ("score", {"seed": "x"}, says("seed is 'x'", "whole number")),
    ],
)
def test_numbers_of_samples_that_cannot_be(question, arguments, message, fitted, request):
    model = fitted("TSBN")
    request.getfixturevalue("no_work")
    with pytest.raises(ValueError, match=message):
        getattr(model, question)(GOOD, **arguments)


SAMPLES = {
    "no length": ("CTSBN", {"side": "calm"}, says("length is missing")),
    "length 0": ("CTSBN", {"side": "calm", "length": 0}, says("length is 0", "at least 1")),
    "half a frame": ("CTSBN", {"side": "calm", "length": 2.5}, says("length is 2.5", "whole number")),
    "none": ("CTSBN", {"side": "calm", "length": 3, "num": 0}, says("num is 0", "at least 1")),
    "no side": ("CTSBN", {"length": 3}, says("side is missing", "2 styles")),
    "an unknown style": ("CTSBN", {"side": "slow", "length": 3}, says("['slow']", "brisk")),
    "other rows": ("CTSBN", {"side": ["calm"] * 4, "length": 3}, says("side has 4 rows", "length = 3")),
    "labels for vectors": ("future", {"side": "calm", "length": 3}, says("side holds the labels", "2 columns")),
    "whole numbers for vectors": ("future", {"side": [0, 1], "length": 2}, says("side holds the labels", "2 columns")),
    "NaN": ("future", {"side": [0.5, np.nan], "length": 3}, says("side", "NaN")),
    "unneeded side": ("TSBN", {"side": "calm", "length": 3}, says("side was given", "without side information")),
    "an opening of other channels": (
        "TSBN",
        {"length": 3, "opening": np.zeros((4, 3))},
        says("opening has 3 channels"),
    ),
    "an opening of one axis": (
        "TSBN",
        {"length": 3, "opening": np.zeros(4)},
        says("opening", "shape (4,)", "[time"),
    ),
    "a negative seed": ("TSBN", {"length": 3, "seed": -1}, says("seed is -1", "from 0 to")),
    "text for choices": ("TSBN", {"length": 3, "choices": "mean"}, says("choices is 'mean'", 'tsbn.Choices("mean")')),
    "only the opening's side": (
        "CTSBN",
        {"side": "calm", "length": 3, "opening_side": "calm"},
        says("without an opening"),
    ),
}


@pytest.mark.parametrize("given", SAMPLES)
def test_samples_that_cannot_be_drawn(given, fitted, request):
    name, arguments, message = SAMPLES[given]
    model = fitted(name)
    request.getfixturevalue("no_work")
    with pytest.raises((ValueError, TypeError), match=message):
        model.sample(**arguments)


def test_a_fit_that_is_refused_leaves_the_model_as_it_was(fitted):
    model = fitted("TSBN")
    learnt = model.model_
    with pytest.raises(ValueError, match="sequences is empty"):
        model.fit([])
    assert model.model_ is learnt
