"""`balls`: balls that bounce in a box, simulated here, drawn as binary images of any size."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from tsbn.data.sequences import Sequences
from tsbn.datasets.registry import DataSet, Parts

_SUBSTEPS = 20  # between two frames: collisions are found before balls sink into each other


def load(
    sequences: int = 200,
    test: int = 20,
    frames: int = 100,
    size: int = 30,
    balls: int = 3,
    radius: float = 0.12,
    speed: float = 0.05,
    seed: int = 0,
) -> Parts:
    """Binary images ``[frames, size * size]`` of balls in a box, row by row; the same for the same seed.

    - ``sequences`` for training and ``test`` more for test, each from its own random start;
    - ``radius`` in units of the box, ``speed`` in units of the box per frame (every ball's speed at the
      start).
    """
    for name, given in {"sequences": sequences, "frames": frames, "size": size, "balls": balls}.items():
        if given < 1:
            raise ValueError(f"{name} is {given}: expected 1 or more")
    if not 0 < radius < 0.5 or not 0 <= speed < radius * _SUBSTEPS:
        raise ValueError(
            f"radius is {radius} and speed {speed}: "
            f"expected a radius under 0.5, and a speed from 0 to {_SUBSTEPS} radii"
        )
    positions, _ = simulate(sequences + test, frames, balls, radius, speed, seed)
    images = [draw(path, size, radius) for path in positions]
    names = [f"row {row} column {column}" for row in range(size) for column in range(size)]
    whole = Sequences(images, channel_names=names)
    return Parts(whole[:sequences], test=whole[sequences:] if test else None)


def simulate(
    sequences: int, frames: int, balls: int, radius: float, speed: float, seed: int
) -> tuple[Float[np.ndarray, "sequences frames balls 2"], Float[np.ndarray, "sequences frames balls 2"]]:
    """Positions and velocities of equal balls in the unit box, bouncing off it and each other without loss.

    >>> positions, velocities = simulate(sequences=2, frames=50, balls=3, radius=0.1, speed=0.05, seed=0)
    >>> positions.shape, bool((positions > 0.09).all())
    ((2, 50, 3, 2), True)
    """
    random = np.random.default_rng(seed)
    place = np.stack([_start(random, balls, radius) for _ in range(sequences)])
    angle = random.uniform(0, 2 * np.pi, (sequences, balls, 1))
    velocity = speed * np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)
    places, velocities = [place], [velocity]
    for _ in range(frames - 1):
        for _ in range(_SUBSTEPS):
            place, velocity = _bounce_off_walls(place + velocity / _SUBSTEPS, velocity, radius)
            velocity = _bounce_off_each_other(place, velocity, radius)
        places.append(place)
        velocities.append(velocity)
    return np.stack(places, axis=1), np.stack(velocities, axis=1)


def draw(
    positions: Float[np.ndarray, "frames balls 2"], size: int, radius: float
) -> Float[np.ndarray, "frames pixels"]:
    """A pixel is 1 where its centre lies in a ball."""
    centres = (np.arange(size) + 0.5) / size
    # [frames, balls, size]: how far every row and every column is from every ball.
    down, across = ((centres - positions[..., axis, None]) ** 2 for axis in (1, 0))
    inside = down[..., :, None] + across[..., None, :] <= radius**2
    return inside.any(axis=1).reshape(len(positions), size * size).astype(np.float32)


def _start(random: np.random.Generator, balls: int, radius: float) -> Float[np.ndarray, "balls 2"]:
    """Places at which no two balls touch: each is thrown until it lies free."""
    placed: list[np.ndarray] = []
    for _ in range(10_000):
        place = random.uniform(radius, 1 - radius, 2)
        if all(np.linalg.norm(place - other) > 2 * radius for other in placed):
            placed.append(place)
        if len(placed) == balls:
            return np.stack(placed)
    raise ValueError(f"{balls} balls of radius {radius} do not fit the box: take fewer or smaller ones")


def _bounce_off_walls(place: np.ndarray, velocity: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    low, high = radius, 1 - radius
    mirrored = np.where(place < low, 2 * low - place, np.where(place > high, 2 * high - place, place))
    return mirrored, np.where(mirrored == place, velocity, -velocity)


def _bounce_off_each_other(place: np.ndarray, velocity: np.ndarray, radius: float) -> np.ndarray:
    """Equal balls that touch and approach exchange their velocities along the line between them."""
    velocity = velocity.copy()
    balls = place.shape[1]
    for i in range(balls):
        for j in range(i + 1, balls):
            gap = place[:, i] - place[:, j]
            distance = np.linalg.norm(gap, axis=-1, keepdims=True)
            normal = gap / np.maximum(distance, 1e-12)
            approach = np.sum((velocity[:, i] - velocity[:, j]) * normal, axis=-1, keepdims=True)
            push = np.where((distance < 2 * radius) & (approach < 0), approach, 0.0) * normal
            velocity[:, i] -= push
            velocity[:, j] += push
    return velocity


DATASET = DataSet(
    name="balls",
    summary="balls bouncing in a box, binary images of any size, simulated (no download)",
    home="built in",
    terms="Made by this library: free for all uses.",
    citation="",
    load=load,
)
