"""A take: a motion as it is shown, on its ground, with a title and the styles it was asked to have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from tsbn.motion import Motion, positions
from tsbn.styles import Path, hold

CENTRE, LEFT, RIGHT = 0, 1, 2
# From the tip of a foot to the tip of a hand along the bones, people measure this many times their height.
REACH_OF_HEIGHT = 1.36
# Radius of a bone at its two ends, in body heights.
THICKNESS = {"head": (0.036, 0.043), "trunk": (0.021, 0.021), "limb": (0.016, 0.016), "tip": (0.016, 0.010)}


@dataclass(frozen=True, eq=False)
class Take:
    """What the pictures are made of; `take` makes one.

    places: `[time, points, 3]`, y up, in body heights, the ground at y = 0.
    bones: pairs of points; sides: CENTRE, LEFT or RIGHT for each; thickness: radius at both ends of each.
    side: `[time, styles]`, how much of each of the styles `labels` every frame has, or None.
    """

    places: Float[np.ndarray, "time points 3"]
    bones: Int[np.ndarray, "bones 2"]
    sides: Int[np.ndarray, " bones"]
    thickness: Float[np.ndarray, "bones 2"]
    frame_rate: float
    title: str = ""
    side: Float[np.ndarray, "time styles"] | None = None
    labels: tuple[str, ...] = ()

    @property
    def frames(self) -> int:
        return len(self.places)

    def centres(self) -> Float[np.ndarray, "time 3"]:
        """Where a camera looks that follows without shaking: over the ground, smoothed for half a second."""
        ground = self.places.mean(axis=1)
        width = min(max(int(0.5 * self.frame_rate), 1), self.frames - 1)
        kernel = np.hanning(2 * width + 3)[1:-1]
        padded = np.pad(ground, ((width, width), (0, 0)), mode="reflect", reflect_type="odd")
        smooth = np.stack([np.convolve(column, kernel / kernel.sum(), "valid") for column in padded.T], axis=1)
        smooth[:, 1] = self.places[..., 1].max() / 2
        return smooth

    def direction(self) -> float:
        """The heading, in radians from z towards x, of the way from the first frame to the last."""
        x, _, z = self.places[-1].mean(axis=0) - self.places[0].mean(axis=0)
        return float(np.arctan2(x, z)) if np.hypot(x, z) > 0.5 else 0.0


Takes = Motion | Take | Sequence[Motion | Take]


def take(
    motion: Motion | Float[np.ndarray, "time points 3"],
    *,
    parents: Sequence[int] | None = None,
    names: Sequence[str] | None = None,
    frame_rate: float | None = None,
    up: str = "y",
    title: str = "",
    styles: str | Path | Float[np.ndarray, "time styles"] | None = None,
    labels: Sequence[str | int] | None = None,
) -> Take:
    """A motion made ready to be shown.

    motion: a `Motion`, or positions with `parents` (-1 for a root), `frame_rate` and, if there are, joint `names`.
    styles: the name of one, a path, or `[time, styles]` in the order of `labels`.

    >>> from tsbn.motion import walker
    >>> take(walker("cat", frames=60), styles="cat").side.shape
    (60, 1)
    """
    if isinstance(motion, Motion):
        skeleton = motion.skeleton
        places = positions(motion, ends=True)
        parents = (*skeleton.parents, *skeleton.end_parents)
        names = (*skeleton.names, *(f"{skeleton.names[n]} end" for n in skeleton.end_parents))
        frame_rate = motion.frame_rate
    else:
        places = np.asarray(motion, dtype=float)
        if parents is None or frame_rate is None:
            raise TypeError("positions need parents (one per point, -1 for a root) and a frame_rate")
        names = ("",) * len(parents) if names is None else tuple(names)
    _check(places, parents, names, frame_rate, up)
    bones = np.array([(parent, child) for child, parent in enumerate(parents) if parent >= 0], dtype=int).reshape(-1, 2)
    lengths = np.median(np.linalg.norm(places[:, bones[:, 0]] - places[:, bones[:, 1]], axis=-1), axis=0)
    bones, lengths = bones[lengths > 0], lengths[lengths > 0]
    # Turned so that y is up, scaled by a height that does not depend on the pose, and set on the ground.
    places = np.roll(places, "xyz".index("y") - "xyz".index(up), axis=-1)
    places = places / (_reach(bones, lengths, len(parents)) / REACH_OF_HEIGHT)
    places[..., 1] -= np.percentile(places[..., 1].min(axis=1), 5)
    sides = np.array([_side(names[int(child)]) for child in bones[:, 1]], dtype=int)
    shares, known = _styles(styles, labels, len(places))
    return Take(places, bones, sides, _thickness(bones, names, sides), float(frame_rate), title, shares, known)


def all_takes(takes: Takes) -> list[Take]:
    """One or several motions or takes, as a list of takes of the same frame rate."""
    given = [takes] if isinstance(takes, Motion | Take) else list(takes)
    if not given:
        raise ValueError("there is nothing to show: expected one motion at least")
    ready = [one if isinstance(one, Take) else take(one) for one in given]
    rates = sorted({one.frame_rate for one in ready})
    if len(rates) > 1:
        raise ValueError(f"the motions have frame rates {rates}: resample them to one, with tsbn.motion.resample")
    return ready


def _check(places: np.ndarray, parents: Sequence[int], names: Sequence[str], frame_rate: float, up: str) -> None:
    if places.ndim != 3 or places.shape[1:] != (len(parents), 3) or not len(places):
        raise ValueError(f"positions have shape {places.shape}, expected [time, {len(parents)}, 3] for the parents")
    if len(names) != len(parents):
        raise ValueError(f"there are {len(names)} names for {len(parents)} points")
    for point, parent in enumerate(parents):
        if not -1 <= parent < len(parents) or parent == point:
            raise ValueError(f"the parent of point {point} is {parent}, expected another point, or -1")
    if not (np.isfinite(frame_rate) and frame_rate > 0):
        raise ValueError(f"frame_rate is {frame_rate}, expected a positive number of frames per second")
    if up not in ("y", "z"):
        raise ValueError(f"up is {up!r}, expected 'y' or 'z'")
    if not np.isfinite(places).all():
        frame, point, _ = np.argwhere(~np.isfinite(places))[0]
        raise ValueError(f"the motion is not a number at frame {frame}, point {point} {names[point]!r}")


def _reach(bones: np.ndarray, lengths: np.ndarray, points: int) -> float:
    """The longest way from one point to another along the bones; 1 if there are none."""
    far = np.where(np.eye(points, dtype=bool), 0.0, np.inf)
    far[bones[:, 0], bones[:, 1]] = far[bones[:, 1], bones[:, 0]] = lengths
    for between in range(points):
        far = np.minimum(far, far[:, between, None] + far[between])
    return float(far[np.isfinite(far)].max()) or 1.0


def _side(name: str) -> int:
    """Names tell sides in many ways: LeftArm, left_arm, lhumerus, L_Arm, Arm.L."""
    if re.search(r"left|(^|[_. ])l([_. ]|$)", name, re.IGNORECASE):
        return LEFT
    if re.search(r"right|(^|[_. ])r([_. ]|$)", name, re.IGNORECASE):
        return RIGHT
    acclaim = re.match(r"([lr])(hip|femur|tibia|foot|toes|clavicle|humerus|radius|wrist|hand|fingers|thumb)", name)
    return CENTRE if not acclaim else LEFT if acclaim[1] == "l" else RIGHT


def _thickness(bones: np.ndarray, names: Sequence[str], sides: np.ndarray) -> np.ndarray:
    leaves = ~np.isin(bones[:, 1], bones[:, 0])
    kinds = np.where(sides == CENTRE, "trunk", "limb").astype(object)
    kinds[leaves & (sides != CENTRE)] = "tip"
    heads = np.array(["head" in names[int(child)].lower() for child in bones[:, 1]], dtype=bool)
    kinds[leaves & heads] = "head"
    return np.array([THICKNESS[kind] for kind in kinds]).reshape(-1, 2)


def _styles(styles, labels, frames: int) -> tuple[np.ndarray | None, tuple[str, ...]]:
    if styles is None:
        return None, ()
    if isinstance(styles, str):
        styles = hold(styles, frames)
    if isinstance(styles, Path):
        labels = styles.styles if labels is None else labels
        styles = styles.side(labels)
    shares = np.asarray(styles, dtype=float)
    count = None if labels is None else len(labels)
    if shares.ndim != 2 or len(shares) != frames or (count is not None and shares.shape[1] != count):
        raise ValueError(f"styles have shape {shares.shape}, expected [{frames}, {count or 'styles'}]")
    if not (np.isfinite(shares).all() and (shares >= 0).all()):
        raise ValueError("styles have a share that is negative or not a number")
    known = range(shares.shape[1]) if labels is None else labels
    return shares, tuple(str(label) for label in known)
