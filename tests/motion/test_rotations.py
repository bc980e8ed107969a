import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from tsbn.motion import rotations as rot

vectors = arrays(float, (5, 3), elements=st.floats(-7, 7))
# Lengths where the formulas are delicate: nothing, almost nothing, half a turn and its neighbours, a turn.
LENGTHS = [0, 1e-300, 1e-12, 1e-7, 1e-4, 1, np.pi - 1e-8, np.pi, np.pi + 1e-8, 2 * np.pi, 20]


def delicate() -> np.ndarray:
    axes = np.random.default_rng(0).normal(size=(20, 3))
    axes = np.concatenate([axes / np.linalg.norm(axes, axis=1, keepdims=True), np.eye(3), -np.eye(3)])
    return (axes[:, None] * np.array(LENGTHS)[:, None]).reshape(-1, 3)


def assert_rotations(matrix: np.ndarray) -> None:
    assert np.abs(matrix @ np.swapaxes(matrix, -1, -2) - np.eye(3)).max() < 1e-12
    assert np.linalg.det(matrix).min() > 0.999


def test_exponential_maps_agree_with_scipy_at_every_length():
    vector = delicate()
    assert np.abs(rot.from_exp(vector) - Rotation.from_rotvec(vector).as_matrix()).max() < 1e-13


def test_exponential_maps_come_back_near_zero_and_near_half_a_turn():
    vector = delicate()
    matrix = rot.from_exp(vector)
    again = rot.to_exp(matrix)
    assert np.linalg.norm(again, axis=1).max() <= np.pi + 1e-12
    assert np.abs(rot.from_exp(again) - matrix).max() < 1e-12
    short = np.linalg.norm(vector, axis=1) < 3
    assert np.abs(again - vector)[short].max() < 1e-12


@given(vectors)
@example(np.array([[6.25, 6e-8, 6e-8], [3e-10, 1.0, 0.0], [2e-9, 3e-9, 1.5]]))  # almost in gimbal lock
def test_every_representation_gives_the_rotation_back(vector):
    matrix = rot.from_exp(vector)
    assert_rotations(matrix)
    assert np.abs(rot.from_exp(rot.to_exp(matrix)) - matrix).max() < 1e-10
    assert np.abs(rot.from_six(rot.to_six(matrix)) - matrix).max() < 1e-10
    for order in rot.EULER_ORDERS:
        assert np.abs(rot.from_euler(rot.to_euler(matrix, order), order) - matrix).max() < 1e-10


@pytest.mark.parametrize("order", rot.EULER_ORDERS)
def test_euler_angles_agree_with_scipy_in_every_order(order):
    angles = np.random.default_rng(1).uniform(-4, 4, size=(50, 3))
    assert np.abs(rot.from_euler(angles, order) - Rotation.from_euler(order, angles).as_matrix()).max() < 1e-14


@pytest.mark.parametrize("order", rot.EULER_ORDERS)
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-9, 1e-8, 1e-5])
def test_euler_angles_stand_for_the_same_rotation_in_gimbal_lock(order, off):
    first, last = np.meshgrid(np.linspace(-3, 3, 9), np.linspace(-3, 3, 9))
    locks = [0, np.pi] if order[0] == order[2] else [np.pi / 2, -np.pi / 2]
    for lock in locks:
        angles = np.stack([first, np.full_like(first, lock + off), last], axis=-1)
        matrix = rot.from_euler(angles, order)
        again = rot.from_euler(rot.to_euler(matrix, order), order)
        assert rot.angle_between(matrix, again).max() < 1e-8


def test_an_unknown_order_is_named():
    with pytest.raises(ValueError, match="rotation order is 'XXY', expected one of"):
        rot.to_euler(np.eye(3), "XXY")


def test_a_joint_turning_past_half_a_turn_does_not_jump():
    angle = np.linspace(0, 4 * np.pi, 400)
    axis = np.array([0.6, 0.0, 0.8])
    matrices = rot.from_exp(angle[:, None] * axis)
    assert np.abs(np.diff(rot.to_exp(matrices), axis=0)).max() > 3
    continuous = rot.continuous_exp(rot.to_exp(matrices))
    assert np.abs(continuous - angle[:, None] * axis).max() < 1e-9


def test_a_joint_swinging_through_zero_does_not_jump():
    angle = np.sin(np.linspace(0, 20, 300))
    vector = angle[:, None] * np.array([0.0, 1.0, 0.0])
    assert np.abs(rot.continuous_exp(rot.to_exp(rot.from_exp(vector))) - vector).max() < 1e-12


def test_a_glitch_of_half_a_turn_does_not_move_the_frames_after_it():
    vector = np.zeros((6, 3))
    vector[:, 1] = [-1.85, -1.73, 1.56, 1.35, 1.3, 1.2]
    assert np.allclose(rot.continuous_exp(vector), vector)


@given(arrays(float, (4, 6), elements=st.floats(-1e6, 1e6)))
def test_any_six_numbers_give_a_rotation(six):
    assert_rotations(rot.from_six(six))


@given(arrays(float, (4, 3, 3), elements=st.floats(-1e3, 1e3)))
def test_any_matrix_has_a_nearest_rotation(matrix):
    assert_rotations(rot.nearest_rotation(matrix))


def test_the_nearest_rotation_to_a_rotation_is_itself():
    matrix = Rotation.random(50, rng=np.random.default_rng(2)).as_matrix()
    assert np.abs(rot.nearest_rotation(matrix) - matrix).max() < 1e-13
