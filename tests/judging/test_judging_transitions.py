"""Transitions: an abrupt one jerks more than a smooth one, and a detour through a third style shows."""

import numpy as np
import pytest

from tsbn import datasets
from tsbn.judging import Yardstick, transitions
from tsbn.styles import sigmoid

STYLES = ("normal", "cat", "strong")
HELD = 90


@pytest.fixture(scope="module")
def parts():
    return datasets.load("walker", styles=STYLES, frames=300, test=0)


@pytest.fixture(scope="module")
def real(parts):
    return Yardstick.of(parts.train)


@pytest.fixture
def fader(parts):
    """Fades from the real motion of one style to that of the other as the path does."""
    clips = dict(zip(STYLES, parts.train, strict=True))

    def generator(path, opening, seed):
        begin, end = path.styles
        come = np.concatenate([np.zeros(HELD), sigmoid(path.legs[1].slide), np.ones(HELD)])[:, None]
        start = 5 * seed
        frames = slice(start, start + path.frames)
        return (1 - come) * clips[begin][frames] + come * clips[end][frames]

    return generator


def judged(generator, real, **options):
    return transitions(generator, real, **{"held": HELD, "seeds": 2, **options})


def test_a_cut_jerks_more_than_a_slide(fader, real):
    smooth = judged(fader, real, over=60)
    cut = judged(fader, real, over=0)
    assert len(smooth.rows) == 6
    assert smooth.worst.jerk < 1.5
    for slid, abrupt in zip(smooth.rows, cut.rows, strict=True):
        assert (slid.begin, slid.end) == (abrupt.begin, abrupt.end)
        assert abrupt.jerk > 2 * slid.jerk


def test_the_recognised_style_changes_once_where_it_should(fader, real):
    found = judged(fader, real, over=0)
    assert all(row.changes == 1 and row.once == 1 for row in found.rows)


def test_a_detour_through_a_third_style_is_seen(parts, real):
    normal, cat, strong = parts.train

    def detour(path, opening, seed):
        return np.concatenate([normal[:HELD], strong[:60], cat[: path.frames - HELD - 60]])

    (row,) = judged(detour, real, pairs=[("normal", "cat")]).rows
    assert row.changes == 2
    assert row.once == 0


def test_a_style_that_never_changes_is_seen(parts, real):
    (row,) = judged(lambda path, opening, seed: parts.train[0][: path.frames], real, pairs=[("normal", "cat")]).rows
    assert (row.changes, row.once) == (0, 0)
    assert row.jerk == pytest.approx(1, abs=0.3)


def test_unknown_styles_are_named(fader, real):
    with pytest.raises(ValueError, match="'dog' is not known"):
        judged(fader, real, pairs=[("cat", "dog")])
