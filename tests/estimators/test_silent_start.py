"""A deep model that starts silent begins as the shallow one: what its upper layers do makes no difference yet."""

import equinox as eqx
import numpy as np
import pytest

import tsbn

UNTRAINED = {"hidden": (4, 3), "steps": 1, "every": 1, "rate": 1e-20, "batch": 2, "window": 20}
STYLES = ["slow", "fast", "slow", "fast"]
MAKERS = {"TSBN": tsbn.TSBN, "CTSBN": tsbn.CTSBN, "FCTSBN": tsbn.FCTSBN}


def waves() -> list[np.ndarray]:
    times = np.arange(40)[:, None] / 4
    return [np.sin(times + start + [0.0, 1.0]) for start in range(4)]


def with_excited_top(model):
    """The same model whose second layer is always on."""
    changed = eqx.tree_at(lambda m: m.network.layers[1].B, model.model_, replace_fn=lambda bias: bias + 50.0)
    other = type(model)(**model.get_params())
    other._learned(model.architecture_, model.side_, changed, model.history_)
    return other


def predictions(model, side) -> np.ndarray:
    return np.stack(model.predict(waves(), side).mean)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("silent", [True, False])
def test_upper_layers_have_no_say_at_first(name, silent):
    side = None if name == "TSBN" else STYLES
    model = MAKERS[name](**UNTRAINED, silent_start=silent).fit(waves(), side, validation=0)
    same = np.array_equal(predictions(model, side), predictions(with_excited_top(model), side))
    assert same == silent


@pytest.mark.parametrize("name", ["CTSBN", "FCTSBN"])
def test_they_learn_to_have_one(name):
    settings = UNTRAINED | {"steps": 20, "rate": 3e-2, "silent_start": True}
    model = MAKERS[name](**settings).fit(waves(), STYLES, validation=0)
    assert not np.array_equal(predictions(model, STYLES), predictions(with_excited_top(model), STYLES))


def test_partly_labelled_models_start_silent_too():
    model = tsbn.SemiSupervised(tsbn.FCTSBN(**UNTRAINED, silent_start=True)).fit(waves(), ["slow", "fast", None, None])
    above = model.generator_.model_.network.layers[0].W5
    assert above is not None
    assert np.abs(above.matrices(np.ones(2, np.float32))).max() < 1e-15  # one step of almost nothing


def test_what_is_neither_yes_nor_no_is_refused():
    with pytest.raises((ValueError, TypeError), match="silent_start is"):
        tsbn.TSBN(silent_start="perhaps").fit(waves())
