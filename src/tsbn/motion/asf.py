"""ASF files: the skeleton half of the Acclaim format in which the CMU database publishes its recordings."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from jaxtyping import Float

from tsbn.motion.parsing import MotionFileError, decode, expect_numbers, read_bytes, shown, write_whole
from tsbn.motion.rotations import EULER_ORDERS, from_euler
from tsbn.motion.skeleton import Skeleton

ROOT = "root"
# CMU's skeletons have 7000 bytes: something a hundred times as large is no skeleton.
MOST_BYTES = 1_000_000


@dataclass(eq=False)
class Bone:
    """One bone: `direction` in the world of the rest pose, `axis` (radians) the frame its angles refer to.

    dof: the axes it turns about, in the order in which the turns happen, e.g. "XYZ" or "XZ".
    limits: `[dof, 2]` lowest and highest angle in the file's unit; recordings do exceed them.
    """

    name: str
    direction: Float[np.ndarray, " 3"] = field(default_factory=lambda: np.zeros(3))
    length: float = 0.0
    axis: Float[np.ndarray, " 3"] = field(default_factory=lambda: np.zeros(3))
    axis_order: str = "XYZ"
    dof: str = ""
    limits: Float[np.ndarray, "dof 2"] = field(default_factory=lambda: np.zeros((0, 2)))

    @property
    def frame(self) -> Float[np.ndarray, "3 3"]:
        # Acclaim lists the turn that happens first first: the product runs the other way.
        return from_euler(self.axis[::-1], self.axis_order[::-1])


@dataclass(eq=False)
class Asf:
    """A skeleton with what it takes to read its AMC files.

    Lengths stay in the file's unit, as in the BVH versions of the database; see `metres`.
    """

    bones: dict[str, Bone]
    parents: dict[str, str]
    length_unit: float = 1.0
    degrees: bool = True
    root_order: tuple[str, ...] = ("TX", "TY", "TZ", "RX", "RY", "RZ")
    root_axis: str = "XYZ"
    position: Float[np.ndarray, " 3"] = field(default_factory=lambda: np.zeros(3))
    orientation: Float[np.ndarray, " 3"] = field(default_factory=lambda: np.zeros(3))

    @property
    def metres(self) -> float:
        """Metres in one unit of the file. CMU's lengths are inches times `length_unit` (0.45): 56.4 mm.

        >>> round(Asf({}, {}, length_unit=0.45).metres * 1000, 1)
        56.4
        """
        return 0.0254 / self.length_unit

    @cached_property
    def skeleton(self) -> Skeleton:
        """Joints sit where bones begin: each carries its bone's name and its parent's bone as offset."""
        children: dict[str, list[str]] = {ROOT: []} | {name: [] for name in self.bones}
        for child, parent in self.parents.items():
            children[parent].append(child)
        names, waiting = [], [ROOT]
        while waiting:
            names.append(waiting.pop())
            waiting += reversed(children[names[-1]])
        index = {name: n for n, name in enumerate(names)}
        reach = {ROOT: np.zeros(3)} | {name: bone.direction * bone.length for name, bone in self.bones.items()}
        tips = [name for name in names if not children[name] and name != ROOT]
        return Skeleton(
            tuple(names),
            tuple(index[self.parents[name]] if name != ROOT else -1 for name in names),
            np.array([self.position if name == ROOT else reach[self.parents[name]] for name in names]),
            tuple(index[name] for name in tips),
            np.array([reach[name] for name in tips]).reshape(-1, 3),
        )


class _Reader:
    """One method per section; each takes the section's lines as (line number, words)."""

    def __init__(self, path: Path):
        self.path = path
        self.asf = Asf({}, {})

    def error(self, line: int, problem: str) -> MotionFileError:
        return MotionFileError(self.path, line, problem)

    def numbers(self, words: list[str], count: int, what: str, line: int) -> Float[np.ndarray, " count"]:
        return expect_numbers(words, count, what, self.path, line)

    def angles(self, words: list[str], what: str, line: int) -> Float[np.ndarray, " 3"]:
        angles = self.numbers(words, 3, what, line)
        return np.deg2rad(angles) if self.asf.degrees else angles

    def units(self, lines: list[tuple[int, list[str]]]) -> None:
        for line, words in lines:
            if words[0] == "length":
                self.asf.length_unit = float(self.numbers(words[1:], 1, "length", line)[0])
                if self.asf.length_unit <= 0:
                    raise self.error(line, f"length is {words[1]}, expected a positive number")
            elif words[0] == "angle":
                if words[1:] not in (["deg"], ["rad"]):
                    raise self.error(line, f"angle is {shown(' '.join(words[1:]))}, expected deg or rad")
                self.asf.degrees = words[1] == "deg"

    def root(self, lines: list[tuple[int, list[str]]]) -> None:
        for line, words in lines:
            if words[0] == "order":
                order = tuple(word.upper() for word in words[1:])
                if not set(order) <= {"TX", "TY", "TZ", "RX", "RY", "RZ"} or len(set(order)) != len(order):
                    raise self.error(line, f"root order is {shown(' '.join(order))}, expected TX TY TZ RX RY RZ")
                self.asf.root_order = order
            elif words[0] == "axis":
                self.asf.root_axis = self.order(words[1:], line)
            elif words[0] == "position":
                self.asf.position = self.numbers(words[1:], 3, "position", line)
            elif words[0] == "orientation":
                self.asf.orientation = self.angles(words[1:], "orientation", line)

    def order(self, words: list[str], line: int) -> str:
        if len(words) != 1 or words[0].upper() not in EULER_ORDERS:
            raise self.error(line, f"axis order is {shown(' '.join(words))}, expected e.g. XYZ")
        return words[0].upper()

    def bonedata(self, lines: list[tuple[int, list[str]]]) -> None:
        bone, limits, began = None, [], 0
        for line, words in lines:
            keyword = words[0]
            if keyword == "begin":
                bone, limits, began = Bone(""), [], line
            elif bone is None:
                raise self.error(line, f"{shown(' '.join(words))} outside begin and end")
            elif keyword == "name":
                bone.name = " ".join(words[1:])
            elif keyword == "direction":
                bone.direction = self.numbers(words[1:], 3, "direction", line)
            elif keyword == "length":
                bone.length = float(self.numbers(words[1:], 1, "length", line)[0])
            elif keyword == "axis":
                bone.axis = self.angles(words[1:4], "axis", line)
                bone.axis_order = self.order(words[4:], line)
            elif keyword == "dof":
                bone.dof = self.dof(words[1:], line)
            elif keyword == "limits" or keyword.startswith("("):
                pair = " ".join(words).removeprefix("limits").replace("(", " ").replace(")", " ")
                limits.append(self.limit(pair.split(), line))
            elif keyword == "end":
                if not bone.name or bone.name == ROOT or bone.name in self.asf.bones:
                    raise self.error(line, f"bone is named {shown(bone.name)}, expected a name of its own")
                if limits and len(limits) != len(bone.dof):
                    told = f"{len(limits)} limits, expected {len(bone.dof)}"
                    raise self.error(line, f"bone {shown(bone.name)} has {told}")
                bone.limits = np.array(limits).reshape(-1, 2)
                self.asf.bones[bone.name] = bone
                bone = None
        if bone is not None:
            raise self.error(began, "begin without end")

    def dof(self, words: list[str], line: int) -> str:
        axes = "".join(word[1:] for word in (word.upper() for word in words) if word in ("RX", "RY", "RZ"))
        if len(axes) != len(words) or len(set(axes)) != len(axes):
            raise self.error(line, f"dof is {shown(' '.join(words))}, expected some of rx ry rz")
        return axes

    def limit(self, words: list[str], line: int) -> list[float]:
        # "inf" is the format's way to say that an angle has no limit.
        if len(words) == 2 and all(word.lower().lstrip("+-") == "inf" for word in words):
            return [-np.inf, np.inf]
        return list(self.numbers(words, 2, "limits", line))

    def hierarchy(self, lines: list[tuple[int, list[str]]]) -> None:
        placed = {ROOT}
        for line, words in lines:
            if words[0] in ("begin", "end") and len(words) == 1:
                continue
            if words[0] not in placed:
                raise self.error(line, f"parent {shown(words[0])} does not hang from the root yet")
            for child in words[1:]:
                if child not in self.asf.bones:
                    raise self.error(line, f"{shown(child)} is not a bone of :bonedata")
                if child in placed:
                    raise self.error(line, f"bone {shown(child)} has a parent already")
                placed.add(child)
                self.asf.parents[child] = words[0]
        loose = [name for name in self.asf.bones if name not in placed]
        if loose:
            last = lines[-1][0] if lines else 1
            raise self.error(last, f"bone {shown(loose[0])} is missing from :hierarchy")


