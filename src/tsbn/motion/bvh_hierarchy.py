"""The first half of a BVH file, its HIERARCHY: joints, offsets, channels and End Sites, read and written."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from jaxtyping import Float

from tsbn.motion.parsing import MotionFileError, decode, expect_numbers, shown
from tsbn.motion.skeleton import Skeleton

CHANNEL = re.compile(r"([XYZ])(position|rotation)", re.IGNORECASE)
# A statement is a brace or the text between braces: "ROOT Hips {" on one line holds two.
STATEMENT = re.compile(r"[{}]|[^\s{}][^{}]*")
# Far more than any body has: junk that happens to nest is refused before it fills the memory.
MOST_JOINTS = 10_000
MOST_LINES = 20 * MOST_JOINTS
LONGEST_LINE = 100_000


@dataclass
class Hierarchy:
    """The joints of a file in its own order; a channel is its axis and kind: "Xp" or "Zr"."""

    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    offsets: list[np.ndarray | None] = field(default_factory=list)
    channels: list[list[str] | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    end_parents: list[int] = field(default_factory=list)
    end_offsets: list[np.ndarray] = field(default_factory=list)

    def skeleton(self) -> Skeleton:
        return Skeleton(
            tuple(self.names),
            tuple(self.parents),
            np.array(self.offsets),
            tuple(self.end_parents),
            np.array(self.end_offsets).reshape(-1, 3),
            tuple(rotation_order(names or []) for names in self.channels),
        )


class _Parser:
    """Takes one statement at a time and remembers the open braces: no recursion, however deep they nest."""

    def __init__(self, path: Path):
        self.path = path
        self.line = 0
        self.tree = Hierarchy()
        # What each open brace belongs to: a joint's index, or None inside an End Site.
        self.open: list[int | None] = []
        # The same for a ROOT, JOINT or End Site whose brace is still to come.
        self.announced: list[int | None] = []

    def error(self, problem: str) -> MotionFileError:
        return MotionFileError(self.path, self.line, problem)

    def take(self, statement: str) -> None:
        keyword, *rest = statement.split(maxsplit=1)
        text = rest[0].strip() if rest else ""
        inside = self.open[-1] if self.open else None
        if self.announced and keyword != "{":
            raise self.error(f"expected '{{', found {shown(statement)}")
        match keyword.upper():
            case "{" if self.announced:
                self.open.append(self.announced.pop())
            case "}" if self.open:
                self.close(self.open.pop())
            case "ROOT" | "JOINT":
                self.joint(keyword.upper(), text, inside)
            case "END" if inside is not None:
                self.tree.end_parents.append(inside)
                self.announced.append(None)
            case "OFFSET" if self.open:
                offset = expect_numbers(text.split(), 3, "OFFSET", self.path, self.line)
                if inside is None:
                    self.tree.end_offsets.append(offset)
                else:
                    self.tree.offsets[inside] = offset
            case "CHANNELS" if inside is not None:
                self.tree.channels[inside] = self.channels(text.split())
            case "HIERARCHY" if not self.tree.names:
                pass
            case _:
                raise self.error(f"{shown(statement)} does not belong here")

    def joint(self, keyword: str, name: str, inside: int | None) -> None:
        tree = self.tree
        if not name:
            raise self.error(f"{keyword} has no name")
        if keyword == "ROOT" and tree.names:
            raise self.error(f"second ROOT {shown(name)}, expected one skeleton in a file")
        if keyword == "JOINT" and inside is None:
            raise self.error(f"JOINT {shown(name)} outside a ROOT")
        if len(tree.names) == MOST_JOINTS:
            raise self.error(f"more than {MOST_JOINTS} joints")
        self.announced.append(len(tree.names))
        tree.names.append(name)
        tree.parents.append(-1 if inside is None else inside)
        tree.offsets.append(None)
        tree.channels.append(None)
        tree.lines.append(self.line)

    def close(self, joint: int | None) -> None:
        tree = self.tree
        if joint is None:
            if len(tree.end_offsets) != len(tree.end_parents):
                raise self.error("End Site needs exactly one OFFSET")
            return
        for what, given in (("OFFSET", tree.offsets[joint]), ("CHANNELS", tree.channels[joint])):
            if given is None:
                raise self.error(f"joint {shown(tree.names[joint])} has no {what}")

    def channels(self, words: list[str]) -> list[str]:
        if not words or not words[0].isdecimal() or int(words[0]) != len(words) - 1:
            told = shown(" ".join(words[:8]))
            raise self.error(f"CHANNELS {told}: expected a count and as many channel names")
        names = []
        for word in words[1:]:
            match = CHANNEL.fullmatch(word)
            if match is None:
                raise self.error(f"channel {shown(word)}, expected e.g. Xposition or Zrotation")
            names.append(match[1].upper() + match[2][0].lower())
        order = rotation_order(names)
        # The first axis may return as the third, as in ZXZ; any other repetition is a slip.
        returning = len(order) == 3 and order[0] == order[2] != order[1]
        if len(set(names)) != len(names) - returning:
            raise self.error(f"a channel is listed twice: {shown(' '.join(words[1:]))}")
        return names

    def finish(self) -> Hierarchy:
        tree = self.tree
        if not tree.names:
            raise self.error("MOTION before any ROOT")
        if self.open or self.announced:
            raise self.error(f"{len(self.open) + len(self.announced)} blocks still open at MOTION")
        seen: dict[str, int] = {}
        for name, line in zip(tree.names, tree.lines, strict=True):
            if name in seen:
                raise MotionFileError(self.path, line, f"joint {shown(name)} was already named on line {seen[name]}")
            seen[name] = line
        return tree


def read_hierarchy(lines: list[bytes], path: Path) -> tuple[Hierarchy, int]:
    """The joints of a file given as lines, and the index of the line after MOTION."""
    parser = _Parser(path)
    for index, raw in enumerate(lines):
        parser.line = index + 1
        if len(raw) > LONGEST_LINE:
            raise parser.error(f"a line of {len(raw)} characters in the hierarchy: {shown(raw)}")
        if index == MOST_LINES:
            raise parser.error(f"no MOTION in the first {MOST_LINES} lines")
        for statement in STATEMENT.findall(decode(raw)):
            if statement.strip().upper() == "MOTION" and not parser.announced:
                return parser.finish(), index + 1
            parser.take(statement)
    raise MotionFileError(path, max(len(lines), 1), "the file ends before MOTION")


def rotation_order(channels: list[str]) -> str:
    """The axes of the rotation channels: `["Xp", "Zr", "Yr"]` gives "ZY"."""
    return "".join(name[0] for name in channels if name[1] == "r")


def depth_first(skeleton: Skeleton) -> list[int]:
    """The joints in the order in which a file lists them: each one's descendants right after it."""
    children: list[list[int]] = [[] for _ in range(skeleton.joints)]
    for joint, parent in enumerate(skeleton.parents[1:], start=1):
        children[parent].append(joint)
    order, waiting = [], [0]
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(children[order[-1]])
    return order


