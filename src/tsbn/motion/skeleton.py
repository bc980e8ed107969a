"""A skeleton, a motion on it, and forward kinematics from joint rotations to joint positions."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A tree of joints, every parent listed before its children.

    names: one per joint; parents: index of each joint's parent, -1 for the root (joint 0).
    offsets: `[joints, 3]`, from the parent joint in the parent's frame; the root's is its resting place.
    end_parents, end_offsets: `[ends, 3]`, tips such as finger ends that move with a joint but never turn.
    rotation_orders: how a file lists each joint's rotation channels, e.g. "ZYX", "X" or "".

    >>> arm = Skeleton(("shoulder", "elbow"), (-1, 0), np.array([[0, 0, 0], [0.3, 0, 0]]))
    >>> arm.joints
    2
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: Float[Array, "joints 3"]
    end_parents: tuple[int, ...] = ()
    end_offsets: Float[Array, "ends 3"] | None = None
    rotation_orders: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", np.asarray(self.offsets, dtype=float).reshape(-1, 3))
        ends = np.zeros((0, 3)) if self.end_offsets is None else self.end_offsets
        object.__setattr__(self, "end_offsets", np.asarray(ends, dtype=float).reshape(-1, 3))
        orders = self.rotation_orders or ("ZYX",) * len(self.names)
        object.__setattr__(self, "rotation_orders", tuple(orders))
        self._check()

    def _check(self) -> None:
        joints = len(self.names)
        for field, length in (
            ("parents", len(self.parents)),
            ("offsets", len(self.offsets)),
            ("rotation_orders", len(self.orders)),
        ):
            if length != joints:
                raise ValueError(f"skeleton has {joints} joint names but {length} {field}")
        if len(self.end_parents) != len(self.ends):
            raise ValueError(f"skeleton has {len(self.end_parents)} end_parents, {len(self.ends)} end_offsets")
        if not joints or self.parents[0] != -1:
            raise ValueError("skeleton needs a root: a first joint whose parent is -1")
        for joint, parent in enumerate(self.parents[1:], start=1):
            if not 0 <= parent < joint:
                raise ValueError(f"joint {self.names[joint]!r} ({joint}) has parent {parent}, expected 0..{joint - 1}")
        if len(set(self.names)) != joints:
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(f"joint name {twice!r} occurs more than once in the skeleton")

    @property
    def joints(self) -> int:
        return len(self.names)

    @property
    def ends(self) -> Float[Array, "ends 3"]:
        """`end_offsets`, never None."""
        assert self.end_offsets is not None
        return self.end_offsets

    @property
    def orders(self) -> tuple[str, ...]:
        """`rotation_orders`, never None."""
        assert self.rotation_orders is not None
        return self.rotation_orders

    def differences(self, other: "Skeleton", tolerance: float = 1e-3) -> list[str]:
        """In words, where two skeletons differ; offsets count when they are `tolerance` of the size apart."""
        if self.names != other.names:
            missing = [name for name in self.names if name not in other.names]
            extra = [name for name in other.names if name not in self.names]
            told = [f"joint {name!r} is missing" for name in missing]
            told += [f"joint {name!r} is extra" for name in extra]
            return told or ["the joints come in another order"]
        found = [
            f"joint {name!r} hangs from {_parent(other, n)!r} instead of {_parent(self, n)!r}"
            for n, name in enumerate(self.names)
            if self.parents[n] != other.parents[n]
        ]
        size = max(float(np.abs(self.offsets).max()), 1e-12)
        apart = np.linalg.norm(self.offsets - other.offsets, axis=1)
        # The root's offset is its resting place: it says nothing about the body.
        found += [
            f"joint {self.names[n]!r} has offset {_numbers(other.offsets[n])} instead of {_numbers(self.offsets[n])}"
            for n in range(1, self.joints)
            if apart[n] > tolerance * size
        ]
        return found


@dataclass(frozen=True, eq=False)
class Motion:
    """A skeleton in motion.

    translation: `[time, 3]`, where the root is.
    rotations: `[time, joints, 3, 3]`, each joint's turn in its parent's frame.
    shifts: `[time, joints, 3]` or None, for files whose joints also move away from their offsets.
    """

    skeleton: Skeleton
    translation: Float[Array, "time 3"]
    rotations: Float[Array, "time joints 3 3"]
    frame_rate: int | float
    shifts: Float[Array, "time joints 3"] | None = None

    def __post_init__(self) -> None:
        frames = len(self.translation)
        expected = {
            "translation": (self.translation, (frames, 3)),
            "rotations": (self.rotations, (frames, self.skeleton.joints, 3, 3)),
        }
        if self.shifts is not None:
            expected["shifts"] = (self.shifts, (frames, self.skeleton.joints, 3))
        for name, (array, shape) in expected.items():
            if array.shape != shape:
                raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
        if not (np.isfinite(self.frame_rate) and self.frame_rate > 0):
            raise ValueError(f"frame_rate is {self.frame_rate}, expected a positive number of frames per second")

    @property
    def frames(self) -> int:
        return len(self.translation)

    def __len__(self) -> int:
        return self.frames

    def __getitem__(self, frames: slice) -> "Motion":
        """Some of the frames: `motion[1:]` leaves out a first frame that only shows the rest pose."""
        shifts = None if self.shifts is None else self.shifts[frames]
        return replace(self, translation=self.translation[frames], rotations=self.rotations[frames], shifts=shifts)

    def scaled(self, factor: int | float) -> "Motion":
        """The same motion with every length times `factor`, e.g. to turn inches into metres."""
        skeleton = replace(
            self.skeleton,
            offsets=self.skeleton.offsets * factor,
            end_offsets=self.skeleton.ends * factor,
        )
        shifts = None if self.shifts is None else self.shifts * factor
        return replace(self, skeleton=skeleton, translation=self.translation * factor, shifts=shifts)

    def rigid(self) -> "Motion":
        """The motion with bones of constant length: each joint's mean shift joins its offset."""
        if self.shifts is None:
            return self
        skeleton = replace(self.skeleton, offsets=self.skeleton.offsets + self.shifts.mean(axis=0))
        return replace(self, skeleton=skeleton, shifts=None)


