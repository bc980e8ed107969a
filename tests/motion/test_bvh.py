import itertools
import os
import stat

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from motion_strategies import motions

from tsbn.motion import positions, read_bvh, write_bvh
from tsbn.motion.bvh_hierarchy import depth_first
from tsbn.motion.rotations import angle_between, axis_rotation

TRIALS = ["35_01", "35_18", "137_29"]
in_one_folder = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

TEMPLATE = """HIERARCHY
ROOT hip
{{
  OFFSET 0 0 0
  CHANNELS 6 {channels}
  End Site
  {{
    OFFSET 0 1 0
  }}
}}
MOTION
Frames: 1
Frame Time: 0.04
{values}
"""


def numbers(path) -> np.ndarray:
    """The frames of a file, read with nothing but NumPy."""
    lines = path.read_text().splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    return np.loadtxt(lines[first:], ndmin=2)


@in_one_folder
@given(motion=motions(shifting=True))
def test_a_written_motion_reads_back_as_the_same_motion(motion, tmp_path):
    path = tmp_path / "round.bvh"
    write_bvh(motion, path, overwrite=True)
    again = read_bvh(path)
    order = depth_first(motion.skeleton)
    assert again.skeleton.names == tuple(motion.skeleton.names[joint] for joint in order)
    assert again.frame_rate == pytest.approx(motion.frame_rate, rel=1e-8)
    assert np.degrees(angle_between(again.rotations, motion.rotations[:, order])).max() < 1e-4
    assert np.abs(positions(again) - positions(motion)[:, order]).max() < 1e-4
    tips, again_tips = (np.sort(positions(m, ends=True)[:, m.skeleton.joints :], axis=1) for m in (motion, again))
    assert np.abs(tips - again_tips).max(initial=0) < 1e-4


@in_one_folder
@given(motion=motions())
def test_writing_what_was_read_writes_the_same_file(motion, tmp_path):
    first, second = tmp_path / "first.bvh", tmp_path / "second.bvh"
    write_bvh(motion, first, overwrite=True)
    write_bvh(read_bvh(first), second, overwrite=True)
    assert first.read_text().split("MOTION")[0] == second.read_text().split("MOTION")[0]
    # Angles may be told in another way in gimbal lock; what they mean stays.
    assert np.abs(positions(read_bvh(first)) - positions(read_bvh(second))).max() < 1e-5


def test_the_channels_of_the_root_may_come_in_any_order(tmp_path):
    values = {
        "Xposition": 1,
        "Yposition": 2,
        "Zposition": 3,
        "Xrotation": 10,
        "Yrotation": 20,
        "Zrotation": 30,
    }
    path = tmp_path / "any.bvh"
    for channels in itertools.permutations(values):
        told = " ".join(str(values[channel]) for channel in channels)
        path.write_text(TEMPLATE.format(channels=" ".join(channels), values=told))
        motion = read_bvh(path)
        assert motion.translation.tolist() == [[1, 2, 3]]
        expected = np.eye(3)
        for channel in channels:
            if channel.endswith("rotation"):
                expected = expected @ axis_rotation(np.array(np.deg2rad(values[channel])), channel[0])
        assert np.abs(motion.rotations[0, 0] - expected).max() < 1e-14


def test_windows_line_endings_and_braces_on_the_same_line_are_fine(tmp_path):
    text = TEMPLATE.format(channels="Xposition Yposition Zposition Zrotation Yrotation Xrotation", values="1 2 3 4 5 6")
    plain, windows, compact = (tmp_path / f"{name}.bvh" for name in ("plain", "windows", "compact"))
    plain.write_text(text)
    windows.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    compact.write_text(text.replace("\n{", " {").replace("\n  {", "{").replace("\t", " "))
    for path in (windows, compact):
        assert np.array_equal(positions(read_bvh(path), ends=True), positions(read_bvh(plain), ends=True))


@pytest.mark.parametrize(("told", "rate"), [(".0083333", 120), ("0.033333", 30), ("0.041708", 1 / 0.041708)])
def test_a_cut_frame_time_means_a_whole_rate_but_film_rates_stay(tmp_path, told, rate):
    text = TEMPLATE.format(channels="Xposition Yposition Zposition Zrotation Yrotation Xrotation", values="1 2 3 4 5 6")
    path = tmp_path / "rate.bvh"
    path.write_text(text.replace("0.04", told))
    assert read_bvh(path).frame_rate == pytest.approx(rate, rel=1e-12)


def test_a_joint_that_turns_about_new_axes_gets_all_three_channels(tmp_path):
    path = tmp_path / "hinge.bvh"
    text = TEMPLATE.format(channels="Xrotation", values="10").replace("CHANNELS 6", "CHANNELS 1")
    path.write_text(text)
    motion = read_bvh(path)
    write_bvh(motion, path, overwrite=True)
    assert "Xposition Yposition Zposition Xrotation\n" in path.read_text()
    motion.rotations[:, 0] = axis_rotation(np.array(0.3), "Y") @ axis_rotation(np.array(0.5), "Z")
    write_bvh(motion, path, overwrite=True)
    assert "Xrotation Yrotation Zrotation\n" in path.read_text()
    assert np.degrees(angle_between(read_bvh(path).rotations, motion.rotations)).max() < 1e-4


def test_an_existing_file_is_not_replaced_unasked_and_no_rest_is_left(tmp_path):
    motion = read_bvh_text(tmp_path)
    path = tmp_path / "walk.bvh"
    path.write_text("precious")
    with pytest.raises(FileExistsError, match=r"walk\.bvh exists already; pass overwrite=True"):
        write_bvh(motion, path)
    assert path.read_text() == "precious"
    write_bvh(motion, path, overwrite=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one.bvh", "walk.bvh"]
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "one.bvh").stat().st_mode)


def test_a_failed_write_leaves_the_old_file_and_no_temporary_one(tmp_path, monkeypatch):
    motion = read_bvh_text(tmp_path)
    path = tmp_path / "walk.bvh"
    path.write_text("precious")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_bvh(motion, path, overwrite=True)
    assert path.read_text() == "precious"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one.bvh", "walk.bvh"]


def read_bvh_text(folder):
    path = folder / "one.bvh"
    path.write_text(
        TEMPLATE.format(channels="Xposition Yposition Zposition Zrotation Yrotation Xrotation", values="1 2 3 4 5 6")
    )
    return read_bvh(path)


@pytest.mark.parametrize("trial", TRIALS)
def test_a_recording_goes_through_us_unchanged(cmu, tmp_path, trial):
    source = cmu / "bvh" / f"{trial}.bvh"
    copy = tmp_path / "copy.bvh"
    motion = read_bvh(source)
    write_bvh(motion, copy)
    assert np.abs(numbers(source) - numbers(copy)).max() < 1e-4
    again = read_bvh(copy)
    assert again.skeleton.names == motion.skeleton.names
    assert np.abs(again.skeleton.offsets - motion.skeleton.offsets).max() < 1e-4
    assert again.skeleton.orders == motion.skeleton.orders
    assert again.frame_rate == motion.frame_rate == 120


@pytest.mark.parametrize("trial", TRIALS)
def test_positions_agree_with_another_library(cmu, trial):
    pybvh = pytest.importorskip("pybvh")
    source = cmu / "bvh" / f"{trial}.bvh"
    theirs = pybvh.read_bvh_file(source, world_up="+y").joint_positions()
    assert np.abs(positions(read_bvh(source)) - theirs).max() < 1e-6
