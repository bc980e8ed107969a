"""The walker's body: a person of 1.76 m, in metres, y up, facing z, in a T-pose with the left hand at +x."""

import numpy as np

from tsbn.motion.skeleton import Skeleton

THIGH, SHANK, ANKLE_HEIGHT = 0.43, 0.42, 0.085
HIP_WIDTH, HIP_DROP = 0.09, 0.03
# From the ankle: the point of the heel that meets the ground, the joint at the ball of the foot, and from
# there the tip of the toes. While a foot rolls it turns about the heel first and about the ball last.
HEEL = np.array([0.0, -ANKLE_HEIGHT, -0.05])
BALL = np.array([0.0, 0.02 - ANKLE_HEIGHT, 0.135])
TOE_TIP = np.array([0.0, -0.02, 0.07])

_LEG = (
    ("UpLeg", (HIP_WIDTH, -HIP_DROP, 0.0)),
    ("Leg", (0.0, -THIGH, 0.0)),
    ("Foot", (0.0, -SHANK, 0.0)),
    ("ToeBase", tuple(BALL)),
)
_SPINE = (
    ("LowerBack", (0.0, 0.06, -0.01)),
    ("Spine", (0.0, 0.12, -0.005)),
    ("Chest", (0.0, 0.13, -0.005)),
    ("Neck", (0.0, 0.21, -0.01)),
    ("Head", (0.0, 0.10, 0.015)),
)
_ARM = (
    ("Shoulder", (0.03, 0.15, 0.01)),
    ("Arm", (0.15, 0.01, -0.02)),
    ("ForeArm", (0.29, 0.0, 0.0)),
    ("Hand", (0.25, 0.0, 0.0)),
)


def body() -> Skeleton:
    """The 22 joints of the walker.

    >>> body().joints
    22
    """
    names, parents, offsets = ["Hips"], [-1], [(0.0, 0.0, 0.0)]

    def chain(links, parent: str, side: str = "", mirror: float = 1.0) -> None:
        for name, (x, y, z) in links:
            parents.append(names.index(parent))
            names.append(side + name)
            offsets.append((mirror * x, y, z))
            parent = side + name

    for side, mirror in (("Left", 1.0), ("Right", -1.0)):
        chain(_LEG, "Hips", side, mirror)
    chain(_SPINE, "Hips")
    for side, mirror in (("Left", 1.0), ("Right", -1.0)):
        chain(_ARM, "Chest", side, mirror)
    tips = {
        "LeftToeBase": TOE_TIP,
        "RightToeBase": TOE_TIP,
        "Head": (0.0, 0.18, 0.02),
        "LeftHand": (0.17, 0.0, 0.0),
        "RightHand": (-0.17, 0.0, 0.0),
    }
    return Skeleton(
        tuple(names),
        tuple(parents),
        np.array(offsets),
        tuple(names.index(name) for name in tips),
        np.array(list(tips.values())),
    )
