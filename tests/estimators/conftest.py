"""Each small model is fitted once, whoever asks for it."""

import functools

import pytest
from sklearn.base import clone
from small_models import CASES

import tsbn


@pytest.fixture(autouse=True)
def _optimising(optimising):
    """Nearly all of these tests train."""


@pytest.fixture(scope="session")
def fitted():
    """`fitted(name)` is the case's model after `fit`; do not change it."""

    @functools.cache
    def fit(name: str) -> tsbn.SequenceModel:
        case = CASES[name]
        return clone(case.model).fit(case.data(), case.side, validation=0.2)

    return fit
