"""A procedural human that walks in ten styles: data for demonstrations and tests that needs no download."""

import numpy as np
from jaxtyping import Float

from tsbn.motion.rotations import axis_rotation
from tsbn.motion.skeleton import Motion
from tsbn.motion.walker_body import ANKLE_HEIGHT, HIP_DROP, HIP_WIDTH, SHANK, THIGH, body
from tsbn.motion.walker_gait import Foot, Gait, Wobble, plan
from tsbn.motion.walker_styles import STYLES, Style, individual

Times = Float[np.ndarray, " time"]
Turns = Float[np.ndarray, "time 3 3"]
# A leg never quite straightens, and the height of the hips bends this many metres before it would have to.
LONGEST_LEG = 0.988 * (THIGH + SHANK)
HEIGHT_BLEND = 0.006


def walker(style: str = "normal", frames: int = 600, fps: int | float = 30, seed: int = 0) -> Motion:
    """A walk of any length; the same style and seed give the same walk at every frame rate.

    >>> walk = walker("old man", frames=60, fps=30, seed=1)
    >>> walk.rotations.shape
    (60, 22, 3, 3)
    """
    if style not in STYLES:
        raise ValueError(f"style is {style!r}, expected one of {', '.join(STYLES)}")
    if frames < 1:
        raise ValueError(f"frames is {frames}, expected at least 1")
    if not (np.isfinite(fps) and fps > 0):
        raise ValueError(f"fps is {fps}, expected a positive number of frames per second")
    rng = np.random.default_rng([seed, list(STYLES).index(style)])
    person = individual(STYLES[style], rng)
    times = np.arange(frames) / fps
    gait = plan(person, times, rng)
    pose = _Pose(person, gait, times, rng)
    skeleton = body()
    rotations = np.empty((frames, skeleton.joints, 3, 3))
    rotations[:, 0] = pose.pelvis
    translation = _hips(person, gait, pose)
    for name, turn in pose.upper_body().items():
        rotations[:, skeleton.names.index(name)] = turn
    for side, name, foot in ((1.0, "Left", gait.feet[0]), (-1.0, "Right", gait.feet[1])):
        hip = translation + pose.pelvis @ np.array([side * HIP_WIDTH, -HIP_DROP, 0.0])
        for part, turn in _leg(person, side, hip, pose, foot).items():
            rotations[:, skeleton.names.index(name + part)] = turn
    return Motion(skeleton, translation, rotations, float(fps))


class _Pose:
    """Pelvis and upper body, waves that keep time with the steps."""

    def __init__(self, style: Style, gait: Gait, times: Times, rng: np.random.Generator):
        self.style = style
        self.wobbles = {
            name: style.unsteady * Wobble(rng, 0.12, 0.8)(times)
            for name in ("lean", "side", "turn", "nod", "look", "left", "right", "sway", "height")
        }
        # With a limp the right foot is late: bent so that its strike is at one half again.
        self.phase = gait.phase - style.asymmetry * np.sin(np.pi * gait.phase) ** 2
        self.place, self.heading = gait.path(gait.distance)
        stand = self.wave(0.5 * style.stance)
        pelvis_turn = self.heading - np.deg2rad(style.pelvis_turn) * self.wave(0.0)
        pelvis_list = np.deg2rad(style.pelvis_list) * stand
        self.pelvis = (
            axis_rotation(pelvis_turn, "Y")
            @ axis_rotation(pelvis_list, "Z")
            @ axis_rotation(np.full_like(times, np.deg2rad(style.pelvis_tilt)), "X")
        )
        self.sway = style.sway * stand + 0.012 * self.wobbles["sway"]

    def wave(self, peak: float, per_stride: int = 1) -> Times:
        """A cosine of the stride that peaks `peak` of a stride after the left foot's strike."""
        return np.cos(2 * np.pi * per_stride * (self.phase - peak))

    def upper_body(self) -> dict[str, Turns]:
        style, wobbles = self.style, self.wobbles
        lean = style.lean - style.pelvis_tilt + 1.5 * wobbles["lean"]
        hunch = style.hunch
        bend = -(style.pelvis_list + style.side_bend) * self.wave(0.5 * style.stance) + 2 * wobbles["side"]
        twist = (style.pelvis_turn + style.shoulder_turn) * self.wave(0.02) + 2 * wobbles["turn"]
        nod = style.head_bob * self.wave(0.1, per_stride=2) + 2 * wobbles["nod"]
        turns = {
            "LowerBack": _turn(0.4 * lean, 0.3 * twist, 0.4 * bend),
            "Spine": _turn(0.35 * lean + 0.3 * hunch, 0.35 * twist, 0.35 * bend),
            "Chest": _turn(0.25 * lean + 0.45 * hunch, 0.35 * twist, 0.25 * bend),
        }
        pitch = style.lean + 0.75 * hunch + 1.5 * wobbles["lean"]
        # The head makes up for the body's lean, sway and twist: people look where they go.
        level = -0.6 * pitch + style.head_down
        away = style.shoulder_turn * self.wave(0.02) + 2 * wobbles["turn"]
        look = -0.5 * away + 3 * wobbles["look"]
        turns["Neck"] = _turn(0.25 * hunch + 0.4 * level + 0.5 * nod, 0.5 * look, -0.4 * bend)
        turns["Head"] = _turn(-0.25 * hunch + 0.6 * level - nod, 0.5 * look, -0.3 * bend)
        for side, name in ((1.0, "Left"), (-1.0, "Right")):
            turns |= {name + part: turn for part, turn in self._arm(side, pitch, wobbles[name.lower()]).items()}
        return turns

    def _arm(self, side: float, pitch: Times, wobble: Times) -> dict[str, Turns]:
        """An arm swings back as the foot of its side strikes; the elbow bends most when it is in front."""
        style = self.style
        opposite = 0.5 if side > 0 else 0.0
        swing = self.wave(opposite + style.arm_lag)
        # Gravity pulls the arm down whatever the chest does, but not all the way.
        forward = style.arm_forward + style.arm_swing * swing + 0.9 * pitch + 4 * wobble
        follow = self.wave(opposite + style.arm_lag + 0.06)
        elbow = np.clip(style.elbow + style.elbow_swing * follow + 3 * wobble, 3, 140)
        down = side * (90 - style.arm_out - 2.5 * np.abs(wobble))
        still = np.zeros_like(forward)
        hang = axis_rotation(np.deg2rad(-forward), "X") @ axis_rotation(np.deg2rad(-down), "Z")
        rolled = axis_rotation(np.full_like(still, np.deg2rad(style.arm_twist)), "X")
        palm = axis_rotation(np.full_like(still, np.deg2rad(style.palm_down)), "X")
        return {
            "Shoulder": _turn(still, -side * 0.12 * style.arm_swing * swing, still + side * style.shoulders_up),
            "Arm": hang @ rolled,
            "ForeArm": axis_rotation(np.deg2rad(-side * elbow), "Y") @ palm,
            "Hand": _turn(still, still, -side * (style.wrist + 4 * wobble)),
        }


