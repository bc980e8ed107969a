"""The representation models learn from, after Taylor, Hinton and Roweis (2007), and its inverse.

Joint rotations are exponential maps (or six numbers each). Of the root, place and heading are taken away:
what is left is how fast it moves forward and sideways and turns, how high it is and how it tilts.
"""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from tsbn.motion.rotations import (
    axis_rotation,
    continuous_exp,
    from_exp,
    from_six,
    nearest_rotation,
    to_exp,
    to_quaternion,
    to_six,
)
from tsbn.motion.skeleton import Motion, Skeleton

ROOT_CHANNELS = ("forward", "sideways", "turn", "height", "tilt forward", "tilt sideways")
PARTS = {"exp": ("x", "y", "z"), "6d": ("ax", "ay", "az", "bx", "by", "bz")}


@dataclass(frozen=True)
class Start:
    """What is taken away: the root's place on the ground (sideways, forward) and its heading."""

    place: tuple[float, float] = (0.0, 0.0)
    heading: float = 0.0


@dataclass(frozen=True, eq=False)
class Features:
    """A motion as an array `[time, channels]`, with all that is needed to make it a motion again.

    Row t tells the pose of frame t and the speeds (units and radians per second) that led there from frame
    t - 1; the first row repeats the second row's speeds.
    """

    array: Float[np.ndarray, "time channels"]
    names: tuple[str, ...]
    skeleton: Skeleton
    frame_rate: int | float
    rotation: str = "exp"
    up: str = "y"
    start: Start = field(default_factory=Start)


def channel_names(skeleton: Skeleton, rotation: str = "exp") -> tuple[str, ...]:
    """The names of the columns: six for the root, then three (or six) for every other joint.

    >>> arm = Skeleton(("shoulder", "elbow"), (-1, 0), np.zeros((2, 3)))
    >>> channel_names(arm)[-3:]
    ('elbow x', 'elbow y', 'elbow z')
    """
    if rotation not in PARTS:
        raise ValueError(f"rotation is {rotation!r}, expected 'exp' or '6d'")
    return ROOT_CHANNELS + tuple(f"{joint} {part}" for joint in skeleton.names[1:] for part in PARTS[rotation])


def encode(motion: Motion, rotation: str = "exp", up: str = "y") -> Features:
    """Turns a motion into features.

    rotation: "exp" for exponential maps that run on over time without jumps, "6d" for two matrix columns.
    up: the vertical axis, "y" or "z". Forward is the next axis (z after y, x after z) in the root's frame.

    >>> from tsbn.motion import walker
    >>> encode(walker(frames=90)).array.shape
    (90, 69)
    """
    if motion.shifts is not None:
        raise ValueError("motion has joints that move away from their offsets; make it rigid first: motion.rigid()")
    if motion.frames < 2:
        raise ValueError(f"motion has {motion.frames} frames, expected at least 2 to tell its speed")
    names = channel_names(motion.skeleton, rotation)
    side, vertical, forward = _axes(up)
    # The heading is the part of the root's rotation about the vertical; the rest turns about a level axis.
    quaternion = to_quaternion(motion.rotations[:, 0])
    heading = np.unwrap(2 * np.arctan2(quaternion[:, 1 + vertical], quaternion[:, 0]))
    level = np.swapaxes(axis_rotation(heading, up.upper()), -1, -2)
    tilt = continuous_exp(to_exp(level @ motion.rotations[:, 0]))
    # A step is told in the heading it ends in, so that each row can be undone on its own.
    step = np.diff(motion.translation, axis=0) * motion.frame_rate
    step = np.einsum("tij,tj->ti", level[1:], step)
    turn = np.diff(heading) * motion.frame_rate
    root = np.empty((motion.frames, len(ROOT_CHANNELS)))
    root[1:, 0], root[1:, 1], root[1:, 2] = step[:, forward], step[:, side], turn
    root[0, :3] = root[1, :3]
    root[:, 3] = motion.translation[:, vertical]
    root[:, 4], root[:, 5] = tilt[:, side], tilt[:, forward]
    joints = motion.rotations[:, 1:]
    parts = continuous_exp(to_exp(joints)) if rotation == "exp" else to_six(joints)
    array = np.concatenate([root, parts.reshape(motion.frames, -1)], axis=1)
    place = (float(motion.translation[0, side]), float(motion.translation[0, forward]))
    start = Start(place, float(heading[0]))
    return Features(array, names, motion.skeleton, motion.frame_rate, rotation, up, start)


def decode(
    array: Float[np.ndarray, "time channels"],
    skeleton: Skeleton,
    frame_rate: int | float,
    rotation: str = "exp",
    up: str = "y",
    start: Start | None = None,
) -> Motion:
    """Turns any array of finite numbers with the right columns into a motion; the inverse of `encode`.

    Without `start` the motion begins at the origin, facing forward.

    >>> from tsbn.motion import walker
    >>> features = encode(walker(frames=90))
    >>> again = decode(features.array, features.skeleton, features.frame_rate, start=features.start)
    >>> bool(np.allclose(again.translation, walker(frames=90).translation))
    True
    """
    names = channel_names(skeleton, rotation)
    array = np.asarray(array, dtype=float)
    if array.ndim != 2 or array.shape[1] != len(names):
        raise ValueError(f"array has shape {array.shape}, the skeleton needs [time, {len(names)}]")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(f"array is {array[row, column]} at row {row}, channel {names[column]!r}: expected a number")
    side, vertical, forward = _axes(up)
    start = start or Start()
    speed = array[:, :3] / frame_rate
    # The first row's speeds led to the starting place, which is given.
    speed[:1] = 0
    heading = start.heading + np.cumsum(speed[:, 2])
    turned = axis_rotation(heading, up.upper())
    step = np.zeros((len(array), 3))
    step[:, forward], step[:, side] = speed[:, 0], speed[:, 1]
    translation = np.cumsum(np.einsum("tij,tj->ti", turned, step), axis=0)
    translation[:, side] += start.place[0]
    translation[:, forward] += start.place[1]
    translation[:, vertical] = array[:, 3]
    tilt = np.zeros((len(array), 3))
    tilt[:, side], tilt[:, forward] = array[:, 4], array[:, 5]
    parts = array[:, len(ROOT_CHANNELS) :].reshape(len(array), skeleton.joints - 1, len(PARTS[rotation]))
    rotations = np.empty((len(array), skeleton.joints, 3, 3))
    rotations[:, 0] = turned @ from_exp(tilt)
    rotations[:, 1:] = from_exp(parts) if rotation == "exp" else from_six(parts)
    # Exponential maps far longer than a turn lose digits; the projection keeps every matrix a rotation.
    long = np.abs(array).max(initial=0.0) > 1e3
    return Motion(skeleton, translation, nearest_rotation(rotations) if long else rotations, frame_rate)


def _axes(up: str) -> tuple[int, int, int]:
    """Indices of the sideways, the vertical and the forward axis, a right-handed frame."""
    if up not in ("y", "z"):
        raise ValueError(f"up is {up!r}, expected 'y' or 'z'")
    vertical = "xyz".index(up)
    return (vertical + 2) % 3, vertical, (vertical + 1) % 3
