"""Foot sliding: how fast that point of a figure moves over the ground on which it stands."""

import numpy as np
from jaxtyping import Float

from tsbn.datasets import Figure
from tsbn.motion import positions

# What is no higher above the lowest point of the body than this share of its height may stand on the ground: the
# points of a skeleton are joints, and skin and shoes lie between them and the ground.
SOLE = 0.05


def sliding(places: Float[np.ndarray, "time points 3"], frame_rate: float, up: str = "y") -> float:
    """The horizontal speed of the standing foot, averaged over time, in units of length per second.

    From one frame to the next the figure stands on the slowest of its low points, for a swinging foot passes close to
    the ground, but fast. No joint has to be named, and no height of the ground to be known: a generated figure may
    float or sink. It is 0 for a foot that stays where it is, and the speed of travel for a pose that glides.

    >>> head, still = np.array([[0.0, 1.7, 0.0]] * 3), np.zeros((3, 3))
    >>> passing = np.array([[0.0, 0.05, 0.0], [1.0, 0.05, 0.0], [2.0, 0.05, 0.0]])
    >>> sliding(np.stack([head, still, passing], axis=1), frame_rate=30)
    0.0
    """
    vertical = "xyz".index(up)
    height = places[..., vertical]
    ground = height.min(axis=1, keepdims=True)
    low = height - ground <= SOLE * np.median(height.max(axis=1) - ground[:, 0])
    steps = np.linalg.norm(np.delete(np.diff(places, axis=0), vertical, axis=-1), axis=-1)
    standing = np.where(low[:-1] | low[1:], steps, np.inf).min(axis=1)
    return float(standing.mean() * frame_rate)


def travel(places: Float[np.ndarray, "time points 3"], frame_rate: float, up: str = "y") -> float:
    """How fast the root, which is the first point, moves over the ground.

    >>> travel(np.array([[[0.0, 0.9, 0.0]], [[0.0, 1.0, 0.1]]]), frame_rate=30)
    3.0
    """
    steps = np.delete(np.diff(places[:, 0], axis=0), "xyz".index(up), axis=-1)
    return float(np.linalg.norm(steps, axis=-1).mean() * frame_rate)


def points(figure: Figure, frames: Float[np.ndarray, "time channels"]) -> Float[np.ndarray, "time points 3"]:
    """All joints and tips of the figure that the features tell."""
    return positions(figure.motion(frames), ends=True)
