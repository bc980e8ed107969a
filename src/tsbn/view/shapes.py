"""The flat shapes a scene is made of: limbs, their shadows, and a ground that fades away."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from tsbn.view.camera import Camera
from tsbn.view.colours import GRID, PAPER, SHADOW, Colour, toned
from tsbn.view.takes import Take

SPACING = 0.5
# Shadows fall to the right of and behind what casts them, by these shares of its height.
LIGHT = np.array([0.35, 0.0, -0.25])
ARC = np.linspace(0, 1, 11)


class Shape(NamedTuple):
    """A filled outline `[corners, 2]` in pixels."""

    outline: Float[np.ndarray, "corners 2"]
    colour: Colour


def limbs(
    one: Take, frame: int, colour: Float[np.ndarray, " 3"], camera: Camera, target: Float[np.ndarray, " 3"]
) -> list[Shape]:
    """The bones of a frame, the farthest first."""
    pixels, depth = camera.see(one.places[frame], target)
    outlines = _bones(one, pixels, depth, camera)
    tones = [toned(colour, side) for side in range(3)]
    order = np.argsort(-depth[one.bones].mean(axis=1), kind="stable")
    return [Shape(outlines[n], tones[one.sides[n]]) for n in order]


def shadow(one: Take, frame: int, camera: Camera, target: Float[np.ndarray, " 3"]) -> list[Shape]:
    """The bones' shadow on the ground, in one colour."""
    places = one.places[frame]
    light = LIGHT @ camera.axes * [1, 0, 1]
    fallen = places + np.maximum(places[:, 1:2], 0) * light
    fallen[:, 1] = 0
    pixels, depth = camera.see(fallen, target)
    outlines = _bones(one, pixels, depth, camera)
    return [Shape(outline, SHADOW) for outline in outlines]


def ground(camera: Camera, target: Float[np.ndarray, " 3"], radius: float = 4.0, pixel: float = 1.0) -> list[Shape]:
    """The lines of a grid fixed to the ground, `pixel` wide, that fade into the paper `radius` from the target."""
    middle = target * [1, 0, 1]
    ends, heads = [], np.linspace(-1, 1, 13)
    for axis in (0, 2):
        first = np.ceil((middle[axis] - radius) / SPACING)
        lines = SPACING * np.arange(first, np.floor((middle[axis] + radius) / SPACING) + 1)
        half = np.sqrt(np.maximum(radius**2 - (lines - middle[axis]) ** 2, 0))
        points = np.zeros((len(lines), len(heads), 3))
        points[..., axis] = lines[:, None]
        points[..., 2 - axis] = middle[2 - axis] + half[:, None] * heads
        ends.append(np.stack([points[:, :-1], points[:, 1:]], axis=2).reshape(-1, 2, 3))
    segments = np.concatenate(ends)
    away = np.linalg.norm(segments.mean(axis=1) - middle, axis=-1) / radius
    pixels, depth = camera.see(segments, target)
    seen = (depth > 0.1 * camera.distance).all(axis=1) & (away < 0.97)
    along = pixels[:, 1] - pixels[:, 0]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    across *= 0.5 * pixel / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    outlines = np.stack(
        [pixels[:, 0] + across, pixels[:, 1] + across, pixels[:, 1] - across, pixels[:, 0] - across], axis=1
    )
    faded = np.array(GRID) + away[seen, None] ** 2 * (np.array(PAPER) - GRID)
    colours = map(tuple, faded.round().astype(int).tolist())
    return [Shape(outline, colour) for outline, colour in zip(outlines[seen], colours, strict=True)]


def _bones(one: Take, pixels: np.ndarray, depth: np.ndarray, camera: Camera) -> Float[np.ndarray, "bones corners 2"]:
    radii = one.thickness * camera.focal / depth[one.bones]
    return capsules(pixels[one.bones[:, 0]], pixels[one.bones[:, 1]], radii[:, 0], radii[:, 1])


def capsules(
    start: Float[np.ndarray, "n 2"],
    end: Float[np.ndarray, "n 2"],
    start_radius: Float[np.ndarray, " n"],
    end_radius: Float[np.ndarray, " n"],
) -> Float[np.ndarray, "n corners 2"]:
    """Outlines around two circles and what lies between them.

    >>> capsules(np.zeros((1, 2)), np.array([[3.0, 0.0]]), np.ones(1), np.ones(1))[0].max(axis=0)
    array([4., 1.])
    """
    along = end - start
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-9)
    heading = np.arctan2(along[:, 1], along[:, 0])
    # The straight sides touch the circles where they are this far from the direction of the bone.
    touch = np.arccos(np.clip((start_radius - end_radius) / length, -1, 1))
    front = heading[:, None] + touch[:, None] * (2 * ARC - 1)
    back = (heading + touch)[:, None] + 2 * (np.pi - touch)[:, None] * ARC
    circles = [(end, end_radius, front), (start, start_radius, back)]
    return np.concatenate(
        [
            centre[:, None] + radius[:, None, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
            for centre, radius, angle in circles
        ],
        axis=1,
    )