def read_asf(path: str | os.PathLike[str]) -> Asf:
    """Reads the skeleton of Acclaim files.

    >>> read_asf("35.asf").skeleton.joints  # doctest: +SKIP
    31
    """
    path = Path(path)
    reader = _Reader(path)
    seen: dict[str, int] = {}
    for line, name, lines in _sections(path):
        seen[name] = line
        if name in ("units", "root", "bonedata", "hierarchy"):
            getattr(reader, name)(lines)
    for name in ("bonedata", "hierarchy"):
        if name not in seen:
            raise MotionFileError(path, max(seen.values(), default=1), f"the file has no :{name}")
    return reader.asf


def _sections(path: Path) -> Iterator[tuple[int, str, list[tuple[int, list[str]]]]]:
    """Each `:section` with its line and its lines as words, comments and empty lines left out."""
    start, name = 0, ""
    lines: list[tuple[int, list[str]]] = []
    text = read_bytes(path)
    if len(text) > MOST_BYTES:
        raise MotionFileError(path, 1, f"the file has {len(text)} bytes, expected a skeleton of at most {MOST_BYTES}")
    for line, raw in enumerate(text.splitlines(), start=1):
        words = decode(raw).split()
        if not words or words[0].startswith("#"):
            continue
        if words[0].startswith(":"):
            if name:
                yield start, name, lines
            start, name, lines = line, words[0][1:].lower(), []
        elif not name:
            raise MotionFileError(path, line, f"expected a section such as :units, found {shown(raw)}")
        else:
            lines.append((line, words))
    if name:
        yield start, name, lines


