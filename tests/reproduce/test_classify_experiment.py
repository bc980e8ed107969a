"""The classification experiment cuts its data as it says, and tells every fraction and place."""

import numpy as np
import pytest

from tsbn.data import Sequences
from tsbn.reproduce import EXPERIMENTS, Finding
from tsbn.reproduce.experiments import classify
from tsbn.reproduce.labelling import PLACES, problem, spans
from tsbn.reproduce.results import Outcome, table


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("fraction", [0.25, 0.3125, 0.75])
@pytest.mark.parametrize("trial", [0, 1, 4])
@pytest.mark.parametrize("rehearsal", [False, True])
def test_no_frame_is_in_two_parts_and_all_are_in_one(place, fraction, trial, rehearsal):
    parts = spans(place, fraction, trial, rehearsal=rehearsal)
    used = np.zeros(500, int)
    for part in parts:
        for a, b in part:
            used[a:b] += 1
    assert used.max() == 1
    assert used.sum() == (400 if rehearsal else 500)
    assert sum(b - a for a, b in parts[0]) == round(400 * fraction) * (0.5 if rehearsal else 1) // 1


def test_a_rehearsal_never_sees_held_out_frames():
    for place in PLACES:
        (held_out,) = spans(place, 0.5)[2]
        for part in spans(place, 0.5, rehearsal=True):
            assert all(b <= held_out[0] or a >= held_out[1] for a, b in part)


def test_the_first_trial_labels_from_the_first_frame_and_others_elsewhere():
    assert spans("end", 0.25)[0] == [(0, 100)]
    begins = {spans("end", 0.25, trial)[0][0][0] for trial in range(5)}
    assert len(begins) == 5
    assert max(begins) <= 300


def test_windows_lie_within_their_part_and_keep_their_style():
    frames = np.arange(500.0)[:, None]
    noise = np.random.default_rng(0).normal(size=(500, 2))
    data = Sequences([np.hstack([frames, noise]), np.hstack([frames, noise])], side=["a", "b"])
    found = problem(data, "end", 0.25)
    assert found.labelled.windows.shape == (2 * 94, 7, 3)
    assert found.test.windows.shape == (2 * 94, 7, 3)
    assert np.bincount(found.unlabelled.styles).tolist() == [294, 294]
    assert found.test.windows[:, :, 0].min() > found.unlabelled.windows[:, :, 0].max()


@pytest.fixture
def two_clips(monkeypatch):
    """Two styles with means far apart, in place of the ten."""
    noise = np.random.default_rng(0).normal(size=(2, 500, 2))
    clips = Sequences([noise[0] - 5, noise[1] + 5], side=["a", "b"])
    monkeypatch.setattr(classify, "data", lambda: clips)


def test_plain_classifiers_recognise_what_is_easy_at_every_fraction(two_clips, tmp_path):
    for model in ("10-NN", "softmax(1)", "self-training"):
        jobs = [job for job in classify.jobs() if job.model == model]
        assert [job.part for job in jobs] == list(classify.FRACTIONS)
        for job in jobs:
            found = {(one.setting, one.metric): one.value for one in job.run(0, tmp_path)}
            assert set(found.values()) == {100.0}
            assert {setting for setting, _ in found} == {job.part}
            assert {metric for _, metric in found} == {"accuracy", *(f"accuracy ({place})" for place in PLACES)}


def test_the_figure_is_drawn_from_the_averages(tmp_path):
    findings = tuple(Finding(fraction, "accuracy", 80.0) for fraction in classify.FRACTIONS)
    rows = table([Outcome("FCTSBN", 0, 1.0, findings)], EXPERIMENTS["classify"].paper)
    assert [row.paper for row in rows][::4] == [78.33, 85.17, 88.73]
    classify.figures(rows, tmp_path)
    assert (tmp_path / "accuracy.png").stat().st_size > 1000