def global_rotations(motion: Motion) -> Float[Array, "joints time 3 3"]:
    """How each joint is turned in the world; joints come first so that each one's frames lie together."""
    turned = np.swapaxes(motion.rotations, 0, 1).copy()
    for joint, parent in enumerate(motion.skeleton.parents[1:], start=1):
        turned[joint] = turned[parent] @ turned[joint]
    return turned


def positions(motion: Motion, ends: bool = False) -> Float[Array, "time points 3"]:
    """Where every joint is, in the order of the skeleton; with `ends`, the tips follow after the joints.

    >>> arm = Skeleton(("shoulder", "elbow"), (-1, 0), np.array([[0, 0, 0], [0.3, 0, 0]]))
    >>> still = Motion(arm, np.ones((1, 3)), np.broadcast_to(np.eye(3), (1, 2, 3, 3)), 30)
    >>> positions(still)[0, 1]
    array([1.3, 1. , 1. ])
    """
    skeleton = motion.skeleton
    turned = global_rotations(motion)
    tips = len(skeleton.ends) if ends else 0
    places = np.empty((skeleton.joints + tips, motion.frames, 3))
    places[0] = motion.translation
    for joint, parent in enumerate(skeleton.parents[1:], start=1):
        if motion.shifts is None:
            reach = turned[parent] @ skeleton.offsets[joint]
        else:
            reach = np.einsum("tij,tj->ti", turned[parent], skeleton.offsets[joint] + motion.shifts[:, joint])
        places[joint] = places[parent] + reach
    for tip in range(tips):
        parent = skeleton.end_parents[tip]
        places[skeleton.joints + tip] = places[parent] + turned[parent] @ skeleton.ends[tip]
    return np.swapaxes(places, 0, 1)


def _parent(skeleton: Skeleton, joint: int) -> str:
    parent = skeleton.parents[joint]
    return skeleton.names[parent] if parent >= 0 else "nothing"


def _numbers(vector: Float[Array, " 3"]) -> str:
    return "(" + ", ".join(f"{value:.4g}" for value in vector) + ")"
