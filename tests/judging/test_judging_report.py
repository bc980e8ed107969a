"""The report says of real motion that it is real, and of everything that is wrong with a generator what it is."""

import json
import os

import numpy as np
import pytest

from tsbn import datasets
from tsbn.data import Sequences, split_by_time
from tsbn.judging import Yardstick, beside, markdown, replay, report
from tsbn.judging.lasting import lasting

STYLES = ("normal", "cat", "strong")


@pytest.fixture(scope="module")
def parts():
    return datasets.load("walker", styles=STYLES, walkers=2, frames=300)


@pytest.fixture(scope="module")
def real(parts):
    return Yardstick.of(parts.train, parts.figure)


def each(found, name):
    return np.array([getattr(row, name) for row in found.rows])


def test_real_motion_judged_against_itself_is_real(parts, real):
    found = report(replay(parts.train), real, frames=300, seeds=2, long=300)
    assert (each(found, "recognised") > 0.99).all()
    assert (each(found, "held_out") > 0.95).all()
    np.testing.assert_allclose(each(found, "spread"), 1)
    np.testing.assert_allclose(each(found, "speed"), 1)
    np.testing.assert_allclose(each(found, "sliding"), each(found, "real_sliding"))
    np.testing.assert_allclose(each(found, "nearest"), 0, atol=1e-5)
    assert all(row.lasting.still == 0 and row.lasting.shift < 0.5 for row in found.rows)
    assert all(row.remarks == ["copies"] for row in found.rows)


def test_another_person_is_recognised_and_no_copy(parts, real):
    found = report(replay(parts.test), real, frames=300, seeds=1)
    assert (each(found, "recognised") > 0.8).all()
    assert (each(found, "nearest") > 0.3).all()
    assert (np.abs(each(found, "speed") - 1) < 0.4).all()


def test_other_stretches_are_as_diverse_as_real_motion(parts, real):
    found = report(replay(parts.train), real, frames=150, seeds=6)
    assert (np.abs(each(found, "diversity") - 1) < 0.35).all()


def test_a_frozen_pose_is_flagged(real):
    found = report(lambda path, opening, seed: opening[-1:].repeat(path.frames, axis=0), real, frames=90, long=300)
    assert (each(found, "speed") == 0).all()
    assert (each(found, "diversity") == 0).all()
    for row in found.rows:
        assert {"frozen", "seeds alike", "freezes later"} <= set(row.remarks)
        assert row.lasting.still == 1
        assert row.lasting.speed == (0, 0, 0)


def test_a_frozen_pose_that_glides_slides_at_the_speed_of_travel(parts, real):
    def glide(path, opening, seed):
        frames = opening[-1:].repeat(path.frames, axis=0)
        frames[:, :3] = [1.2, 0, 0]  # forward, at a walking pace
        return frames

    found = report(glide, real, styles=["normal"], frames=90, seeds=1)
    assert found.rows[0].sliding == pytest.approx(1.2 / real.travel("normal"), rel=0.01)
    assert found.rows[0].real_sliding < 0.05


def test_another_style_than_asked_is_not_recognised(parts, real):
    following = dict(zip(STYLES, (*STYLES[1:], STYLES[0]), strict=True))
    shuffled = parts.train.replace(side=[following[label] for label in parts.train.labels], label_names=STYLES)
    found = report(replay(shuffled), real, frames=200, seeds=2)
    assert (each(found, "recognised") < 0.05).all()
    assert all("not recognised" in row.remarks for row in found.rows)


def test_one_seed_for_all_has_no_diversity(parts, real):
    player = replay(parts.train)
    found = report(lambda path, opening, seed: player(path, opening, 0), real, frames=100, seeds=3)
    assert (each(found, "diversity") == 0).all()
    assert all("seeds alike" in row.remarks for row in found.rows)


def test_half_the_motion_has_half_the_spread_and_speed(parts, real):
    calm = parts.train.replace(values=[0.5 * array + 0.5 * array.mean(axis=0) for array in parts.train])
    found = report(replay(calm), real, frames=300, seeds=2)
    np.testing.assert_allclose(each(found, "spread"), 0.5)
    np.testing.assert_allclose(each(found, "speed"), 0.5)


def test_noise_that_goes_out_over_time_freezes_later(real):
    def fading(path, opening, seed):
        random = np.random.default_rng(seed)
        loud = np.clip(2 - 3 * np.arange(path.frames) / path.frames, 0, 1)[:, None]
        return opening[-1] + loud * random.normal(size=(path.frames, opening.shape[1])) * 0.05

    found = report(fading, real, styles=["cat"], frames=90, seeds=1, long=900)
    assert found.rows[0].lasting.speed[0] > 1
    assert found.rows[0].lasting.speed[2] == 0
    assert found.rows[0].lasting.still == pytest.approx(1 / 3, abs=0.05)
    assert "freezes later" in found.rows[0].remarks


