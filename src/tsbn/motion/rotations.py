"""Rotations as matrices, quaternions, exponential maps, six numbers or Euler angles, whole arrays at a time.

Matrices `[..., 3, 3]` act on column vectors. Everything goes through them; angles are radians.
"""

import itertools

import numpy as np
from jaxtyping import Float

Array = np.ndarray

EULER_ORDERS = tuple(
    first + second + third for first, second, third in itertools.product("XYZ", repeat=3) if first != second != third
)
# This near to gimbal lock the first and the last Euler angle are one angle: the last is set to zero.
GIMBAL_LOCK = 1e-11


def axis_rotation(angle: Float[Array, "..."], axis: str) -> Float[Array, "... 3 3"]:
    """Rotations by `angle` about one coordinate axis, "X", "Y" or "Z".

    >>> axis_rotation(np.array(np.pi / 2), "Z").round(3)[:, 0]
    array([0., 1., 0.])
    """
    i = "XYZ".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    matrix = np.zeros((*np.shape(angle), 3, 3))
    cos, sin = np.cos(angle), np.sin(angle)
    matrix[..., i, i] = 1
    matrix[..., j, j] = matrix[..., k, k] = cos
    matrix[..., k, j] = sin
    matrix[..., j, k] = -sin
    return matrix


def from_euler(angles: Float[Array, "... 3"], order: str) -> Float[Array, "... 3 3"]:
    """Matrices of Euler angles given in `order`: "ZYX" means the product `R_z(a0) R_y(a1) R_x(a2)`.

    >>> bool(np.allclose(from_euler(np.zeros(3), "ZYX"), np.eye(3)))
    True
    """
    _check_order(order)
    first, second, third = (axis_rotation(angles[..., n], order[n]) for n in range(3))
    return first @ second @ third


def to_euler(matrix: Float[Array, "... 3 3"], order: str) -> Float[Array, "... 3"]:
    """Euler angles in any of the twelve orders; the inverse of `from_euler` up to the usual ranges.

    The middle angle lies in [-pi/2, pi/2] for three different axes and in [0, pi] when the first axis
    returns. The result stands for the same rotation even in gimbal lock.

    >>> to_euler(from_euler(np.array([0.1, 0.2, 0.3]), "ZXY"), "ZXY").round(6)
    array([0.1, 0.2, 0.3])
    """
    _check_order(order)
    i, j = "XYZ".index(order[0]), "XYZ".index(order[1])
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if order[0] == order[2]:
        sine = np.hypot(matrix[..., i, j], matrix[..., i, k])
        middle = np.arctan2(sine, matrix[..., i, i])
        last = np.arctan2(matrix[..., i, j], sign * matrix[..., i, k])
        locked = sine < GIMBAL_LOCK
    else:
        cosine = np.hypot(matrix[..., i, i], matrix[..., i, j])
        middle = np.arctan2(sign * matrix[..., i, k], cosine)
        last = np.arctan2(-sign * matrix[..., i, j], matrix[..., i, i])
        locked = cosine < GIMBAL_LOCK
    last = np.where(locked, 0.0, last)
    # With the last rotation undone the first angle is well determined even near the lock.
    undone = np.einsum("...ab,...b->...a", matrix, axis_rotation(last, order[2])[..., j, :])
    first = np.arctan2(sign * undone[..., k], undone[..., j])
    return np.stack([first, middle, last], axis=-1)


def full_order(order: str) -> str:
    """An order of three axes that begins with the given ones, for joints that turn about fewer.

    >>> full_order("X"), full_order("ZX"), full_order(""), full_order("ZYX")
    ('XYZ', 'ZXY', 'ZYX', 'ZYX')
    """
    if not order:
        return "ZYX"
    return order + "".join(axis for axis in "XYZ" if axis not in order)[: 3 - len(order)]


def to_joint_angles(matrix: Float[Array, "... 3 3"], order: str) -> Float[Array, "... 3"]:
    """Euler angles in `full_order(order)` that turn only about the axes of `order` wherever that is possible.

    >>> turn = from_euler(np.array([0.1, 3.0, 0.0]), "XYZ")
    >>> to_joint_angles(turn, "XY").round(6)
    array([0.1, 3. , 0. ])
    """
    angles = to_euler(matrix, full_order(order))
    if len(order) != 2:
        return angles
    # The same turn told the other way round: with the middle angle past a right angle the last may vanish.
    other = angles * np.array([1, -1, 1]) + np.pi
    other -= 2 * np.pi * np.round(other / (2 * np.pi))
    return np.where(np.abs(angles[..., 2:]) <= np.abs(other[..., 2:]), angles, other)


def to_quaternion(matrix: Float[Array, "... 3 3"]) -> Float[Array, "... 4"]:
    """Unit quaternions (w, x, y, z) with w >= 0, accurate for every angle."""
    xx, yy, zz = matrix[..., 0, 0], matrix[..., 1, 1], matrix[..., 2, 2]
    # The four rows below are 4 q_n q: dividing by the one with the largest q_n loses no digits.
    products = np.empty((*matrix.shape[:-2], 4, 4))
    products[..., 0, 0] = 1 + xx + yy + zz
    products[..., 1, 1] = 1 + xx - yy - zz
    products[..., 2, 2] = 1 - xx + yy - zz
    products[..., 3, 3] = 1 - xx - yy + zz
    for n, (i, j) in enumerate([(1, 2), (2, 0), (0, 1)], start=1):
        products[..., 0, n] = products[..., n, 0] = matrix[..., j, i] - matrix[..., i, j]
        products[..., i + 1, j + 1] = products[..., j + 1, i + 1] = matrix[..., j, i] + matrix[..., i, j]
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    row = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    row = row / np.linalg.norm(row, axis=-1, keepdims=True)
    return np.where(row[..., :1] < 0, -row, row)


