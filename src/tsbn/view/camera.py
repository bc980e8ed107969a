"""A camera: where points of the world appear in a picture, and how far away it must be to see all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

# The focal length in picture heights: a field of view of 30 degrees, which flatters people.
FOCAL = 1.87


@dataclass(frozen=True)
class Camera:
    """Looks at a target from `azimuth` (radians from z towards x), `elevation` above the ground, and `distance`.

    centre: `(x, y)` where the target appears; focal: pixels that one unit covers at distance one.
    """

    azimuth: float
    elevation: float
    distance: float
    centre: tuple[float, float]
    focal: float

    @cached_property
    def axes(self) -> Float[np.ndarray, "3 3"]:
        """Rows: to the right, up, and towards the camera."""
        sine, cosine = np.sin(self.azimuth), np.cos(self.azimuth)
        low, high = np.cos(self.elevation), np.sin(self.elevation)
        return np.array([[cosine, 0, -sine], [-high * sine, low, -high * cosine], [low * sine, high, low * cosine]])

    def see(
        self, points: Float[np.ndarray, "*points 3"], target: Float[np.ndarray, " 3"]
    ) -> tuple[Float[np.ndarray, "*points 2"], Float[np.ndarray, "*points"]]:
        """Pixels `[..., (x, y)]`, y down, and how far in front of the camera every point is.

        >>> camera = Camera(0.0, 0.0, 4.0, (50.0, 50.0), 100.0)
        >>> camera.see(np.array([1.0, 1.0, 0.0]), np.zeros(3))[0]
        array([75., 25.])
        """
        turned = (points - target) @ self.axes.T
        depth = self.distance - turned[..., 2]
        scale = self.focal / depth[..., None]
        return np.array(self.centre) + turned[..., :2] * scale * [1, -1], depth


def fitted(
    points: Float[np.ndarray, "points 3"],
    box: tuple[float, float, float, float],
    azimuth: float,
    elevation: float,
    height: float,
    thickness: float = 0.0,
) -> Camera:
    """The nearest camera that sees all points, told relative to its target, inside a box of the picture.

    box: left, top, right and bottom in pixels, of a picture `height` pixels high; thickness: radius of balls
    around the points that must be inside too.

    >>> camera = fitted(np.array([[0, 1.0, 0], [0, -1.0, 0]]), (0, 10, 100, 90), 0.0, 0.0, 100)
    >>> camera.see(np.array([0, 1.0, 0]), np.zeros(3))[0]
    array([50., 10.])
    """
    left, top, right, bottom = box
    focal = FOCAL * height
    centre = ((left + right) / 2, (top + bottom) / 2)
    camera = Camera(azimuth, elevation, 1.0, centre, focal)
    x, y, towards = (points @ camera.axes.T).T
    # A ball reaches as far as its radius to the side, up and towards the camera.
    x, y, towards = np.abs(x) + thickness, np.abs(y) + thickness, towards + thickness
    # A point at x is inside if focal * |x| <= half the width * (distance - towards), and likewise up and down.
    across = x * focal / ((right - left) / 2) + towards
    along = y * focal / ((bottom - top) / 2) + towards
    distance = float(max(across.max(), along.max(), 1.0))
    return Camera(azimuth, elevation, distance, centre, focal)
