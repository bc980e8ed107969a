import numpy as np
import pytest
from scenes import turned

from tsbn.motion import positions, walker
from tsbn.styles import hold, parse
from tsbn.view import take
from tsbn.view.takes import CENTRE, LEFT, RIGHT, _side


def test_a_motion_and_its_positions_look_the_same():
    motion = walker("cat", frames=30)
    parents = (*motion.skeleton.parents, *motion.skeleton.end_parents)
    a, b = take(motion), take(positions(motion, ends=True), parents=parents, frame_rate=motion.frame_rate)
    assert (a.places == b.places).all()
    assert (a.bones == b.bones).all()


def test_the_axis_that_points_up_makes_no_difference():
    motion = walker("cat", frames=30)
    settings = {"parents": motion.skeleton.parents, "frame_rate": 30}
    upright, lying = take(positions(motion), **settings), take(turned(motion), up="z", **settings)
    assert upright.places == pytest.approx(lying.places)


def test_the_unit_of_length_makes_no_difference():
    motion = walker("drunk", frames=30)
    assert take(motion).places == pytest.approx(take(motion.scaled(39.37)).places)


def test_a_body_is_about_one_high_and_stands_on_the_ground_however_it_stoops():
    for style in ("normal", "old man", "dinosaur"):
        places = take(walker(style, frames=60)).places
        assert 0.8 < places[..., 1].max() < 1.1
        assert abs(places[..., 1].min(axis=1)).max() < 0.02


def test_the_camera_follows_without_shaking():
    one = take(walker("drunk", frames=200))
    centres = one.centres()
    assert np.linalg.norm((centres - one.places.mean(axis=1))[:, [0, 2]], axis=1).max() < 0.25
    shake = np.abs(np.diff(centres, n=2, axis=0)).max()
    assert shake < 0.2 * np.abs(np.diff(one.places.mean(axis=1), n=2, axis=0)).max()


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_the_shortest_motions_can_be_shown(frames):
    assert take(walker(frames=frames)).centres().shape == (frames, 3)


def test_one_point_without_bones_can_be_shown():
    assert take(np.zeros((4, 1, 3)), parents=[-1], frame_rate=30).bones.shape == (0, 2)


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("LeftArm", LEFT),
        ("rfemur", RIGHT),
        ("lhumerus end", LEFT),
        ("R_Arm", RIGHT),
        ("Arm.L", LEFT),
        ("right hand", RIGHT),
        ("lowerback", CENTRE),
        ("root", CENTRE),
        ("head", CENTRE),
    ],
)
def test_names_tell_the_side_of_the_body(name, side):
    assert _side(name) == side


def test_styles_may_be_a_name_a_path_or_an_array():
    motion = walker(frames=40)
    path = parse("cat:20 | drunk:20")
    assert take(motion, styles="cat").labels == ("cat",)
    by_path = take(motion, styles=path)
    by_array = take(motion, styles=path.side(["cat", "drunk"]), labels=["cat", "drunk"])
    assert by_path.labels == by_array.labels
    assert (by_path.side == by_array.side).all()


@pytest.mark.parametrize(
    ("settings", "error", "problem"),
    [
        ({}, TypeError, "need parents"),
        ({"parents": [-1, 0]}, TypeError, "frame_rate"),
        ({"parents": [-1, 0], "frame_rate": 30}, ValueError, r"shape \(5, 3, 3\), expected \[time, 2, 3\]"),
        ({"parents": [-1, 0, 7], "frame_rate": 30}, ValueError, "parent of point 2 is 7"),
        ({"parents": [-1, 0, 1], "frame_rate": 0}, ValueError, "frame_rate is 0"),
        ({"parents": [-1, 0, 1], "frame_rate": 30, "up": "x"}, ValueError, "up is 'x'"),
        ({"parents": [-1, 0, 1], "frame_rate": 30, "names": ["a"]}, ValueError, "1 names for 3 points"),
        ({"parents": [-1, 0, 1], "frame_rate": 30, "styles": hold("cat", 4)}, ValueError, r"expected \[5, 1\]"),
        ({"parents": [-1, 0, 1], "frame_rate": 30, "styles": -np.ones((5, 1))}, ValueError, "negative"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_reason(settings, error, problem):
    with pytest.raises(error, match=problem):
        take(np.random.default_rng(0).normal(size=(5, 3, 3)), **settings)


def test_a_place_that_is_not_a_number_is_named():
    places = np.random.default_rng(0).normal(size=(5, 2, 3))
    places[3, 1] = np.nan
    with pytest.raises(ValueError, match="frame 3, point 1 'tip'"):
        take(places, parents=[-1, 0], names=["root", "tip"], frame_rate=30)
