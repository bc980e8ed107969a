"""Side information as the model takes it: `y [1 or time, columns]` per sequence.

`tsbn.data` turns labels into one-hot vectors and leaves vectors as they are. Vectors whose entries are non-negative and
add up to 1 are blends of styles. Any other real vectors get a constant column 1 behind them, so that weights and biases
are affine in what was given. Without side information `y` is a single constant 1.
"""

import dataclasses
from typing import Any, Literal

import numpy as np

from tsbn.data import Sequences
from tsbn.data.side import Label, encode_side
from tsbn.estimators.inputs import HUGE, place
from tsbn.styles import Path


@dataclasses.dataclass(frozen=True)
class SideEncoder:
    """The form of side information a model was fitted with: the same is expected ever after."""

    kind: Literal["none", "labels", "blends", "real"]
    given: int
    """Columns that users give; styles, for labels."""
    labels: tuple[Label, ...] = ()
    shares: bool = True
    """Whether all vectors it was fitted with were shares of styles: not negative, with the sum 1."""

    @property
    def columns(self) -> int:
        """Columns that the model sees."""
        return max(self.given, 1) + (self.kind == "real")

    @property
    def label_names(self) -> tuple[Label, ...] | None:
        """The styles by name, where there are names."""
        return self.labels or None

    def describe(self) -> str:
        """What is expected, in words."""
        if self.kind == "none":
            return "no side information"
        names = f" ({', '.join(map(str, self.labels[:12]))}{', ...' if self.given > 12 else ''})" if self.labels else ""
        return f"{self.given} {'styles' if names and self.shares else 'columns of side information'}{names}"

    def encode(self, data: Sequences, name: str = "side") -> list[np.ndarray]:
        """Side information of every sequence, `[1 or time, columns]`."""
        if self.kind == "none":
            return [np.ones((1, 1), np.float32) for _ in data]
        if data.side is None:
            raise ValueError(f"{name} is missing; the model was fitted with {self.describe()}")
        self._check_names(data.label_names, name)
        return [self._finished(row, place(name, data, i)) for i, row in enumerate(data.side)]

    def encode_one(self, item: Any, length: int | None, name: str = "side") -> np.ndarray:
        """Side information of one sequence, `[1 or time, columns]`; its length may be open where it is not given."""
        if self.kind == "none":
            if item is not None:
                raise ValueError(f"{name} was given, but the model was fitted without side information")
            return np.ones((1, 1), np.float32)
        if item is None:
            raise ValueError(f"{name} is missing; the model was fitted with {self.describe()}")
        if isinstance(item, Path):
            if not self.shares:
                raise ValueError(f"{name} is a style path, the model was fitted with {self.describe()}: give vectors")
            item = item.side(self.labels)
        if length is None:
            length = 1 if isinstance(item, str) or np.ndim(item) == 0 else len(item)
        rows, found = encode_side([item], [length], self.label_names)
        assert rows is not None
        self._check_names(found, name)
        return self._finished(rows[0], name)

    def _check_names(self, found: tuple[Label, ...] | None, name: str) -> None:
        """Labels mean something only to a model that was fitted with the same ones."""
        if found != self.label_names:
            raise ValueError(f"{name} holds the labels {found}, the model was fitted with {self.describe()}")

    def _finished(self, row: np.ndarray, name: str) -> np.ndarray:
        rows = np.atleast_2d(row).astype(np.float32)
        if rows.shape[1] != self.given:
            raise ValueError(f"{name} has {rows.shape[1]} columns, the model was built for {self.describe()}")
        if np.isnan(rows).any():
            raise ValueError(f"{name} has no label or holds NaN; every frame needs complete side information here")
        if np.abs(rows).max() > HUGE:
            largest = np.abs(rows).max()
            raise ValueError(f"{name} holds {largest:g}, expected at most {HUGE:g} in size; scale it to unit variance")
        if self.kind == "real":
            rows = np.concatenate([rows, np.ones((len(rows), 1), np.float32)], axis=1)
        return rows


def fit_side(data: Sequences) -> SideEncoder:
    """The encoder that suits the side information of the data."""
    if data.side is None:
        return SideEncoder("none", 0)
    every = np.concatenate([np.atleast_2d(row) for row in data.side])
    every = every[~np.isnan(every).any(axis=1)]
    shares = bool((every >= 0).all() and np.allclose(every.sum(axis=1), 1, atol=1e-4))
    names = data.label_names or ()
    if not shares:  # columns may have names (latitude, longitude) and still be no shares of styles
        return SideEncoder("real", data.styles, names, shares)
    return SideEncoder("labels" if names else "blends", data.styles, names, shares)