def write_asf(asf: Asf, path: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Writes a skeleton as an ASF file that appears complete or not at all."""
    unit = np.rad2deg if asf.degrees else np.asarray
    out = [":version 1.10", ":name tsbn", ":units", f"  length {asf.length_unit!r}"]
    out += [f"  angle {'deg' if asf.degrees else 'rad'}", ":root", f"  order {' '.join(asf.root_order)}"]
    out += [f"  axis {asf.root_axis}", f"  position {_numbers(asf.position)}"]
    out += [f"  orientation {_numbers(unit(asf.orientation))}", ":bonedata"]
    for number, bone in enumerate(asf.bones.values(), start=1):
        out += ["  begin", f"    id {number}", f"    name {bone.name}"]
        out += [f"    direction {_numbers(bone.direction)}", f"    length {bone.length!r}"]
        out.append(f"    axis {_numbers(unit(bone.axis))} {bone.axis_order}")
        if bone.dof:
            out.append("    dof " + " ".join(f"r{axis.lower()}" for axis in bone.dof))
        for n, pair in enumerate(bone.limits):
            out.append(f"    {'limits' if n == 0 else '      '} ({_numbers(pair)})")
        out.append("  end")
    out += [":hierarchy", "  begin"]
    # In the skeleton's order every parent is placed before it is a parent.
    for name in asf.skeleton.names:
        children = [child for child, parent in asf.parents.items() if parent == name]
        if children:
            out.append(f"    {name} {' '.join(children)}")
    write_whole(path, "\n".join([*out, "  end", ""]), overwrite)


def _numbers(values: Float[np.ndarray, " n"]) -> str:
    return " ".join(repr(float(value)) for value in values)
