"""BVH files in and out: any hierarchy, any order of channels, End Sites.

Written by hand although pybvh reads the common files: it refuses joints with one, two or six channels and
a root whose positions are not listed X Y Z, lets NaN through, and names no line when a frame is wrong.
"""

import os
from pathlib import Path

import numpy as np
from jaxtyping import Float

from tsbn.motion.bvh_hierarchy import Hierarchy, depth_first, hierarchy_text, read_hierarchy
from tsbn.motion.parsing import (
    MotionFileError,
    decode,
    expect_numbers,
    number_problem,
    parse_numbers,
    read_bytes,
    shown,
    write_whole,
)
from tsbn.motion.rotations import from_euler, full_order, to_joint_angles
from tsbn.motion.skeleton import Motion

# Converters cut the frame time to a few digits: .0083333 means 120 frames per second, not 120.0005.
RATE_TOLERANCE = 1e-4
# Half of the last digit written, in degrees.
UNSEEN_ANGLE = 5e-7


def read_bvh(path: str | os.PathLike[str]) -> Motion:
    """Reads a BVH file.

    Position channels of a joint take the place of its OFFSET, as most programs write them: for the root they
    are `Motion.translation`, for other joints they become `Motion.shifts` (see `Motion.rigid`).

    >>> motion = read_bvh("35_01.bvh")  # doctest: +SKIP
    >>> motion = motion[1:]  # CMU's converted files begin with a T-pose  # doctest: +SKIP
    """
    path = Path(path)
    lines = read_bytes(path).splitlines()
    hierarchy, after = read_hierarchy(lines, path)
    frames, rate, first = _read_header(lines, after, path)
    return _to_motion(hierarchy, _read_frames(lines, first, frames, hierarchy, path), rate)


def write_bvh(motion: Motion, path: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Writes a BVH file that appears complete or not at all.

    Joints keep the rotation order of their skeleton; one that turns about more axes than its file listed
    gets all three channels.

    >>> write_bvh(motion, "walk.bvh")  # doctest: +SKIP
    """
    skeleton = motion.skeleton
    channels: dict[int, list[str]] = {}
    columns = []
    for joint in depth_first(skeleton):
        channels[joint] = []
        moved = None if motion.shifts is None else motion.shifts[:, joint]
        if joint == 0 or (moved is not None and moved.any()):
            channels[joint] += ["Xposition", "Yposition", "Zposition"]
            columns.append(motion.translation if joint == 0 else skeleton.offsets[joint] + moved)
        order, angles = _angles(motion.rotations[:, joint], skeleton.orders[joint])
        channels[joint] += [f"{axis}rotation" for axis in order]
        columns.append(angles)
    table = np.concatenate(columns, axis=1)
    row = " ".join(["%.6f"] * table.shape[1]) + "\n"
    text = hierarchy_text(skeleton, channels)
    text += f"MOTION\nFrames: {motion.frames}\nFrame Time: {1 / motion.frame_rate:.10g}\n"
    text += "".join(row % tuple(values) for values in table)
    write_whole(path, text, overwrite)


def _read_header(lines: list[bytes], start: int, path: Path) -> tuple[int, float, int]:
    """Number of frames, frame rate, and the index of the first frame's line."""
    found: dict[str, tuple[str, int]] = {}
    for index in range(start, len(lines)):
        text = decode(lines[index][:200]).strip()
        if not text:
            continue
        key, _, value = text.partition(":")
        key = "".join(key.lower().split())
        if key not in ("frames", "frametime"):
            raise MotionFileError(path, index + 1, f"expected Frames: and Frame Time:, found {shown(text)}")
        found[key] = (value.strip(), index + 1)
        if len(found) == 2:
            break
    else:
        raise MotionFileError(path, len(lines), "the file ends before Frames: and Frame Time:")
    count, line = found["frames"]
    if not (count.isascii() and count.isdigit() and len(count) < 10):
        raise MotionFileError(path, line, f"Frames: {shown(count)}, expected a whole number")
    seconds, line = found["frametime"]
    time = expect_numbers(seconds.split(), 1, "Frame Time", path, line)[0]
    if not 1e-6 < time < 1e6:
        raise MotionFileError(path, line, f"Frame Time: {shown(seconds)}, expected seconds between two frames")
    rate = float(1 / time)
    if round(rate) > 0 and abs(rate - round(rate)) < RATE_TOLERANCE * rate:
        rate = float(round(rate))
    return int(count), rate, max(line for _, line in found.values())


def _read_frames(
    lines: list[bytes], first: int, frames: int, tree: Hierarchy, path: Path
) -> Float[np.ndarray, "frames channels"]:
    columns = sum(len(names or ()) for names in tree.channels)
    rows = [words for words in map(bytes.split, lines[first:]) if words]
    # Each line is counted, so that one with a value too few and one too many cannot make up for each other.
    if len(rows) == frames and all(len(words) == columns for words in rows):
        values = parse_numbers([word for words in rows for word in words])
        if values is not None:
            return values.reshape(frames, columns)
    raise _frame_error(lines, first, frames, columns, path)


def _frame_error(lines: list[bytes], first: int, frames: int, columns: int, path: Path) -> MotionFileError:
    """Goes through the lines one at a time to find the one to blame."""
    count = 0
    for index in range(first, len(lines)):
        words = lines[index].split()
        if not words:
            continue
        count += 1
        if count > frames:
            return MotionFileError(path, index + 1, f"more frames than the {frames} announced by Frames:")
        problem = number_problem(words)
        if problem is None and len(words) != columns:
            problem = f"frame {count} has {len(words)} values, the hierarchy has {columns} channels"
        if problem is not None:
            return MotionFileError(path, index + 1, problem)
    return MotionFileError(path, len(lines), f"the file ends after {count} frames, Frames: announced {frames}")


def _to_motion(tree: Hierarchy, values: Float[np.ndarray, "frames channels"], rate: float) -> Motion:
    skeleton = tree.skeleton()
    angles = np.zeros((len(values), skeleton.joints, 3))
    places = np.broadcast_to(skeleton.offsets, angles.shape).copy()
    column = 0
    for joint, names in enumerate(tree.channels):
        turn = 0
        for name in names or ():
            if name[1] == "r":
                angles[:, joint, turn] = np.deg2rad(values[:, column])
                turn += 1
            else:
                places[:, joint, "XYZ".index(name[0])] = values[:, column]
            column += 1
    rotations = np.empty((*angles.shape, 3))
    for order in set(skeleton.orders):
        group = [joint for joint in range(skeleton.joints) if skeleton.orders[joint] == order]
        rotations[:, group] = from_euler(angles[:, group], full_order(order))
    shifts = places - skeleton.offsets
    shifts[:, 0] = 0
    return Motion(skeleton, places[:, 0], rotations, rate, shifts if shifts.any() else None)


def _angles(rotations: Float[np.ndarray, "time 3 3"], order: str) -> tuple[str, Float[np.ndarray, "time channels"]]:
    """The rotation channels a joint needs and their values in degrees.

    Angles run on past 180 degrees instead of jumping, as animation curves do.
    """
    listed = len(order)
    angles = np.rad2deg(np.unwrap(to_joint_angles(rotations, order), axis=0))
    if np.abs(angles[:, listed:]).max(initial=0.0) < UNSEEN_ANGLE:
        return order, angles[:, :listed]
    return full_order(order), angles
