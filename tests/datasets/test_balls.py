"""Bouncing balls obey the physics of bouncing balls."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsbn import datasets
from tsbn.datasets.balls import draw, simulate

worlds = st.fixed_dictionaries(
    {
        "balls": st.integers(1, 4),
        "radius": st.floats(0.02, 0.12),
        "speed": st.floats(0.0, 0.1),
        "seed": st.integers(0, 1000),
    }
)


@settings(max_examples=20)
@given(worlds)
def test_energy_is_kept_and_balls_stay_in_the_box(world):
    places, velocities = simulate(sequences=2, frames=60, **world)
    energy = (velocities**2).sum(axis=(-1, -2))
    np.testing.assert_allclose(energy, np.broadcast_to(energy[:, :1], energy.shape), rtol=1e-9, atol=1e-15)
    assert places.min() >= world["radius"] - 1e-12
    assert places.max() <= 1 - world["radius"] + 1e-12


@settings(max_examples=20)
@given(worlds)
def test_balls_hardly_sink_into_each_other(world):
    places, _ = simulate(sequences=2, frames=60, **world)
    for i in range(world["balls"]):
        for j in range(i):
            nearest = np.linalg.norm(places[:, :, i] - places[:, :, j], axis=-1).min()
            # Two balls that meet head on come closer by two balls' way of one substep before they turn.
            assert nearest > 2 * world["radius"] - 2 * 2 * world["speed"] / 20 - 1e-9


def test_balls_do_meet_and_turn():
    _, velocities = simulate(sequences=20, frames=100, balls=3, radius=0.12, speed=0.05, seed=0)
    speeds = np.linalg.norm(velocities, axis=-1)
    assert (np.abs(speeds - 0.05) > 1e-3).any()


def test_a_ball_covers_as_many_pixels_as_its_area():
    image = draw(np.array([[[0.5, 0.5]]]), size=200, radius=0.2)
    assert image.mean() == pytest.approx(np.pi * 0.2**2, rel=0.01)


def test_a_ball_is_drawn_where_it_is():
    image = draw(np.array([[[0.15, 0.75]]]), size=10, radius=0.06).reshape(10, 10)
    assert np.argwhere(image).tolist() == [[7, 1]]


def test_images_of_any_size_the_same_for_the_same_seed():
    small = {"sequences": 3, "test": 2, "frames": 7, "size": 11}
    parts = datasets.load("balls", **small, seed=4)
    assert [array.shape for array in parts.train] == [(7, 121)] * 3
    assert len(parts.test) == 2
    assert set(np.unique(parts.train[0])) == {0, 1}
    assert datasets.load("balls", **small, seed=4) == parts
    assert datasets.load("balls", **small, seed=5).train != parts.train


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"balls": 50}, "50 balls of radius 0.12 do not fit"),
        ({"radius": 0.6}, "radius is 0.6"),
        ({"speed": 9}, "speed 9"),
        ({"size": 0}, "size is 0"),
    ],
)
def test_a_world_that_cannot_be_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        datasets.load("balls", **options)
