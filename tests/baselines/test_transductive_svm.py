"""The transductive machine learns from what has no label."""

import numpy as np
import pytest

from tsbn.baselines import TransductiveSVM


def test_the_transductive_machine_moves_its_margin_out_of_the_crowd():
    """Two long clouds, and a labelled case of each that suggest a border across them."""
    noise = np.random.default_rng(0)
    clouds = np.concatenate([noise.normal(size=(200, 2)) * [1, 0.3] + [0, height] for height in (-1, 1)])
    cases, labels = np.array([[-1.0, -1.0], [1.0, 1.0]]), np.array([0, 1])
    truth = np.repeat([0, 1], 200)
    plain = TransductiveSVM(C=1.0, unlabelled=0.0).fit(cases, labels, clouds)
    transductive = TransductiveSVM(C=1.0, unlabelled=1.0).fit(cases, labels, clouds)
    before, after = (np.mean(model.predict(clouds) == truth) for model in (plain, transductive))
    assert before < 0.95
    assert after == 1


def test_without_unlabelled_cases_there_is_nothing_to_transduce():
    with pytest.raises(ValueError, match="unlabelled is empty"):
        TransductiveSVM().fit(np.eye(2), np.array([0, 1]), np.empty((0, 2)))
