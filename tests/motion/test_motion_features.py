import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tsbn.motion import (
    Motion,
    Start,
    channel_names,
    decode,
    encode,
    positions,
    read_amc,
    read_asf,
    read_bvh,
    walker,
)
from tsbn.motion.rotations import axis_rotation, from_exp
from tsbn.motion.walker_body import body

WALK = walker("normal", frames=120, seed=4)


def again(features) -> Motion:
    return decode(
        features.array, features.skeleton, features.frame_rate, features.rotation, features.up, features.start
    )


def assert_rotations(motion: Motion) -> None:
    turned = motion.rotations @ np.swapaxes(motion.rotations, -1, -2)
    assert np.abs(turned - np.eye(3)).max() < 1e-9
    assert np.linalg.det(motion.rotations).min() > 0.999


def moved(motion: Motion, heading: float, place: np.ndarray, up: str = "Y") -> Motion:
    turn = axis_rotation(np.array(heading), up)
    rotations = motion.rotations.copy()
    rotations[:, 0] = turn @ rotations[:, 0]
    return Motion(motion.skeleton, motion.translation @ turn.T + place, rotations, motion.frame_rate)


@pytest.mark.parametrize("rotation", ["exp", "6d"])
def test_every_recording_comes_back_within_a_millimetre(cmu, rotation):
    checked = 0
    for folder, name in (("035", "35"), ("137", "137")):
        asf = read_asf(cmu / folder / f"{name}.asf")
        for path in sorted((cmu / folder).glob("*.amc")):
            motion = read_amc(asf, path)
            back = again(encode(motion, rotation))
            assert back.frames == motion.frames
            apart = np.abs(positions(back, ends=True) - positions(motion, ends=True)).max()
            assert apart * asf.metres < 1e-6, path
            checked += 1
    for path in sorted((cmu / "bvh").glob("*.bvh")):
        motion = read_bvh(path)
        apart = np.abs(positions(again(encode(motion, rotation))) - positions(motion)).max()
        assert apart < 1e-6, path
        checked += 1
    assert checked == 46


def test_place_and_heading_change_nothing_but_the_start():
    for up in ("y", "z"):
        there = np.array([3.0, 0, -7.0]) if up == "y" else np.array([3.0, -7.0, 0])
        here, other = encode(WALK, up=up), encode(moved(WALK, 2.0, there, up.upper()), up=up)
        assert np.abs(here.array - other.array).max() < 1e-9
        assert here.start != other.start


def test_without_a_start_a_motion_begins_at_the_origin_facing_forward():
    features = encode(moved(WALK, 1.0, np.array([5.0, 0, 5.0])))
    back = decode(features.array, features.skeleton, features.frame_rate)
    assert np.allclose(back.translation[0, [0, 2]], 0)
    assert encode(back).start.heading == pytest.approx(0, abs=1e-12)
    assert np.abs(encode(back).array - features.array).max() < 1e-9


def test_the_channels_are_what_their_names_say():
    """A body goes ahead at 2 m/s, drifts to its left at 1 m/s, and turns left at half a radian a second."""
    skeleton = body()
    time = np.arange(90) / 30
    heading = 0.5 * time
    rotations = np.broadcast_to(np.eye(3), (90, skeleton.joints, 3, 3)).copy()
    rotations[:, 0] = axis_rotation(heading, "Y") @ from_exp(np.array([0.1, 0, 0.2]))
    velocity = np.stack([np.cos(heading) + 2 * np.sin(heading), 0 * time, 2 * np.cos(heading) - np.sin(heading)], -1)
    translation = np.cumsum(velocity / 30, axis=0) + np.array([0, 0.9, 0])
    features = encode(Motion(skeleton, translation, rotations, 30.0))
    told = dict(zip(features.names, features.array.T, strict=True))
    expected = {
        "forward": 2,
        "sideways": 1,
        "turn": 0.5,
        "height": 0.9,
        "tilt forward": 0.1,
        "tilt sideways": 0.2,
    }
    for name, value in expected.items():
        assert np.abs(told[name] - value).max() < 1e-9, name
    assert np.abs(told["LeftLeg x"]).max() < 1e-12
    assert len(features.names) == 6 + 3 * 21


def test_speeds_do_not_depend_on_the_frame_rate():
    slow, fast = encode(walker("strong", 61, 30, seed=1)), encode(walker("strong", 241, 120, seed=1))
    # Mean speed of the same two seconds, and the same poses in every fourth row.
    assert np.allclose(slow.array[1:, :3].mean(axis=0), fast.array[1:, :3].mean(axis=0), atol=0.02)
    assert np.abs(slow.array[:, 3:] - fast.array[::4, 3:]).max() < 1e-9


@settings(deadline=None, max_examples=50)
@given(array=arrays(float, (6, 69), elements=st.floats(-1e6, 1e6)))
def test_any_array_becomes_a_valid_motion(array):
    motion = decode(array, body(), 30.0)
    assert_rotations(motion)
    assert np.isfinite(positions(motion)).all()


@settings(deadline=None, max_examples=50)
@given(array=arrays(np.float32, (4, 132), elements=st.floats(-1e3, 1e3, width=32)))
def test_any_six_dimensional_array_becomes_a_valid_motion(array):
    assert_rotations(decode(array, body(), 30.0, rotation="6d"))


def test_single_precision_is_good_enough_for_a_long_walk():
    walk = walker("graceful", frames=6000, fps=60, seed=2)
    features = encode(walk)
    back = decode(features.array.astype(np.float32), walk.skeleton, 60.0, start=features.start)
    assert np.abs(positions(back) - positions(walk)).max() < 0.01


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="rotation is 'euler', expected 'exp' or '6d'"):
        channel_names(body(), "euler")
    with pytest.raises(ValueError, match="up is 'x'"):
        encode(WALK, up="x")
    with pytest.raises(ValueError, match=r"array has shape \(5, 3\), the skeleton needs \[time, 69\]"):
        decode(np.zeros((5, 3)), body(), 30.0)
    broken = encode(WALK).array.copy()
    broken[7, 3] = np.nan
    with pytest.raises(ValueError, match="array is nan at row 7, channel 'height'"):
        decode(broken, body(), 30.0, start=Start())
    with pytest.raises(ValueError, match="1 frames, expected at least 2"):
        encode(WALK[:1])
    shifting = Motion(WALK.skeleton, WALK.translation, WALK.rotations, 30.0, np.ones((120, 22, 3)))
    with pytest.raises(ValueError, match=r"motion\.rigid\(\)"):
        encode(shifting)
