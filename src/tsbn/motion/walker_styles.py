"""Ten ways to walk, each a handful of numbers, and how much one walker differs from the next."""

from dataclasses import dataclass, fields, replace

import numpy as np


@dataclass(frozen=True)
class Style:
    """How somebody walks, in metres, degrees and seconds; the defaults are an ordinary walk.

    Steps: `stride` is two steps long and takes `period`, of which a foot is on the ground the share `stance`.
    Noise: `unsteady` scales every random wobble, `wander` how far the path bends left and right.
    """

    stride: float = 1.36
    period: float = 1.08
    stance: float = 0.62
    width: float = 0.13
    toe_out: float = 7.0
    lift: float = 0.05
    heel_strike: float = 20.0
    push_off: float = 48.0
    crouch: float = 0.02
    bounce: float = 0.01
    sway: float = 0.02
    asymmetry: float = 0.0
    knees_out: float = 4.0

    pelvis_tilt: float = 4.0
    pelvis_turn: float = 6.0
    pelvis_list: float = 4.0
    lean: float = 3.0
    hunch: float = 4.0
    side_bend: float = 2.0
    shoulder_turn: float = 5.0
    shoulders_up: float = 0.0
    head_down: float = 2.0
    head_bob: float = 1.0

    arm_swing: float = 24.0
    arm_lag: float = 0.03
    arm_forward: float = -2.0
    arm_out: float = 9.0
    arm_twist: float = 10.0
    elbow: float = 18.0
    elbow_swing: float = 14.0
    palm_down: float = 20.0
    wrist: float = 8.0

    unsteady: float = 0.3
    wander: float = 6.0