def from_exp(vector: Float[Array, "... 3"]) -> Float[Array, "... 3 3"]:
    """Matrices of exponential maps: axis times angle, any length.

    >>> from_exp(np.array([0.0, 0.0, np.pi])).round(3).diagonal()
    array([-1., -1.,  1.])
    """
    angle = np.linalg.norm(vector, axis=-1)
    # sinc keeps sin(a)/a and (1 - cos a)/a^2 exact down to zero.
    sine = np.sinc(angle / np.pi)
    versine = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    x, y, z = vector[..., 0], vector[..., 1], vector[..., 2]
    cross = np.zeros((*vector.shape, 3))
    cross[..., 2, 1], cross[..., 0, 2], cross[..., 1, 0] = x, y, z
    cross -= np.swapaxes(cross, -1, -2).copy()
    outer = vector[..., :, None] * vector[..., None, :]
    cosine = np.cos(angle)[..., None, None]
    return cosine * np.eye(3) + sine[..., None, None] * cross + versine[..., None, None] * outer


def to_exp(matrix: Float[Array, "... 3 3"]) -> Float[Array, "... 3"]:
    """Exponential maps of length at most pi, accurate near zero and near pi.

    >>> to_exp(from_exp(np.array([0.0, 1e-9, 0.0])))
    array([0.e+00, 1.e-09, 0.e+00])
    """
    quaternion = to_quaternion(matrix)
    sine = np.linalg.norm(quaternion[..., 1:], axis=-1, keepdims=True)
    half = np.arctan2(sine, quaternion[..., :1])
    # angle / sin(angle / 2) tends to 2 at zero.
    return quaternion[..., 1:] * np.where(sine > 0, 2 * half / np.where(sine > 0, sine, 1), 2.0)


def continuous_exp(vectors: Float[Array, "time ... 3"]) -> Float[Array, "time ... 3"]:
    """The same rotations with exponential maps that do not jump over time: they may grow longer than pi.

    An axis that flips between frames gets its sign back, and the then signed angle is unwrapped. Turns of
    more than a right angle between two frames are glitches of a recording: those are left alone.
    """
    angle = np.linalg.norm(vectors, axis=-1)
    turned = np.einsum("...i,...i->...", vectors[1:], vectors[:-1]) < 0
    sign = np.ones_like(angle)
    sign[1:] = np.cumprod(np.where(turned, -1.0, 1.0), axis=0)
    unwrapped = np.unwrap(sign * angle, discont=1.5 * np.pi, axis=0)
    ratio = np.where(angle > 0, sign * unwrapped / np.where(angle > 0, angle, 1), 1.0)
    return vectors * ratio[..., None]


def from_six(six: Float[Array, "... 6"]) -> Float[Array, "... 3 3"]:
    """The rotation that Gram and Schmidt make of two columns; degenerate columns give a valid one too.

    >>> from_six(np.zeros(6))
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    first = _unit(six[..., :3], np.eye(3)[0])
    second = _across(first, _unit(six[..., 3:], np.eye(3)[1]))
    # Where the columns are parallel the axis least along the first takes the place of the second.
    spare = np.eye(3)[np.argmin(np.abs(first), axis=-1)]
    # Twice is enough: what the first subtraction leaves over by rounding, the second takes away.
    second = _across(first, _unit(second, spare))
    second = second / np.linalg.norm(second, axis=-1, keepdims=True)
    return np.stack([first, second, np.cross(first, second)], axis=-1)


def to_six(matrix: Float[Array, "... 3 3"]) -> Float[Array, "... 6"]:
    """The first two columns of each matrix, one after the other."""
    return np.concatenate([matrix[..., :, 0], matrix[..., :, 1]], axis=-1)


def nearest_rotation(matrix: Float[Array, "... 3 3"]) -> Float[Array, "... 3 3"]:
    """The proper rotation with the smallest squared distance to any matrix.

    >>> nearest_rotation(2 * np.eye(3)).round(6)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    left, _, right = np.linalg.svd(matrix)
    left[..., :, 2] *= np.linalg.det(left @ right)[..., None]
    return left @ right


def angle_between(a: Float[Array, "... 3 3"], b: Float[Array, "... 3 3"]) -> Float[Array, "..."]:
    """The angle in radians that turns one rotation into the other."""
    return np.linalg.norm(to_exp(np.swapaxes(a, -1, -2) @ b), axis=-1)


def _across(first: Float[Array, "... 3"], other: Float[Array, "... 3"]) -> Float[Array, "... 3"]:
    """The part of `other` at right angles to the unit vector `first`."""
    return other - np.sum(first * other, axis=-1, keepdims=True) * first


def _unit(vector: Float[Array, "... 3"], otherwise: Float[Array, "... 3"]) -> Float[Array, "... 3"]:
    length = np.linalg.norm(vector, axis=-1, keepdims=True)
    usable = length > 1e-8
    return np.where(usable, vector / np.where(usable, length, 1), otherwise)


def _check_order(order: str) -> None:
    if order not in EULER_ORDERS:
        raise ValueError(f"rotation order is {order!r}, expected one of {', '.join(EULER_ORDERS)}")
