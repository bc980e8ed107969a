"""What stands between data and a model: scaling, names, the figure that moves, and a real opening for every style.

It travels inside the model's file, so that motions and tables can be made from that one file alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from jaxtyping import Float

from tsbn.choices import AS_THE_MODEL, Choices
from tsbn.data import Scaler, Sequences
from tsbn.data.side import Label
from tsbn.data.timeline import SAME_RATE
from tsbn.datasets.figures import Figure
from tsbn.motion import Motion, Skeleton
from tsbn.styles import Path

if TYPE_CHECKING:
    from tsbn.estimators import SequenceModel

# Long enough for the memory of most models; a model of a higher order asks for more.
OPENING = 12
_PREFIX = "preparation."


@dataclass(frozen=True, eq=False)
class Preparation:
    """How data become what a model takes, and how what it gives becomes data again.

    - `channel_names`, `frame_rate`: of the data as they were;
    - `scaler`: to zero mean and unit variance, or None where numbers are taken as they are;
    - `figure`: whose motions the data are, or None;
    - `openings`: a few real frames of each style, `[frames, scaled channels]`; under None without styles;
    - `source`: where the data came from, for those who load them again: plain values only.

    >>> data = Sequences([np.arange(40.0)[:, None] * [1, 2]], side=["rising"], channel_names=["a", "b"])
    >>> preparation = Preparation.fit(data)
    >>> preparation.openings["rising"].shape
    (12, 2)
    >>> preparation.restore(preparation.transform(data)[0])[:3, 1]
    array([0., 2., 4.])
    """

    channel_names: tuple[str, ...]
    frame_rate: float | None
    scaler: Scaler | None
    figure: Figure | None = None
    openings: Mapping[Label | None, Float[np.ndarray, "frames channels"]] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def fit(
        cls,
        train: Sequences,
        figure: Figure | None = None,
        *,
        scale: bool = True,
        opening: int = OPENING,
        source: Mapping[str, Any] | None = None,
    ) -> Self:
        """Learn the preparation of training data; `scale=False` for binary data and counts."""
        scaler = Scaler.fit(train) if scale else None
        plain = cls(train.channel_names, train.frame_rate, scaler, figure, source=source or {})
        return dataclasses.replace(plain, openings=_openings(plain.transform(train), opening))

    def transform(self, data: Sequences) -> Sequences:
        """The data as the model takes them."""
        if data.channel_names != self.channel_names:
            raise ValueError(_channel_problem(data.channel_names, self.channel_names))
        if data.frame_rate and self.frame_rate and abs(data.frame_rate / self.frame_rate - 1) > SAME_RATE:
            raise ValueError(
                f"the data have {data.frame_rate:g} frames a second, the model was trained on {self.frame_rate:g}"
            )
        return data if self.scaler is None else self.scaler.transform(data)

    def restore(self, array: Float[np.ndarray, "... scaled"]) -> Float[np.ndarray, "... channels"]:
        """What the model gives, in the units of the data."""
        return np.asarray(array, dtype=np.float64) if self.scaler is None else self.scaler.inverse(array)

    def motion(self, array: Float[np.ndarray, "time scaled"]) -> Motion:
        """What the model gives, as a motion."""
        if self.figure is None:
            raise ValueError("the data that the model learned from are no motions, so it cannot make any")
        return self.figure.motion(self.restore(array))

    def pack(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """A header of plain values, and arrays by name, for a file."""
        arrays = {f"{_PREFIX}opening.{n}": array for n, array in enumerate(self.openings.values())}
        header: dict[str, Any] = {
            "channel_names": self.channel_names,
            "frame_rate": self.frame_rate,
            "openings": list(self.openings),
            "source": dict(self.source),
        }
        if self.scaler is not None:
            parts = {"mean": self.scaler.mean, "scale": self.scaler.scale, "varies": self.scaler.varies}
            arrays |= {f"{_PREFIX}scaler.{name}": array for name, array in parts.items()}
        if self.figure is not None:
            skeleton = self.figure.skeleton
            arrays |= {f"{_PREFIX}offsets": skeleton.offsets, f"{_PREFIX}end_offsets": skeleton.ends}
            header["figure"] = {name: getattr(self.figure, name) for name in ("frame_rate", "rotation", "up")}
            header["skeleton"] = {
                name: getattr(skeleton, name) for name in ("names", "parents", "end_parents", "rotation_orders")
            }
        return header, {name: np.ascontiguousarray(array) for name, array in arrays.items()}

    @classmethod
    def unpack(cls, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Self:
        """What `pack` packed; other arrays may be among these."""
        names = tuple(header["channel_names"])
        part = {name.removeprefix(_PREFIX): array for name, array in arrays.items() if name.startswith(_PREFIX)}
        scaler = None
        if "scaler.mean" in part:
            scaler = Scaler(part["scaler.mean"], part["scaler.scale"], part["scaler.varies"], names)
        figure = None
        if "figure" in header:
            lists = {name: tuple(value) for name, value in header["skeleton"].items()}
            skeleton = Skeleton(**lists, offsets=part["offsets"], end_offsets=part["end_offsets"])
            figure = Figure(skeleton, **header["figure"])
        openings = {label: part[f"opening.{n}"] for n, label in enumerate(header["openings"])}
        return cls(names, header["frame_rate"], scaler, figure, openings, header["source"])


def follow(
    model: SequenceModel,
    path: Path | int | Float[np.ndarray, "time columns"],
    *,
    seed: int = 0,
    choices: Choices = AS_THE_MODEL,
) -> Float[np.ndarray, "time channels"]:
    """A new sequence of a fitted model that follows a style path, as the model gives it.

    It goes on from a real opening in the style the path begins with, if the model's preparation has one. In place of
    a path, a model without side information takes a number of frames, and one with side information an array with a
    row for each frame, which it follows from nothing.
    """
    preparation = model.preparation_
    openings = preparation.openings if preparation else {}
    if isinstance(path, int):
        return model.sample(length=path, opening=openings.get(None), seed=seed, choices=choices)
    if isinstance(path, np.ndarray):
        return model.sample(path, seed=seed, choices=choices)
    first = max(path.legs[0].weights, key=lambda pair: pair[1])[0]
    label = next((label for label in openings if str(label) == first), None)
    begin = {} if label is None else {"opening": openings[label], "opening_side": label}
    return model.sample(path, seed=seed, choices=choices, **begin)


def _openings(data: Sequences, frames: int) -> dict[Label | None, np.ndarray]:
    """Frames from the middle of the first long enough stretch of each label: recordings often begin standing still."""
    labels = [None] * len(data) if data.side is None else data.labels or ()
    found: dict[Label | None, np.ndarray] = {}
    for array, given in zip(data, labels, strict=False):
        for label, stretch in groupby(enumerate(given if isinstance(given, list) else [given] * len(array)), _label):
            at = [frame for frame, _ in stretch]
            known = label is not None or data.side is None
            if known and len(at) >= frames and label not in found:
                first = at[(len(at) - frames) // 2]
                found[label] = array[first : first + frames]
    return found


def _label(numbered: tuple[int, Label | None]) -> Label | None:
    return numbered[1]


def _channel_problem(given: tuple[str, ...], expected: tuple[str, ...]) -> str:
    if len(given) != len(expected):
        return f"the data have {len(given)} channels, the model was trained on {len(expected)}"
    wrong = next((a, b) for a, b in zip(given, expected, strict=True) if a != b)
    return f"the data have a channel {wrong[0]!r} where the model was trained on {wrong[1]!r}"
