import re

import numpy as np
import pytest
from hypothesis import given, settings
from motion_strategies import motions

from tsbn.motion import Motion, Skeleton, positions


def by_hand(motion: Motion, frame: int, joint: int) -> np.ndarray:
    """One joint of one frame: up the chain of parents, turning at each."""
    place = np.zeros(3)
    while joint > 0:
        shift = 0 if motion.shifts is None else motion.shifts[frame, joint]
        parent = motion.skeleton.parents[joint]
        place = motion.rotations[frame, parent] @ (motion.skeleton.offsets[joint] + shift + place)
        joint = parent
    return place + motion.translation[frame]


@settings(deadline=None)
@given(motions(shifting=True))
def test_positions_are_those_of_climbing_each_chain(motion):
    found = positions(motion)
    for frame in range(motion.frames):
        for joint in range(motion.skeleton.joints):
            assert np.abs(found[frame, joint] - by_hand(motion, frame, joint)).max() < 1e-11


@settings(deadline=None)
@given(motions())
def test_scaling_a_motion_scales_its_positions(motion):
    assert np.allclose(positions(motion.scaled(2.5), ends=True), 2.5 * positions(motion, ends=True))


@settings(deadline=None)
@given(motions(shifting=True))
def test_a_rigid_motion_has_bones_of_constant_length(motion):
    rigid = motion.rigid()
    assert rigid.shifts is None
    places = positions(rigid)
    for joint, parent in enumerate(rigid.skeleton.parents[1:], start=1):
        lengths = np.linalg.norm(places[:, joint] - places[:, parent], axis=-1)
        assert np.allclose(lengths, np.linalg.norm(rigid.skeleton.offsets[joint]))


@pytest.mark.parametrize(
    ("names", "parents", "told"),
    [
        (("a", "b"), (-1, 1), "joint 'b' (1) has parent 1, expected 0..0"),
        (("a", "a"), (-1, 0), "joint name 'a' occurs more than once"),
        (("a", "b"), (-1,), "2 joint names but 1 parents"),
        ((), (), "needs a root"),
    ],
)
def test_an_impossible_skeleton_is_refused_in_words(names, parents, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        Skeleton(names, parents, np.zeros((len(names), 3)))


def test_a_motion_of_the_wrong_shape_is_refused():
    skeleton = Skeleton(("a",), (-1,), np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r"rotations has shape \(2, 2, 3, 3\), expected \(2, 1, 3, 3\)"):
        Motion(skeleton, np.zeros((2, 3)), np.zeros((2, 2, 3, 3)), 30)
    with pytest.raises(ValueError, match="frame_rate is 0"):
        Motion(skeleton, np.zeros((2, 3)), np.zeros((2, 1, 3, 3)), 0)


def test_differences_are_told_joint_by_joint():
    one = Skeleton(("hip", "knee", "foot"), (-1, 0, 1), np.ones((3, 3)))
    assert one.differences(one) == []
    other = Skeleton(("hip", "knee", "toe"), (-1, 0, 1), np.ones((3, 3)))
    assert one.differences(other) == ["joint 'foot' is missing", "joint 'toe' is extra"]
    other = Skeleton(("hip", "knee", "foot"), (-1, 0, 0), np.array([[1.0, 1, 1], [1, 1, 1], [1, 2, 1]]))
    assert one.differences(other) == [
        "joint 'foot' hangs from 'hip' instead of 'knee'",
        "joint 'foot' has offset (1, 2, 1) instead of (1, 1, 1)",
    ]