def _hips(style: Style, gait: Gait, pose: _Pose) -> Float[np.ndarray, "time 3"]:
    """Over the path, swaying to the standing foot, as high as posture asks and both legs allow."""
    left = np.stack([np.cos(pose.heading), -np.sin(pose.heading)], axis=-1)
    ground = pose.place + pose.sway[:, None] * left
    asked = (1 - style.crouch) * (THIGH + SHANK) + HIP_DROP + ANKLE_HEIGHT
    asked = asked + style.bounce * pose.wave(0.5 * style.stance, per_stride=2) + 0.004 * pose.wobbles["height"]
    heights = [asked]
    for side, foot in zip((1.0, -1.0), gait.feet, strict=True):
        hip = pose.pelvis @ np.array([side * HIP_WIDTH, -HIP_DROP, 0.0])
        apart = ground + hip[:, [0, 2]] - foot.ankle[:, [0, 2]]
        reach = np.clip(LONGEST_LEG**2 - np.sum(apart**2, axis=-1), 0, None)
        heights.append(foot.ankle[:, 1] + np.sqrt(reach) - hip[:, 1])
    # A soft minimum: never higher than the lowest of the three, and no corner where they cross.
    stacked = np.stack(heights)
    lowest = stacked.min(axis=0)
    height = lowest - HEIGHT_BLEND * np.log(np.exp((lowest - stacked) / HEIGHT_BLEND).sum(axis=0))
    return np.stack([ground[:, 0], height, ground[:, 1]], axis=-1)


def _leg(style: Style, side: float, hip: Float[np.ndarray, "time 3"], pose: _Pose, foot: Foot) -> dict[str, Turns]:
    """Two bones from the hip to the ankle, with the knee bent forward; then the foot and its toes."""
    line = foot.ankle - hip
    length = np.linalg.norm(line, axis=-1, keepdims=True)
    line = line / length
    length = np.minimum(length, THIGH + SHANK - 1e-6)
    ahead = 0.5 * (pose.heading + foot.heading) + side * np.deg2rad(style.knees_out)
    front = np.stack([np.sin(ahead), np.zeros_like(ahead), np.cos(ahead)], axis=-1)
    hinge = np.cross(front, line)
    hinge /= np.linalg.norm(hinge, axis=-1, keepdims=True)
    cosine = (THIGH**2 + length**2 - SHANK**2) / (2 * THIGH * length)
    thigh = cosine * line + np.sqrt(1 - cosine**2) * np.cross(line, hinge)
    shank = (length * line - THIGH * thigh) / SHANK
    upper, lower = _bone(hinge, thigh), _bone(hinge, shank)
    sole = axis_rotation(foot.heading, "Y") @ axis_rotation(-foot.pitch, "X")
    return {
        "UpLeg": np.swapaxes(pose.pelvis, -1, -2) @ upper,
        "Leg": np.swapaxes(upper, -1, -2) @ lower,
        "Foot": np.swapaxes(lower, -1, -2) @ sole,
        "ToeBase": axis_rotation(-foot.toes, "X"),
    }


def _bone(hinge: Float[np.ndarray, "time 3"], along: Float[np.ndarray, "time 3"]) -> Turns:
    """The rotation that takes x to the hinge and down to the bone."""
    return np.stack([hinge, -along, np.cross(hinge, -along)], axis=-1)


def _turn(pitch: Times, yaw: Times, roll: Times) -> Turns:
    """Forward about x, to the left about y, over about z; degrees."""
    x, y, z = (np.deg2rad(angle) for angle in (pitch, yaw, roll))
    return axis_rotation(y, "Y") @ axis_rotation(x, "X") @ axis_rotation(z, "Z")
