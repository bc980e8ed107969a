"""The classification benchmark cuts its data as it says, and its transductive machine learns from what has no label."""

import numpy as np
import pytest

from classify import FRACTIONS, PLACES, problem, spans
from transductive_svm import TransductiveSVM
from tsbn.data import Sequences


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fraction", FRACTIONS)
@pytest.mark.parametrize("validate", [False, True])
def test_no_frame_is_in_two_parts_and_all_are_in_one(place, fraction, validate):
    parts = spans(place, fraction, validate)
    used = np.zeros(500, int)
    for part in parts:
        for a, b in part:
            used[a:b] += 1
    assert used.max() == 1
    assert used.sum() == (400 if validate else 500)
    assert sum(b - a for a, b in parts[0]) == round((0.8 if validate else 1) * round(400 * fraction))


def test_validation_never_sees_held_out_frames():
    for place in PLACES:
        (held_out,) = spans(place, 0.5, validate=False)[2]
        for part in spans(place, 0.5, validate=True):
            assert all(b <= held_out[0] or a >= held_out[1] for a, b in part)


def test_windows_lie_within_their_part_and_keep_their_style():
    frames = np.arange(500.0)[:, None]
    noise = np.random.default_rng(0).normal(size=(500, 2))
    data = Sequences([np.hstack([frames, noise]), np.hstack([frames, noise])], side=["a", "b"])
    found = problem(data, "end", 0.25, validate=False)
    assert found.labelled.windows.shape == (2 * 94, 7, 3)
    assert found.test.windows.shape == (2 * 94, 7, 3)
    assert np.bincount(found.unlabelled.styles).tolist() == [294, 294]
    assert found.test.windows[:, :, 0].min() > found.unlabelled.windows[:, :, 0].max()


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
