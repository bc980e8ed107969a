"""AMC files: the motion half of the Acclaim format, a list of named lines for every frame.

A regular file, every frame with the same lines, is taken apart by striding through its words; anything else
is read line by line, which is many times slower but finds the line to blame.
"""

import os
from itertools import chain
from pathlib import Path

import numpy as np
from jaxtyping import Float

from tsbn.motion.asf import ROOT, Asf, read_asf
from tsbn.motion.parsing import (
    MotionFileError,
    decode,
    expect_numbers,
    parse_numbers,
    read_bytes,
    shown,
    write_whole,
)
from tsbn.motion.rotations import from_euler, full_order, to_euler, to_joint_angles
from tsbn.motion.skeleton import Motion

# A rotation about an axis that a bone does not have, in radians, that is still taken for rounding.
UNSEEN_ANGLE = 1e-6
LONGEST_HEADER = 10_000


def read_amc(
    asf: Asf | str | os.PathLike[str], path: str | os.PathLike[str], frame_rate: int | float = 120.0
) -> Motion:
    """Reads a motion for a skeleton; AMC files do not tell their frame rate, the CMU database's is 120.

    >>> motion = read_amc("35.asf", "35_01.amc")  # doctest: +SKIP
    """
    asf = asf if isinstance(asf, Asf) else read_asf(asf)
    path = Path(path)
    text = read_bytes(path)
    start, line, degrees = _header(text, path)
    expected = channels(asf)
    values = by_stride(text[start:], expected)
    if values is None:
        values = by_line(text[start:], expected, path, line)
    in_degrees = asf.degrees if degrees is None else degrees
    return _to_motion(asf, values, in_degrees, frame_rate)


def channels(asf: Asf) -> dict[str, int]:
    """How many numbers each named line of a frame has; bones that never turn have no line."""
    return {ROOT: len(asf.root_order)} | {name: len(bone.dof) for name, bone in asf.bones.items() if bone.dof}


def _header(text: bytes, path: Path) -> tuple[int, int, bool | None]:
    """Where the first frame starts: byte and line; and whether angles are degrees, if the header says so."""
    degrees, at, line = None, 0, 1
    while at < len(text) and line <= LONGEST_HEADER:
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        words = text[at : min(end, at + 1000)].split()
        if words and words[0].isdigit():
            return at, line, degrees
        if words and not words[0].startswith((b":", b"#")):
            raise MotionFileError(path, line, f"expected the number of the first frame, found {shown(words[0])}")
        if words and words[0].upper() in (b":DEGREES", b":RADIANS"):
            degrees = words[0].upper() == b":DEGREES"
        at, line = end + 1, line + 1
    where = "the file ends" if at >= len(text) else f"the header goes on for {LONGEST_HEADER} lines"
    raise MotionFileError(path, line, f"{where} before its first frame")


def by_stride(body: bytes, expected: dict[str, int]) -> dict[str, Float[np.ndarray, "time n"]] | None:
    """All frames at once, or None unless each has the same lines in the same order and only good numbers."""
    words = body.split()
    # The first frame's lines say where names and numbers stand in every later frame.
    at, layout = 1, []
    while at < len(words) and len(layout) < len(expected):
        name = decode(words[at])
        if name not in expected or name in dict(layout):
            return None
        layout.append((name, at))
        at += 1 + expected[name]
    stride = at
    if len(layout) < len(expected) or len(words) % stride:
        return None
    frames = len(words) // stride
    if any(words[at::stride].count(words[at]) != frames for _, at in layout):
        return None
    starts = [0] + [at + n for name, at in layout for n in range(1, expected[name] + 1)]
    numbers = parse_numbers(list(chain.from_iterable(words[at::stride] for at in starts)))
    if numbers is None:
        return None
    table = numbers.reshape(len(starts), frames)
    if not np.array_equal(table[0], table[0, 0] + np.arange(frames)):
        return None
    ends = np.cumsum([expected[name] for name, _ in layout])
    return {name: table[1 + end - expected[name] : 1 + end].T for (name, _), end in zip(layout, ends, strict=True)}


