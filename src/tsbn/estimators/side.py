"""Side information as users give it, and as the model takes it: `y [1 or time, columns]` per sequence.

| given per sequence                          | becomes                                     |
|---------------------------------------------|---------------------------------------------|
| nothing                                     | a single constant 1                         |
| a label (text or whole number)              | one-hot, constant                           |
| labels, one per frame                       | one-hot, per frame                          |
| a vector `[columns]`                        | as it is, constant                          |
| an array `[time, columns]`                  | as it is, per frame                         |

Vectors whose entries are non-negative and add up to 1 are blends of styles. Any other real vectors get a constant
column 1 behind them, so that weights and biases are affine in what was given.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

Label = str | int


@dataclasses.dataclass(frozen=True)
class SideEncoder:
    """How side information was given when the model was fitted: the same form is expected ever after."""

    kind: str
    """"none", "labels", "blends" or "real"."""
    given: int
    """Columns that users give (styles, for labels)."""
    labels: tuple[Label, ...] = ()

    @property
    def columns(self) -> int:
        """Columns that the model sees."""
        return max(self.given, 1) + (self.kind == "real")

    def encode(self, side: Any, lengths: list[int], name: str = "side") -> list[np.ndarray]:
        """One array `[1 or time, columns]` per sequence."""
        if self.kind == "none":
            if side is not None:
                raise ValueError(f"{name} was given, but the model was fitted without side information")
            return [np.ones((1, 1), np.float32) for _ in lengths]
        return [
            self._finish(item, length, f"{name}[{i}]")
            for i, (item, length) in enumerate(zip(_per_sequence(side, len(lengths), name), lengths, strict=True))
        ]

    def encode_one(self, item: Any, length: int | None, name: str = "side") -> np.ndarray:
        """Side information of one sequence whose length may still be open: `[1 or time, columns]`."""
        if self.kind == "none":
            return self.encode(item, [1], name)[0]
        if item is None:
            raise ValueError(f"{name} is missing; the model was fitted with {self.describe()}")
        if length is None:
            array = None if _is_label(item) else np.asarray(item)
            per_frame = array is not None and (array.ndim == 2 or _are_labels(array))
            length = len(array) if array is not None and per_frame else 1
        return self._finish(item, length, name)

    def describe(self) -> str:
        """What is expected, in words."""
        if self.kind == "labels":
            return f"{self.given} styles ({', '.join(map(str, self.labels[:12]))}{', ...' if self.given > 12 else ''})"
        return f"{self.given} columns of side information"

    def _finish(self, item: Any, length: int, name: str) -> np.ndarray:
        if _is_label(item) or (self.kind == "labels" and _are_labels(np.asarray(item)) and len(item) == length):
            rows = self._one_hot([item] if _is_label(item) else list(item), name)
        else:
            rows = _vectors(item, length, name)
        if rows.shape[1] != self.given:
            raise ValueError(f"{name} has {rows.shape[1]} columns, the model was built for {self.describe()}")
        if self.kind == "real":
            rows = np.concatenate([rows, np.ones((len(rows), 1), np.float32)], axis=1)
        return rows

    def _one_hot(self, items: list, name: str) -> np.ndarray:
        if self.kind != "labels":
            raise ValueError(f"{name} is a label, the model was built for {self.describe()}")
        known = {label: i for i, label in enumerate(self.labels)}
        items = [item.item() if isinstance(item, np.generic) else item for item in items]
        unknown = [item for item in items if item not in known]
        if unknown:
            raise ValueError(f"{name} names the style {unknown[0]!r}, the model knows {self.describe()}")
        return np.eye(self.given, dtype=np.float32)[[known[item] for item in items]]


def fit_side(side: Any, lengths: list[int]) -> tuple[SideEncoder, list[np.ndarray]]:
    """The encoder that suits the given side information, and its result on it."""
    if side is None:
        encoder = SideEncoder("none", 0)
        return encoder, encoder.encode(None, lengths)
    items = _per_sequence(side, len(lengths), "side")
    pairs = list(zip(items, lengths, strict=True))
    if all(_is_label(item) or (_are_labels(np.asarray(item)) and len(item) == n) for item, n in pairs):
        flat = [x for item in items for x in ([item] if _is_label(item) else list(item))]
        plain = {x.item() if isinstance(x, np.generic) else x for x in flat}
        if len({type(x) for x in plain}) > 1:
            raise ValueError("side mixes text and numbers as labels; use one kind")
        encoder = SideEncoder("labels", len(plain), tuple(sorted(plain)))
        return encoder, encoder.encode(items, lengths)
    rows = [_vectors(item, n, f"side[{i}]") for i, (item, n) in enumerate(pairs)]
    widths = {row.shape[1] for row in rows}
    if len(widths) > 1:
        raise ValueError(f"side has different numbers of columns in different sequences: {sorted(widths)}")
    every = np.concatenate(rows)
    blends = bool((every >= 0).all() and np.allclose(every.sum(axis=1), 1, atol=1e-4))
    encoder = SideEncoder("blends" if blends else "real", every.shape[1])
    return encoder, encoder.encode(items, lengths)


def _per_sequence(side: Any, count: int, name: str) -> list:
    if isinstance(side, str) or not (isinstance(side, Sequence) or hasattr(side, "__array__")):
        raise TypeError(f"{name} is {type(side).__name__}, expected one entry per sequence")
    items = list(side)
    if len(items) != count:
        raise ValueError(f"{name} has {len(items)} entries, there are {count} sequences")
    return items


def _is_label(item: Any) -> bool:
    return isinstance(item, str | int | np.str_ | np.integer) and not isinstance(item, bool)


def _are_labels(array: np.ndarray) -> bool:
    texts = array.dtype.kind == "O" and all(isinstance(item, str) for item in array.flat)
    return array.ndim == 1 and (array.dtype.kind in "iuU" or texts)


def _vectors(item: Any, length: int, name: str) -> np.ndarray:
    if item is None:
        raise ValueError(f"{name} is None; every sequence needs side information here")
    try:
        array = np.asarray(item, dtype=np.float32)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {item!r}, expected a label, a vector or an array [time, columns]") from None
    if array.ndim == 0:
        raise ValueError(f"{name} is the single number {item!r}; give a vector such as [{item!r}], or a label")
    if array.ndim == 1:
        array = array[None]
    elif array.ndim != 2 or len(array) != length:
        raise ValueError(f"{name} has shape {list(array.shape)}, expected [columns] or [{length}, columns]")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinite values; side information must be complete")
    return array
