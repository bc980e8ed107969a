"""A model that starts at a linear autoregression predicts as that does before it has learnt anything."""

import numpy as np
import pytest

import tsbn
from tsbn.baselines import Autoregression
from tsbn.learning.corpus import Places, Window, cut

UNTRAINED = {"steps": 1, "every": 1, "rate": 1e-20, "batch": 2, "window": 20, "linear_start": True, "opening": 2}
MODELS = {
    "TSBN": tsbn.TSBN(order=2, hidden=(3,), **UNTRAINED),
    "CTSBN": tsbn.CTSBN(order=2, hidden=(3,), **UNTRAINED),
    "FCTSBN": tsbn.FCTSBN(order=2, hidden=(3,), factors=4, **UNTRAINED),
    "heavy tails, noise of the style": tsbn.FCTSBN(
        order=2, hidden=(3,), factors=4, observation="student", kinds={"W2'": "none", "W4'": "none"}, **UNTRAINED
    ),
}
STYLES = ["slow", "fast", "slow", "fast"]
PLACES = [np.array([0.0, 0.0]), np.array([1.0, -1.0]), np.array([-1.0, 0.5]), np.array([0.5, 1.0])]


def waves() -> list[np.ndarray]:
    """Two channels that a linear recurrence of order 2 makes, with a little noise."""
    noise = np.random.default_rng(0)
    times = np.arange(60)[:, None] / 4
    return [np.sin(times + start + [0.0, 1.0]) + 0.01 * noise.normal(size=(60, 2)) for start in range(4)]


def error(model, side) -> float:
    predicted = model.predict(waves(), side).mean
    return float(
        np.mean([np.square(v - mean)[2:].sum(axis=1).mean() for v, mean in zip(waves(), predicted, strict=True)])
    )


@pytest.mark.parametrize("side", [STYLES, PLACES], ids=["styles", "real numbers"])
@pytest.mark.parametrize(
    "name", [name if name == "FCTSBN" else pytest.param(name, marks=pytest.mark.slow) for name in MODELS]
)
def test_an_untrained_model_predicts_about_as_well_as_the_autoregression(name, side):
    given = side if name != "TSBN" else None
    model = MODELS[name].fit(waves(), given, validation=0)
    linear = error(Autoregression(2).fit(waves()), None)
    assert linear < 0.01
    # What the hidden units add is small against the residuals, but not nothing.
    assert error(model, given) < 1.1 * linear


def test_frames_of_the_opening_never_count():
    data = tsbn.FCTSBN(order=2)._training_data(waves(), STYLES, 0, 0)
    window = Window(10, 2, opening=3)
    corpus = data.corpus(window, balanced=False)
    counted = np.asarray(cut(corpus, window, Places(0, 0, 60)).counted)
    assert counted.tolist() == [False] * 3 + [True] * 7 + [False] * 2


def test_named_columns_that_are_no_shares_of_styles_get_a_constant_beside_them():
    rows = tsbn.Sequences(waves(), PLACES, label_names=["latitude", "longitude"])
    model = tsbn.FCTSBN(hidden=(3,), factors=2, steps=1).fit(rows)
    assert model.architecture_.constant
    assert model.architecture_.side == 3


def test_so_does_one_that_knows_some_labels_only():
    model = tsbn.SemiSupervised(MODELS["FCTSBN"]).fit(waves(), ["slow", "fast", None, None], validation=0)
    assert error(model.generator_, STYLES) < 2 * error(Autoregression(2).fit(waves()), None) + 1e-3
