"""Models and data so small that compiling is all they cost."""

from typing import Any, NamedTuple

import numpy as np

import tsbn

QUICK: dict[str, Any] = {"hidden": (3,), "steps": 4, "every": 2, "batch": 2}
LENGTHS = (12, 12, 11, 10)


def frames(observation: str = "gaussian", seed: int = 0) -> list[np.ndarray]:
    """Four sequences of two channels."""
    noise = np.random.default_rng(seed)
    draw = {
        "gaussian": lambda shape: noise.normal(size=shape),
        "bernoulli": lambda shape: noise.integers(0, 2, shape),
        "counts": lambda shape: noise.poisson(3, shape),
    }[observation]
    return [draw((length, 2)) for length in LENGTHS]


class Case(NamedTuple):
    """A model, the side information of its four sequences, and one item to sample with."""

    model: tsbn.SequenceModel
    side: list | None
    one: Any
    gaps: bool = False

    def data(self) -> list[np.ndarray]:
        arrays = frames(self.model.observation)
        if self.gaps:
            arrays = [array.astype(float) for array in arrays]
            arrays[0][2:5, 0] = np.nan
            arrays[3][7] = np.nan
        return arrays


def _per_frame(draw) -> list:
    return [draw(length) for length in LENGTHS]


_noise = np.random.default_rng(1)
_styles = ["calm", "brisk", "calm", "brisk"]
CASES = {
    "TSBN": Case(tsbn.TSBN(**QUICK), None, None),
    "CTSBN": Case(tsbn.CTSBN(**QUICK), _styles, "calm"),
    "FCTSBN": Case(tsbn.FCTSBN(**QUICK, factors=2, order=2), [3, 3, 7, 7], 7),
    "hidden Markov": Case(
        tsbn.FCTSBN(**QUICK, factors=2, hidden_markov=True, observation="bernoulli"),
        _per_frame(lambda length: ["left"] * 4 + ["right"] * (length - 4)),
        ["left", "right", "right", "left", "left"],
    ),
    "deep": Case(
        tsbn.FCTSBN(**QUICK | {"hidden": (3, 2)}, factors=2, observation="counts"),
        list(_noise.dirichlet((1, 1, 1), 4)),
        [0.2, 0.3, 0.5],
    ),
    "deterministic": Case(
        tsbn.FCTSBN(**QUICK | {"hidden": (3, 2)}, factors=2, deterministic=True, observation="bernoulli"), None, None
    ),
    "future": Case(tsbn.CTSBN(**QUICK, future=2), list(_noise.normal(size=(4, 2))), [0.5, -1.0]),
    "changing side": Case(
        tsbn.FCTSBN(**QUICK, factors=2),
        _per_frame(lambda length: _noise.normal(size=(length, 2))),
        _noise.normal(size=(5, 2)),
    ),
    "gaps": Case(tsbn.CTSBN(**QUICK), _styles, "brisk", gaps=True),
}
