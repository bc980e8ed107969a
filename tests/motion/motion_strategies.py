"""Skeletons and motions that hypothesis makes up."""

import numpy as np
from hypothesis import strategies as st

from tsbn.motion import Asf, Bone, Motion, Skeleton
from tsbn.motion.rotations import EULER_ORDERS, from_euler, full_order

ORDERS = [*EULER_ORDERS, "", "X", "Y", "Z", "XY", "YX", "XZ", "ZX", "YZ", "ZY"]


@st.composite
def skeletons(draw) -> Skeleton:
    joints = draw(st.integers(1, 8))
    parents = [-1] + [draw(st.integers(0, joint - 1)) for joint in range(1, joints)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    ends = draw(st.lists(st.integers(0, joints - 1), max_size=4))
    return Skeleton(
        tuple(f"joint {n}" for n in range(joints)),
        tuple(parents),
        rng.normal(size=(joints, 3)).round(6),
        tuple(ends),
        rng.normal(size=(len(ends), 3)).round(6),
        tuple(draw(st.sampled_from(ORDERS)) for _ in range(joints)),
    )


@st.composite
def motions(draw, shifting: bool = False) -> Motion:
    """Every joint turns only as its rotation order allows, anywhere, gimbal lock included."""
    skeleton = draw(skeletons())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    frames = draw(st.integers(1, 5))
    widest = draw(st.sampled_from([0.0, 0.1, 1.0, 4.0]))
    angles = rng.uniform(-widest, widest, size=(frames, skeleton.joints, 3))
    if draw(st.booleans()):
        angles = np.round(angles / (np.pi / 2)) * (np.pi / 2)
    rotations = np.empty((frames, skeleton.joints, 3, 3))
    for joint, order in enumerate(skeleton.orders):
        angles[:, joint, len(order) :] = 0
        rotations[:, joint] = from_euler(angles[:, joint], full_order(order))
    rate = draw(st.sampled_from([24.0, 23.976, 30.0, 59.94, 120.0]))
    shifts = None
    if shifting and draw(st.booleans()):
        shifts = rng.normal(size=(frames, skeleton.joints, 3))
        shifts[:, 0] = 0
    return Motion(skeleton, rng.normal(size=(frames, 3)) * 10, rotations, rate, shifts)


@st.composite
def acclaim(draw) -> tuple[Asf, Motion]:
    """An ASF with any axes, dofs and root, and a motion within its dofs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    bones = {
        f"bone{n}": Bone(
            f"bone{n}",
            rng.normal(size=3),
            float(rng.uniform(0.1, 5)),
            rng.uniform(-3, 3, size=3),
            draw(st.sampled_from(EULER_ORDERS)),
            draw(st.sampled_from(["", "X", "Z", "XZ", "YX", "XYZ", "ZYX", "YZX"])),
        )
        for n in range(draw(st.integers(1, 6)))
    }
    for bone in bones.values():
        bone.limits = np.sort(rng.uniform(-180, 180, size=(len(bone.dof), 2)))
    parents = {name: draw(st.sampled_from(["root", *list(bones)[:n]])) for n, name in enumerate(bones)}
    order = tuple(draw(st.permutations(["TX", "TY", "TZ", "RX", "RY", "RZ"])))
    axis = draw(st.sampled_from([order for order in EULER_ORDERS if len(set(order)) == 3]))
    degrees = draw(st.booleans())
    asf = Asf(bones, parents, 0.45, degrees, order, axis, rng.normal(size=3), rng.uniform(-3, 3, size=3))
    frames = draw(st.integers(1, 4))
    joints = asf.skeleton.joints
    rotations = np.empty((frames, joints, 3, 3))
    rotations[:, 0] = from_euler(rng.uniform(-3, 3, size=(frames, 3)), "XYZ")
    for joint, name in enumerate(asf.skeleton.names[1:], start=1):
        bone = bones[name]
        angles = rng.uniform(-3, 3, size=(frames, 3))
        angles[:, len(bone.dof) :] = 0
        turn = from_euler(angles, full_order(bone.dof[::-1]))
        rotations[:, joint] = bone.frame @ turn @ bone.frame.T
    return asf, Motion(asf.skeleton, rng.normal(size=(frames, 3)), rotations, 120.0)
