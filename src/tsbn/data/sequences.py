"""`Sequences`: what the models eat, a list of arrays of any lengths with what is known about them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from tsbn.data.side import Label, decode_labels, encode_side, is_one_hot


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class Sequences:
    """Sequences of any lengths over the same channels, with their side information. Immutable.

    - `values`: arrays ``[time, channels]``, all of one float type; NaN is a missing value.
      Whole numbers and booleans become the float type that holds them exactly.
    - `side`: None, or one array per sequence, ``[styles]`` or ``[time, styles]``. Given as labels (str or
      int; one per sequence or one per frame) it becomes one-hot; NaN is unlabelled. See
      `tsbn.data.side.encode_side`.
    - `names`: one str per sequence; `channel_names`: one per channel; `label_names`: one per style, or None.
    - `frame_rate`: frames per second, or None.

    It is itself a sequence of arrays: an int or a name picks an array, a slice, mask or list of ints a
    smaller `Sequences`.

    >>> walks = Sequences([np.zeros((5, 2)), np.ones((7, 2))], side=["calm", "brisk"], frame_rate=30)
    >>> len(walks), walks[1].shape, walks.labels
    (2, (7, 2), ['calm', 'brisk'])
    >>> walks.side[0]
    array([0., 1.])
    """

    values: tuple[np.ndarray, ...]
    side: tuple[np.ndarray, ...] | None
    names: tuple[str, ...]
    frame_rate: float | None
    channel_names: tuple[str, ...]
    label_names: tuple[Label, ...] | None

    # Written out because what may be given is more than what is stored.
    def __init__(
        self,
        values: Iterable[Any],
        side: Iterable[Any] | None = None,
        *,
        names: Iterable[str] | None = None,
        frame_rate: float | None = None,
        channel_names: Iterable[str] | None = None,
        label_names: Iterable[Label] | None = None,
    ) -> None:
        arrays = _arrays(values)
        channel_names = None if channel_names is None else tuple(channel_names)
        if not arrays and channel_names is None:
            raise ValueError("values is empty: without any sequence, channel_names must be given")
        channels = arrays[0].shape[1] if arrays else len(channel_names or ())
        lengths = [len(array) for array in arrays]
        rows, labels = encode_side(side, lengths, None if label_names is None else tuple(label_names))
        if frame_rate is not None and not (np.isfinite(frame_rate) and frame_rate > 0):
            raise ValueError(f"frame_rate is {frame_rate}: expected a positive number of frames per second, or None")
        fields = {
            "values": tuple(arrays),
            "side": None if rows is None else tuple(_frozen(row) for row in rows),
            "names": _named("names", names, len(arrays), "{}"),
            "frame_rate": None if frame_rate is None else float(frame_rate),
            "channel_names": _named("channel_names", channel_names, channels, "v{}"),
            "label_names": labels,
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.values)

    @overload
    def __getitem__(self, which: int | str) -> np.ndarray: ...
    @overload
    def __getitem__(self, which: slice | Sequence[int] | np.ndarray) -> Sequences: ...
    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str):
            return self.values[self._position(which)]
        if isinstance(which, (int, np.integer)):
            return self.values[which]
        chosen = np.arange(len(self))[which if isinstance(which, slice) else _index_array(which)]
        return self.pieces((i, slice(None)) for i in chosen)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequences):
            return NotImplemented
        mine, theirs = dataclasses.asdict(self), dataclasses.asdict(other)
        pairs = [(mine.pop(key), theirs.pop(key)) for key in ("values", "side")]
        return mine == theirs and all(_same_arrays(a, b) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = f"{len(self)}, {self.lengths.sum()} frames x {self.channels} channels, {self.styles} styles"
        return f"Sequences({sizes})"

    @property
    def channels(self) -> int:
        """How many channels every frame has."""
        return len(self.channel_names)

    @property
    def styles(self) -> int:
        """How many styles the side information has; 0 without any."""
        return 0 if not self.side else self.side[0].shape[-1]

    @property
    def lengths(self) -> np.ndarray:
        """Frames of each sequence, ``[sequences]``."""
        return np.array([len(array) for array in self.values], dtype=int)

    @property
    def labels(self) -> list[Any] | None:
        """One label per sequence (a list of labels where they are per frame), None where unlabelled.

        None altogether if the side information is not made of labels.
        """
        if not self.side or self.label_names is None or not all(is_one_hot(row) for row in self.side):
            return None
        return [decode_labels(row, self.label_names) for row in self.side]

    def replace(self, **changes: Any) -> Sequences:
        """A copy with some fields changed.

        >>> Sequences([np.zeros((3, 1))]).replace(names=["still"]).names
        ('still',)
        """
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return Sequences(**fields | changes)

    def pieces(self, spans: Iterable[tuple[int, slice | np.ndarray]], names: Iterable[str] | None = None) -> Sequences:
        """Pieces of sequences with their side information, one for each (sequence number, frames or their numbers).

        >>> Sequences([np.zeros((9, 2))]).pieces([(0, slice(0, 4)), (0, slice(4, 9))]).lengths
        array([4, 5])
        """
        spans, side = list(spans), self.side
        return self.replace(
            values=[self.values[i][frames] for i, frames in spans],
            side=None if side is None else [side[i][frames] if side[i].ndim == 2 else side[i] for i, frames in spans],
            names=[self.names[i] for i, _ in spans] if names is None else names,
        )

    def describe(self) -> str:
        """One screen of text: sizes, lengths, labels, channels and what is missing."""
        from tsbn.data.describe import describe

        return describe(self)

    def _position(self, name: str) -> int:
        if self.names.count(name) != 1:
            found = "no sequence is" if name not in self.names else f"{self.names.count(name)} sequences are"
            raise KeyError(f"{found} named {name!r}")
        return self.names.index(name)


def concat(*parts: Sequences) -> Sequences:
    """All sequences of the parts, in order; channels, frame rate and kind of side information must agree.

    Labels are matched by name: the result knows the labels of all parts.

    >>> a = Sequences([np.zeros((2, 1))], side=["x"])
    >>> concat(a, Sequences([np.ones((3, 1))], side=["y"])).label_names
    ('x', 'y')
    """
    if not parts:
        raise ValueError("concat needs at least one Sequences")
    first = parts[0]
    for field in ("channel_names", "frame_rate"):
        for i, part in enumerate(parts):
            if getattr(part, field) != getattr(first, field):
                raise ValueError(f"part {i} has {field} {getattr(part, field)}, part 0 has {getattr(first, field)}")
    side, label_names = _joined_side(parts)
    return first.replace(
        values=[array for part in parts for array in part],
        side=side,
        label_names=label_names,
        names=[name for part in parts for name in part.names],
    )


def _joined_side(parts: Sequence[Sequences]) -> tuple[list[Any] | None, Sequence[Label] | None]:
    if all(part.side is None for part in parts):
        return None, parts[0].label_names
    same_names = len({part.label_names for part in parts if part.side is not None}) == 1
    labels = [[None] * len(part) if part.side is None else part.labels for part in parts]
    if same_names or any(found is None for found in labels):
        rows = [row for part in parts for row in (part.side or [None] * len(part))]
        names = {part.label_names for part in parts if part.side is not None}
        if len(names) > 1:
            raise ValueError(f"the parts have different style names: {sorted(names, key=str)}")
        return rows, names.pop()
    known = {name for part in parts for name in part.label_names or ()}
    return [label for found in labels for label in found or ()], sorted(known, key=lambda name: (str(type(name)), name))


def _arrays(values: Iterable[Any]) -> list[np.ndarray]:
    if isinstance(values, np.ndarray) and values.ndim == 2:
        raise ValueError(f"values is one array {values.shape}: give a list of arrays, or [sequences, time, channels]")
    arrays = [np.asarray(array) for array in values]
    for i, array in enumerate(arrays):
        if array.ndim != 2 or 0 in array.shape or array.dtype.kind not in "fiub":
            raise ValueError(
                f"sequence {i} has shape {array.shape} and type {array.dtype}: "
                "expected numbers [time, channels], with one frame and one channel at least"
            )
        if array.shape[1] != arrays[0].shape[1]:
            raise ValueError(f"sequence {i} has {array.shape[1]} channels, sequence 0 has {arrays[0].shape[1]}")
        if array.dtype.kind == "f" and np.isinf(array).any():
            frame, channel = np.argwhere(np.isinf(array))[0]
            raise ValueError(
                f"sequence {i} is infinite at frame {frame}, channel {channel}: use NaN for a missing value"
            )
    dtype = np.result_type(np.float32, *arrays)
    return [_frozen(array.astype(dtype, copy=False)) for array in arrays]


def _frozen(array: np.ndarray) -> np.ndarray:
    """The array, not to be written to: a copy unless it already was so."""
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def _named(field: str, names: Iterable[str] | None, count: int, pattern: str) -> tuple[str, ...]:
    given = tuple(pattern.format(i) for i in range(count)) if names is None else tuple(str(name) for name in names)
    if len(given) != count:
        raise ValueError(f"{field} has {len(given)} entries, expected {count}")
    return given


def _index_array(which: Any) -> np.ndarray:
    index = np.asarray(which)
    if index.size and index.dtype.kind not in "iub":
        raise TypeError(f"cannot pick sequences by {which!r:.60}: expected int, str, slice, mask or list of ints")
    return index if index.size else index.astype(int)


def _same_arrays(a: Sequence[np.ndarray] | None, b: Sequence[np.ndarray] | None) -> bool:
    if a is None or b is None:
        return a is b
    return len(a) == len(b) and all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a, b, strict=True))