def test_pauses_that_the_real_motion_has_too_are_no_freezing():
    """A third of the frames stand still, here and there."""
    step = np.concatenate([np.sin(np.arange(100) / 5), np.zeros(50)])[:, None]
    found = lasting(np.tile(step, (6, 1)), [np.tile(step, (2, 1))], second=15)
    assert found.still == pytest.approx(found.real_still, abs=0.05)
    assert found.real_still > 0.15


def test_a_long_walk_of_a_few_frames_is_refused(real):
    with pytest.raises(ValueError, match="long is 2, expected 0 for none, or at least 21 frames"):
        report(lambda path, opening, seed: opening, real, long=2)


def test_a_generator_that_runs_away_still_gets_figures(real):
    def runaway(path, opening, seed):
        with np.errstate(over="ignore", invalid="ignore"):
            return opening[-1] * np.exp(np.arange(path.frames, dtype=float) * 9)[:, None]

    found = report(runaway, real, frames=100, seeds=2)
    assert np.isfinite(each(found, "spread")).all()
    assert all("restless" in row.remarks for row in found.rows)


def test_data_that_are_not_motion_have_no_feet(parts):
    found = report(replay(parts.train), parts.train, frames=60, seeds=2)
    assert all(row.sliding is None and row.real_sliding is None for row in found.rows)
    assert found.average.sliding is None


def test_one_style_alone_cannot_be_recognised_but_is_measured(parts):
    alone = parts.train[[0]].replace(side=["normal"], label_names=None)
    found = report(replay(alone), alone, frames=60, seeds=1)
    assert found.rows[0].recognised is None
    assert found.rows[0].diversity is None  # a single seed
    assert found.rows[0].speed == pytest.approx(1, abs=0.3)


def test_a_style_that_stands_still_has_ratios_too(parts):
    still = parts.train[[0, 1]].replace(values=[parts.train[0], parts.train[1][:1].repeat(300, axis=0)])
    found = report(replay(parts.train), still, styles=["cat"], frames=90, seeds=2, figure=parts.figure)
    assert found.rows[0].speed == np.inf
    assert "restless" in found.rows[0].remarks
    assert json.loads(found.to_json(), parse_constant=pytest.fail)["styles"][0]["speed"] is None


def test_short_recordings_will_do(parts):
    short = parts.train.replace(values=[array[:40] for array in parts.train])
    assert report(replay(short), short, frames=40, seeds=1).average.recognised > 0.99


def test_people_and_programs_can_read_it(parts, real):
    found = report(replay(parts.train), real, frames=60, seeds=2, long=120)
    told = json.loads(found.to_json())
    assert [row["style"] for row in told["styles"]] == list(STYLES)
    assert told["average"]["recognised"] == pytest.approx(each(found, "recognised").mean())
    lines = markdown(found.table()).splitlines()
    assert len(lines) == 2 + len(STYLES) + 1
    assert lines[-1].startswith("| average")
    assert len(markdown(found.lasting_table()).splitlines()) == 2 + len(STYLES)
    assert "| walker" in markdown(beside({"walker": found, "again": found}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"styles": ["nromal"]}, "nromal.*normal"),
        ({"seeds": 0}, "seeds is 0"),
        ({"opening": 1000}, "opening is 1000"),
        ({"frames": 1000}, "300 frames at most, expected 1000"),
    ],
)
def test_wrong_arguments_are_named(parts, real, change, message):
    with pytest.raises(ValueError, match=message):
        report(replay(parts.train), real, **change)


def test_frames_of_the_wrong_shape_are_refused(real):
    with pytest.raises(ValueError, match=r"shape \(7, 69\), expected \(60, 69\)"):
        report(lambda path, opening, seed: opening[:7], real, frames=60)


def test_unlabelled_or_incomplete_motion_is_no_yardstick(parts):
    with pytest.raises(ValueError, match="label for every sequence"):
        Yardstick.of(Sequences(list(parts.train)))
    holes = [array.copy() for array in parts.train]
    holes[1][3, 4] = np.nan
    with pytest.raises(ValueError, match="missing values in sequence 'cat 0'"):
        Yardstick.of(parts.train.replace(values=holes))


@pytest.mark.skipif("TSBN_DATA" not in os.environ, reason="TSBN_DATA does not name the folder with the data")
def test_ten_recorded_styles_are_told_apart_and_their_feet_stand():
    parts = datasets.load("mocap10", fps=30, moving=250, test=0)
    seen, held_out = split_by_time(parts.train, 0.8)
    found = report(replay(held_out), seen, frames=50, seeds=1, figure=parts.figure)
    assert found.average.recognised > 0.75
    assert found.average.held_out > 0.8
    assert found.average.spread == pytest.approx(1, abs=0.15)
    assert (each(found, "real_sliding") < 0.15).all()
    assert (each(found, "nearest") > 0.5).all()