STYLES: dict[str, Style] = {
    "cat": Style(
        stride=1.05, period=1.75, stance=0.64, width=0.03, toe_out=-2.0, lift=0.15, heel_strike=-14.0,
        push_off=34.0, crouch=0.14, bounce=0.005, sway=0.03, pelvis_turn=11.0, pelvis_list=5.0, lean=22.0,
        hunch=16.0, head_down=-6.0, pelvis_tilt=10.0, shoulder_turn=12.0, arm_swing=20.0,
        arm_forward=26.0, arm_out=8.0, elbow=72.0, elbow_swing=18.0, palm_down=80.0, wrist=55.0,
        arm_lag=0.0, unsteady=0.25,
    ),
    "chicken": Style(
        stride=0.8, period=0.86, stance=0.58, width=0.17, toe_out=22.0, lift=0.16, heel_strike=8.0,
        push_off=30.0, crouch=0.09, bounce=0.025, sway=0.02, knees_out=18.0, pelvis_tilt=16.0, lean=14.0,
        hunch=-14.0, head_down=-8.0, head_bob=14.0, shoulder_turn=1.0, arm_swing=5.0, arm_out=52.0,
        arm_forward=-16.0, arm_twist=70.0, elbow=116.0, elbow_swing=8.0, shoulders_up=10.0, wrist=20.0,
        unsteady=0.35, wander=10.0,
    ),
    "dinosaur": Style(
        stride=1.3, period=1.6, stance=0.6, width=0.3, toe_out=14.0, lift=0.2, heel_strike=-4.0,
        push_off=26.0, crouch=0.13, bounce=0.035, sway=0.07, knees_out=14.0, pelvis_tilt=14.0,
        pelvis_list=6.0, lean=20.0, hunch=6.0, side_bend=6.0, head_down=-10.0, head_bob=6.0,
        shoulder_turn=8.0, arm_swing=4.0, arm_forward=12.0, arm_out=4.0, arm_twist=5.0, elbow=92.0,
        elbow_swing=6.0, palm_down=80.0, wrist=65.0, unsteady=0.3,
    ),
    "drunk": Style(
        stride=0.95, period=1.32, stance=0.66, width=0.24, toe_out=16.0, lift=0.05, heel_strike=8.0,
        push_off=28.0, crouch=0.05, bounce=0.015, sway=0.06, asymmetry=0.05, pelvis_list=6.0, lean=6.0,
        hunch=12.0, side_bend=7.0, head_down=14.0, arm_swing=15.0, arm_out=24.0, elbow=26.0,
        elbow_swing=10.0, wrist=20.0, arm_lag=0.1, unsteady=2.6, wander=30.0,
    ),
    "gangly": Style(
        stride=1.55, period=1.2, stance=0.59, width=0.14, toe_out=12.0, lift=0.1, heel_strike=26.0,
        push_off=58.0, crouch=0.03, bounce=0.04, sway=0.035, pelvis_turn=11.0, pelvis_list=7.0, lean=5.0,
        hunch=12.0, side_bend=5.0, shoulder_turn=14.0, head_down=0.0, head_bob=6.0, arm_swing=48.0,
        arm_lag=0.09, arm_out=14.0, elbow=22.0, elbow_swing=34.0, wrist=26.0, knees_out=9.0, unsteady=0.8,
    ),
    "graceful": Style(
        stride=1.28, period=1.22, stance=0.61, width=0.06, toe_out=13.0, lift=0.07, heel_strike=2.0,
        push_off=56.0, crouch=0.015, bounce=0.012, sway=0.022, pelvis_turn=8.0, pelvis_tilt=1.0,
        lean=-2.0, hunch=-9.0, side_bend=3.0, shoulder_turn=6.0, head_down=-7.0, arm_swing=20.0,
        arm_lag=0.12, arm_forward=5.0, arm_out=36.0, arm_twist=-5.0, elbow=24.0, elbow_swing=14.0,
        palm_down=50.0, wrist=-18.0, unsteady=0.15, wander=9.0,
    ),
    "normal": Style(),
    "old man": Style(
        stride=0.62, period=1.3, stance=0.71, width=0.17, toe_out=13.0, lift=0.008, heel_strike=6.0,
        push_off=20.0, crouch=0.07, bounce=0.004, sway=0.03, asymmetry=0.045, pelvis_turn=3.0,
        pelvis_list=2.0, pelvis_tilt=8.0, lean=26.0, hunch=38.0, shoulder_turn=2.0, shoulders_up=8.0,
        head_down=-6.0, arm_swing=7.0, arm_forward=4.0, arm_out=10.0, elbow=46.0, elbow_swing=6.0,
        wrist=16.0, knees_out=8.0, unsteady=0.55, wander=5.0,
    ),
    "sexy": Style(
        stride=1.26, period=1.14, stance=0.62, width=-0.02, toe_out=4.0, lift=0.055, heel_strike=12.0,
        push_off=54.0, crouch=0.015, bounce=0.012, sway=0.05, pelvis_turn=15.0, pelvis_list=12.0,
        pelvis_tilt=11.0, lean=-3.0, hunch=-12.0, side_bend=9.0, shoulder_turn=11.0, head_down=-3.0,
        arm_swing=23.0, arm_lag=0.07, arm_forward=-6.0, arm_out=17.0, arm_twist=25.0, elbow=22.0,
        elbow_swing=12.0, wrist=-22.0, unsteady=0.2,
    ),
    "strong": Style(
        stride=1.42, period=1.2, stance=0.62, width=0.27, toe_out=15.0, lift=0.06, heel_strike=20.0,
        push_off=42.0, crouch=0.035, bounce=0.018, sway=0.05, pelvis_turn=4.0, pelvis_list=3.0, lean=1.0,
        hunch=-10.0, side_bend=5.0, shoulder_turn=14.0, shoulders_up=5.0, head_down=-4.0, arm_swing=21.0,
        arm_forward=2.0, arm_out=34.0, arm_twist=30.0, elbow=44.0, elbow_swing=10.0, wrist=26.0,
        knees_out=9.0, unsteady=0.2,
    ),
}  # fmt: skip

# The spread from walker to walker: a share of each size, and a few degrees of posture.
_SHARES = {"stride": 0.05, "period": 0.04, "lift": 0.1, "sway": 0.15, "arm_swing": 0.12, "elbow_swing": 0.15}
_DEGREES = {"lean": 1.2, "hunch": 1.5, "head_down": 2.0, "arm_out": 1.5, "elbow": 3.0, "toe_out": 1.5}


def individual(style: Style, rng: np.random.Generator) -> Style:
    """One person's version of a style.

    >>> individual(STYLES["normal"], np.random.default_rng(0)).stride != STYLES["normal"].stride
    True
    """
    # Clipped: nobody is so far out that their legs no longer reach the ground.
    spread = {field.name: float(np.clip(rng.standard_normal(), -2, 2)) for field in fields(style)}
    sizes = {name: getattr(style, name) * (1 + share * spread[name]) for name, share in _SHARES.items()}
    angles = {name: getattr(style, name) + degrees * spread[name] for name, degrees in _DEGREES.items()}
    return replace(style, **sizes, **angles)