def hierarchy_text(skeleton: Skeleton, channels: dict[int, list[str]]) -> str:
    """HIERARCHY as text; `channels` gives each joint's channel names in full."""
    tips: dict[int, list[int]] = {}
    for tip, parent in enumerate(skeleton.end_parents):
        tips.setdefault(parent, []).append(tip)
    out = ["HIERARCHY"]
    open_joints: list[int] = []
    for joint in depth_first(skeleton):
        while open_joints and open_joints[-1] != skeleton.parents[joint]:
            open_joints.pop()
            out.append("\t" * len(open_joints) + "}")
        tab = "\t" * len(open_joints)
        kind = "JOINT" if open_joints else "ROOT"
        listed = " ".join([str(len(channels[joint])), *channels[joint]])
        out += [f"{tab}{kind} {skeleton.names[joint]}", f"{tab}{{"]
        out += [f"{tab}\t{_offset(skeleton.offsets[joint])}", f"{tab}\tCHANNELS {listed}"]
        for tip in tips.get(joint, ()):
            out += [f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\t{_offset(skeleton.ends[tip])}", f"{tab}\t}}"]
        open_joints.append(joint)
    out += ["\t" * depth + "}" for depth in reversed(range(len(open_joints)))]
    return "\n".join(out) + "\n"


def _offset(offset: Float[np.ndarray, " 3"]) -> str:
    return "OFFSET " + " ".join(f"{value:.6f}" for value in offset)
