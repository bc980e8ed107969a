"""Another frame rate for a motion, low-pass filtered so that fast movements do not come back as slow ones."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from tsbn.motion.rotations import nearest_rotation
from tsbn.motion.skeleton import Motion

# Half the kernel's length in frames of the slower rate, the Kaiser window's shape, and the cutoff as a share
# of the new Nyquist frequency: 60 % of the band passes, what would fold back is damped a thousandfold.
REACH = 12
KAISER = 6.0
CUTOFF = 0.8


def resample(motion: Motion, frame_rate: int | float) -> Motion:
    """The motion at `frame_rate` frames per second, from its first frame to at most its last.

    Rotation matrices are averaged entry by entry and brought back to the nearest rotation: no Euler angle or
    exponential map with its jumps is ever averaged.

    >>> from tsbn.motion import walker
    >>> resample(walker(frames=121, fps=120), 30).frames
    31
    """
    if not (np.isfinite(frame_rate) and frame_rate > 0):
        raise ValueError(f"frame_rate is {frame_rate}, expected a positive number of frames per second")
    if frame_rate == motion.frame_rate or motion.frames < 2:
        return replace(motion, frame_rate=float(frame_rate)) if motion.frames < 2 else motion
    ratio = motion.frame_rate / frame_rate
    # The small term keeps a last frame that rounding would put just past the end.
    times = np.arange(int((motion.frames - 1) / ratio + 1e-9) + 1) * ratio
    slower = max(ratio, 1.0)
    reach = int(np.ceil(REACH * slower))
    translation = _filter(_beyond(motion.translation, reach), times, slower, reach)
    turns = _filter(_beyond_rotations(motion.rotations, reach), times, slower, reach)
    shifts = None if motion.shifts is None else _filter(_beyond(motion.shifts, reach), times, slower, reach)
    return Motion(motion.skeleton, translation, nearest_rotation(turns), float(frame_rate), shifts)


def _filter(
    extended: Float[np.ndarray, "longer ..."], times: Float[np.ndarray, " new"], slower: float, reach: int
) -> Float[np.ndarray, "new ..."]:
    """Windowed-sinc averages at `times` (in frames) of an array extended by `reach` frames on both sides."""
    nearest = np.round(times).astype(int)
    result = np.zeros((len(times), *extended.shape[1:]))
    total = np.zeros(len(times))
    for tap in range(-reach, reach + 1):
        distance = nearest + tap - times
        inside = np.clip(1 - (distance / (reach + 1)) ** 2, 0, None)
        # Going up in rate nothing can fold back, so the whole band passes and frames keep their values.
        passed = CUTOFF if slower > 1 else 1.0
        weight = np.sinc(distance / slower * passed) * np.i0(KAISER * np.sqrt(inside))
        total += weight
        result += weight.reshape(-1, *[1] * (extended.ndim - 1)) * extended[nearest + tap + reach]
    return result / total.reshape(-1, *[1] * (extended.ndim - 1))


def _mirror(frames: int, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """Which frames to reflect before the first and after the last; short motions only to their end."""
    before = np.minimum(np.arange(reach, 0, -1), frames - 1)
    after = np.maximum(frames - 1 - np.arange(1, reach + 1), 0)
    return before, after


def _beyond(values: Float[np.ndarray, "time ..."], reach: int) -> Float[np.ndarray, "longer ..."]:
    """Goes on at both ends by point reflection: a steady walk stays a steady walk."""
    before, after = _mirror(len(values), reach)
    return np.concatenate([2 * values[:1] - values[before], values, 2 * values[-1:] - values[after]])


def _beyond_rotations(
    turns: Float[np.ndarray, "time joints 3 3"], reach: int
) -> Float[np.ndarray, "longer joints 3 3"]:
    """The same among rotations, where the reflection of R at P is P inverse(R) P."""
    before, after = _mirror(len(turns), reach)
    inverse = np.swapaxes(turns, -1, -2)
    return np.concatenate([turns[:1] @ inverse[before] @ turns[:1], turns, turns[-1:] @ inverse[after] @ turns[-1:]])