def by_line(
    body: bytes, expected: dict[str, int], path: Path, first_line: int
) -> dict[str, Float[np.ndarray, "time n"]]:
    """The same, one line at a time: for frames that list their bones in changing order, and for errors."""
    rows: dict[str, list[np.ndarray]] = {name: [] for name in expected}
    frame, line = None, first_line
    filled: set[str] = set()
    for line, raw in enumerate(body.splitlines(), start=first_line):
        words = raw.split()
        if not words or words[0].startswith(b"#"):
            continue
        if len(words) == 1 and words[0].isdigit():
            number = int(words[0][:20])
            if frame is not None:
                _check_complete(filled, expected, frame, path, line)
                if number != frame + 1:
                    raise MotionFileError(path, line, f"frame {number} follows frame {frame}")
            frame, filled = number, set()
            continue
        name = decode(words[0][:1000])
        if name not in expected:
            raise MotionFileError(path, line, f"{shown(name)} is neither a frame number nor a bone that turns")
        if name in filled:
            raise MotionFileError(path, line, f"bone {shown(name)} comes twice in frame {frame}")
        rows[name].append(expect_numbers(words[1:], expected[name], f"bone {name!r}", path, line))
        filled.add(name)
    _check_complete(filled, expected, frame, path, line)
    return {name: np.array(values).reshape(-1, expected[name]) for name, values in rows.items()}


def _check_complete(filled: set[str], expected: dict[str, int], frame: int | None, path: Path, line: int) -> None:
    missing = [name for name in expected if name not in filled]
    if missing:
        raise MotionFileError(path, line, f"frame {frame} ends without bone {shown(missing[0])}")


def _to_motion(
    asf: Asf, values: dict[str, Float[np.ndarray, "time n"]], degrees: bool, frame_rate: int | float
) -> Motion:
    skeleton = asf.skeleton
    root = dict(zip(asf.root_order, values[ROOT].T, strict=True))
    frames = len(values[ROOT])
    unit = np.pi / 180 if degrees else 1.0
    still = np.zeros(frames)
    placement = from_euler(asf.orientation[::-1], asf.root_axis[::-1])
    turn = np.stack([unit * root.get(f"R{axis}", still) for axis in reversed(asf.root_axis)], axis=-1)
    travel = np.stack([root.get(f"T{axis}", still) for axis in "XYZ"], axis=-1)
    angles = np.zeros((frames, skeleton.joints, 3))
    groups: dict[str, list[int]] = {}
    for joint, name in enumerate(skeleton.names[1:], start=1):
        order = asf.bones[name].dof[::-1]
        groups.setdefault(full_order(order), []).append(joint)
        if order:
            angles[:, joint, : len(order)] = unit * values[name][:, ::-1]
    rotations = np.empty((frames, skeleton.joints, 3, 3))
    # The root's position and orientation place the rest pose in the world; its motion is relative to that.
    rotations[:, 0] = placement @ from_euler(turn, asf.root_axis[::-1])
    for order, joints in groups.items():
        rotations[:, joints] = from_euler(angles[:, joints], order)
    frame = np.array([np.eye(3)] + [asf.bones[name].frame for name in skeleton.names[1:]])
    rotations = frame @ rotations @ np.swapaxes(frame, -1, -2)
    return Motion(skeleton, asf.position + travel @ placement.T, rotations, frame_rate)


def write_amc(motion: Motion, asf: Asf, path: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Writes a motion of the ASF's skeleton; a joint that turns about an axis its bone lacks is refused."""
    columns: list[tuple[str, Float[np.ndarray, "time n"]]] = []
    placement = from_euler(asf.orientation[::-1], asf.root_axis[::-1])
    travel = (motion.translation - asf.position) @ placement
    turn = to_euler(placement.T @ motion.rotations[:, 0], asf.root_axis[::-1])
    root = {f"T{axis}": travel[:, n] for n, axis in enumerate("XYZ")}
    root |= {f"R{axis}": np.rad2deg(turn[:, n]) for n, axis in enumerate(reversed(asf.root_axis))}
    columns.append((ROOT, np.stack([root[channel] for channel in asf.root_order], axis=-1)))
    for joint, name in enumerate(asf.skeleton.names[1:], start=1):
        bone = asf.bones[name]
        order = bone.dof[::-1]
        angles = to_joint_angles(bone.frame.T @ motion.rotations[:, joint] @ bone.frame, order)
        if np.abs(angles[:, len(order) :]).max(initial=0.0) > UNSEEN_ANGLE:
            raise ValueError(f"joint {name!r} turns about an axis that its bone lacks: dof is {bone.dof or 'none'!r}")
        if order:
            columns.append((name, np.rad2deg(angles[:, : len(order)][:, ::-1])))
    row = "%d\n" + "".join(f"{name}{' %.9g' * values.shape[1]}\n" for name, values in columns)
    table = np.concatenate([values for _, values in columns], axis=1)
    text = ":FULLY-SPECIFIED\n:DEGREES\n"
    text += "".join(row % (frame, *values) for frame, values in enumerate(table, start=1))
    write_whole(path, text, overwrite)
