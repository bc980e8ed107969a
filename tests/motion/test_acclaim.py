from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from motion_strategies import acclaim

from tsbn.motion import positions, read_amc, read_asf, read_bvh, write_amc, write_asf
from tsbn.motion.amc import by_line, by_stride, channels
from tsbn.motion.rotations import angle_between

in_one_folder = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SAME_TRIALS = [("35_01", "035/35"), ("35_18", "035/35"), ("137_29", "137/137")]
# The converter to BVH lost the lengths of thorax and wrists: what hangs from them starts where they start.
LOST_IN_BVH = ["lowerneck", "lclavicle", "rclavicle", "lhand", "lthumb", "rhand", "rthumb"]


@in_one_folder
@given(both=acclaim())
def test_a_written_skeleton_and_motion_read_back_the_same(both, tmp_path):
    asf, motion = both
    write_asf(asf, tmp_path / "round.asf", overwrite=True)
    write_amc(motion, asf, tmp_path / "round.amc", overwrite=True)
    read = read_asf(tmp_path / "round.asf")
    again = read_amc(read, tmp_path / "round.amc")
    assert again.skeleton.differences(motion.skeleton, tolerance=1e-9) == []
    assert np.degrees(angle_between(again.rotations, motion.rotations)).max() < 1e-4
    assert np.abs(positions(again, ends=True) - positions(motion, ends=True)).max() < 1e-6
    for name, bone in asf.bones.items():
        assert read.bones[name].dof == bone.dof
        assert np.allclose(read.bones[name].limits, bone.limits)


@in_one_folder
@given(both=acclaim())
def test_both_ways_of_reading_frames_agree(both, tmp_path):
    asf, motion = both
    path = tmp_path / "round.amc"
    write_amc(motion, asf, path, overwrite=True)
    body = path.read_bytes().partition(b":DEGREES\n")[2]
    strided, listed = by_stride(body, channels(asf)), by_line(body, channels(asf), path, 3)
    assert strided is not None
    assert strided.keys() == listed.keys()
    assert all(np.array_equal(strided[name], listed[name]) for name in listed)


def test_frames_may_list_their_bones_in_changing_order(cmu, tmp_path):
    text = (cmu / "035" / "35_18.amc").read_text()
    swapped = tmp_path / "swapped.amc"
    lines = text.splitlines()
    spot = next(n for n, line in enumerate(lines) if n > 500 and line.startswith("ltibia"))
    assert lines[spot + 1].startswith("lfoot")
    lines[spot], lines[spot + 1] = lines[spot + 1], lines[spot]
    swapped.write_text("\r\n".join(lines))
    asf = read_asf(cmu / "035" / "35.asf")
    assert by_stride("\n".join(lines[3:]).encode(), channels(asf)) is None
    plain = read_amc(asf, cmu / "035" / "35_18.amc")
    assert np.array_equal(read_amc(asf, swapped).rotations, plain.rotations)


def test_a_turn_that_the_bone_cannot_make_is_refused(cmu, tmp_path):
    asf = read_asf(cmu / "035" / "35.asf")
    motion = read_amc(asf, cmu / "035" / "35_18.amc")
    knee = motion.skeleton.names.index("ltibia")
    motion.rotations[:, knee] = motion.rotations[:, knee] @ motion.rotations[:, 0]
    with pytest.raises(ValueError, match="joint 'ltibia' turns about an axis that its bone lacks: dof is 'X'"):
        write_amc(motion, asf, tmp_path / "wrong.amc")
    assert list(tmp_path.iterdir()) == []


def test_the_skeleton_is_the_one_in_the_file(cmu):
    asf = read_asf(cmu / "035" / "35.asf")
    skeleton = asf.skeleton
    assert skeleton.joints == 31
    assert asf.bones["lfemur"].dof == "XYZ"
    assert asf.bones["lfemur"].limits.tolist() == [[-160, 20], [-70, 70], [-60, 70]]
    assert sum(channels(asf).values()) == 62
    assert asf.metres == pytest.approx(0.0254 / 0.45)
    # A grown man: from 1.5 m to 2 m when he stands upright.
    walk = positions(read_amc(asf, cmu / "035" / "35_01.amc"), ends=True)[:, :, 1] * asf.metres
    assert 1.5 < np.median(walk.max(axis=1) - walk.min(axis=1)) < 2.0


@pytest.mark.parametrize(("trial", "asf"), SAME_TRIALS)
def test_acclaim_and_bvh_of_a_trial_show_the_same_motion(cmu, trial, asf):
    acclaim_motion = read_amc(cmu / f"{asf}.asf", cmu / asf.split("/")[0] / f"{trial}.amc")
    # The BVH's frame 0 is a T-pose that the converter added; both are in the same unit.
    bvh_motion = read_bvh(cmu / "bvh" / f"{trial}.bvh")[1:]
    ours, theirs = acclaim_motion.skeleton, bvh_motion.skeleton
    assert bvh_motion.frames == acclaim_motion.frames
    assert ours.parents == theirs.parents
    differing = np.flatnonzero(np.abs(ours.offsets - theirs.offsets).max(axis=1) > 1e-4)
    assert [ours.names[joint] for joint in differing] == [name for name in ours.names if name in LOST_IN_BVH]
    assert not theirs.offsets[differing].any()
    apart = np.linalg.norm(positions(acclaim_motion) - positions(bvh_motion), axis=-1).max(axis=0)
    hips_legs_and_back = [n for n, name in enumerate(ours.names) if n < ours.names.index("lowerneck")]
    assert apart[hips_legs_and_back].max() < 2e-4
    # With the three bones back in place, every joint and every tip is the same to the BVH's last digit.
    mended = replace(
        bvh_motion,
        skeleton=replace(
            theirs, offsets=np.where(np.isin(np.arange(31), differing)[:, None], ours.offsets, theirs.offsets)
        ),
    )
    assert np.abs(positions(acclaim_motion, ends=True) - positions(mended, ends=True)).max() < 2e-4
