"""Where the walker's feet are: footsteps planned on a curved path, each foot's roll and its swing."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from tsbn.motion.rotations import axis_rotation
from tsbn.motion.walker_body import ANKLE_HEIGHT, BALL, HEEL, TOE_TIP
from tsbn.motion.walker_styles import Style

Times = Float[np.ndarray, " time"]
# Shares of the time on the ground: the sole is flat from the first to the second, and the hips pass over the
# ankle at the third.
FLAT, RISE, PASS = 0.16, 0.5, 0.42
# The share of the swing after which the foot is level, and how far it then keeps off the ground.
LEVEL, CLEARANCE = 0.65, 0.03
GRID_SECONDS, GRID_METRES = 0.005, 0.01


class Wobble:
    """A smooth random function of time with unit variance: the same for every frame rate and length."""

    def __init__(self, rng: np.random.Generator, slowest: float, fastest: float, waves: int = 6):
        self.frequency = 2 * np.pi * np.exp(rng.uniform(np.log(slowest), np.log(fastest), waves))
        self.phase = rng.uniform(0, 2 * np.pi, waves)
        self.scale = np.sqrt(2 / waves)

    def __call__(self, at: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
        return self.scale * np.sin(np.asarray(at)[..., None] * self.frequency + self.phase).sum(axis=-1)


class Foot(NamedTuple):
    """One foot over time: ankle `[time, 3]`, heading and pitch (toes up) of the sole, bend of the toes."""

    ankle: Float[np.ndarray, "time 3"]
    heading: Times
    pitch: Times
    toes: Times


class Path:
    """The line the walker follows over the ground, by distance walked."""

    def __init__(self, style: Style, rng: np.random.Generator, longest: float):
        bend = Wobble(rng, 0.02, 0.09)
        # Counted from zero in both directions, so that a longer walk begins like a shorter one.
        count = int(np.ceil((longest + 10) / GRID_METRES))
        self.distance = np.arange(-1000, count) * GRID_METRES
        heading = np.deg2rad(style.wander) * (bend(self.distance) - bend(np.zeros(1)))
        step = GRID_METRES * np.stack([np.sin(heading), np.cos(heading)], axis=-1)
        place = np.cumsum(step, axis=0) - step / 2
        self.place = place - place[1000]
        self.bend = heading

    def __call__(self, distance: Times) -> tuple[Float[np.ndarray, "time 2"], Times]:
        """Place (x, z) and heading at each distance."""
        x, z = (np.interp(distance, self.distance, self.place[:, axis]) for axis in range(2))
        return np.stack([x, z], axis=-1), np.interp(distance, self.distance, self.bend)


@dataclass
class Gait:
    """Phase and progress of a walk; a whole number of `phase` is a strike of the left foot."""

    phase: Times
    distance: Times
    path: Path
    feet: tuple[Foot, Foot]


def plan(style: Style, times: Times, rng: np.random.Generator) -> Gait:
    """The steps of one walk at the given times (from zero on)."""
    first = rng.uniform(0, 1)
    haste, reach = Wobble(rng, 0.1, 0.6), Wobble(rng, 0.05, 0.4)
    sideways, along = Wobble(rng, 0.2, 0.9), Wobble(rng, 0.2, 0.9)
    margin = 3 * style.period
    grid = np.arange(-int(margin / GRID_SECONDS) - 1, int((times[-1] + margin) / GRID_SECONDS) + 2) * GRID_SECONDS
    phases = first + grid / style.period + 0.02 * style.unsteady * haste(grid)
    phases = np.maximum.accumulate(phases)
    distances = style.stride * (phases - first) + 0.02 * style.unsteady * reach(grid)
    distances = np.maximum.accumulate(distances)
    path = Path(style, rng, float(distances[-1]))
    phase = np.interp(times, grid, phases)

    def foot(side: float, offset: float) -> Foot:
        stance = style.stance + side * style.asymmetry
        number = np.floor(phase - offset).astype(int)
        steps = np.arange(number.min(), number.max() + 2)
        passing = np.interp(steps + offset + PASS * stance, phases, grid)
        forward = np.interp(passing, grid, distances) + 0.02 * style.unsteady * along(passing)
        place, heading = path(forward)
        out = side * style.width / 2 + 0.015 * style.unsteady * sideways(passing)
        left = np.stack([np.cos(heading), -np.sin(heading)], axis=-1)
        spot = place + out[:, None] * left
        heading = heading + side * np.deg2rad(style.toe_out)
        here = number - steps[0]
        return _roll_and_swing(style, stance, phase - offset - number, spot, heading, here)

    feet = foot(1.0, 0.0), foot(-1.0, 0.5 + style.asymmetry)
    return Gait(phase, np.interp(times, grid, distances), path, feet)


def _roll_and_swing(
    style: Style,
    stance: float,
    share: Times,
    spot: Float[np.ndarray, "steps 2"],
    heading: Float[np.ndarray, " steps"],
    here: np.ndarray,
) -> Foot:
    """One foot, `share` of a stride after it met the ground at its step number `here`."""
    rolled = np.clip(share / stance, 0, 1)
    swung = np.clip((share - stance) / (1 - stance), 0, 1)
    swinging = share > stance
    strike, push = np.deg2rad(style.heel_strike), np.deg2rad(style.push_off)
    rate = (1 - stance) / stance
    # The foot is level again soon after the middle of the swing and is set for the ground before its end.
    levelling = _hermite(np.clip(swung / LEVEL, 0, 1), -push, 0.0, -push * LEVEL * rate, 0.0)
    setting = strike * _smooth(np.clip((swung - 0.5) / 0.5, 0, 1))
    grounded = _roll(rolled, strike, push)
    pitch = np.where(swinging, levelling + setting, grounded)
    toes = np.where(swinging, push * (1 - _smooth(np.clip(swung / LEVEL, 0, 1))), np.clip(-pitch, 0, None))
    # A foot that meets the ground toes first bends them as it is set.
    toes = np.where(swinging, toes + np.clip(-setting, 0, None), toes)

    ground = _stance_ankle(grounded, spot[here], heading[here])
    off = _stance_ankle(np.full(len(here), -push), spot[here], heading[here])
    on = _stance_ankle(np.full(len(here), strike), spot[here + 1], heading[here + 1])
    # The ankle still moves as the toes leave the ground: the swing takes that speed over.
    small = 1e-4
    before = _stance_ankle(_roll(np.full(len(here), 1 - small), strike, push), spot[here], heading[here])
    air = _hermite(swung[:, None], off, on, (off - before) / small * rate, np.zeros(3))
    arch = 16 * (swung * (1 - swung)) ** 2
    air[:, 1] += style.lift * arch
    turn = heading[here] + swinging * _smooth(swung) * (heading[here + 1] - heading[here])
    # Where some part of the sole would come too near the ground the foot is raised, without a corner.
    hump = 4 * swung * (1 - swung)
    short = CLEARANCE * hump - _sole(air, pitch, toes).min(axis=-1)
    blend = 0.01 * hump + 1e-6
    air[:, 1] += blend * np.logaddexp(0, short / blend)
    return Foot(np.where(swinging[:, None], air, ground), turn, pitch, toes)


def _roll(rolled: Times, strike: float, push: float) -> Times:
    """Pitch of the sole on the ground: it comes down from `strike`, stays flat, and rises to `-push`."""
    landing = strike * (1 - _smooth(np.clip(rolled / FLAT, 0, 1)))
    return landing - push * np.clip((rolled - RISE) / (1 - RISE), 0, 1) ** 2


def _stance_ankle(pitch: Times, spot: Float[np.ndarray, "time 2"], heading: Times) -> Float[np.ndarray, "time 3"]:
    """The ankle of a foot that rolls about its heel (toes up) or its ball (heel up) without slipping."""
    pivot = np.where(pitch[:, None] > 0, HEEL, BALL)
    flat = np.stack([spot[:, 0], np.full(len(spot), ANKLE_HEIGHT), spot[:, 1]], axis=-1)
    lifted = pivot - np.einsum("tij,tj->ti", axis_rotation(-pitch, "X"), pivot)
    return flat + np.einsum("tij,tj->ti", axis_rotation(heading, "Y"), lifted)


def _sole(ankle: Float[np.ndarray, "time 3"], pitch: Times, toes: Times) -> Float[np.ndarray, "time 3"]:
    """Heights of the heel, of the sole under the ball and of the tip of the toes."""
    tilted, bent = axis_rotation(-pitch, "X"), axis_rotation(-(pitch + toes), "X")
    heel = ankle[:, 1] + tilted[:, 1] @ HEEL
    ball = ankle[:, 1] + tilted[:, 1] @ BALL
    return np.stack([heel, ball - 0.02, ball + bent[:, 1] @ TOE_TIP], axis=-1)


def _smooth(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    return x * x * (3 - 2 * x)


def _hermite(x, start, end, start_slope, end_slope):
    """The cubic with the given values and slopes at 0 and 1."""
    blend = _smooth(x)
    return start + (end - start) * blend + start_slope * x * (1 - x) ** 2 - end_slope * x * x * (1 - x)
