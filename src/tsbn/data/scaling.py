"""`Scaler`: zero mean and unit variance, learned on the training part only, and back again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from jaxtyping import Bool, Float

from tsbn.data.sequences import Sequences

# Files made by programs hold zeros that came out as 1e-15, and constants that differ in their last digits. What spreads
# less than NOISE, or this share of the channel that spreads most where all spread little, does not count as change; nor
# does what rounding makes of large numbers that cancel, nor the last digits of a channel's own.
NOISE = 1e-12
ROUNDING = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Scaler:
    """Takes channels to zero mean and unit variance; drops those that never change, and restores them.

    - `mean`, `scale`: of each channel of the data as it was, over all training frames, missing values left
      out;
    - `varies`: which channels are kept.

    A constant channel comes back as exactly its constant (NaN if it was never seen, its mean if it changed
    by no more than rounding noise). For the others, going there and back is floating point arithmetic in
    float64: off by at most ``4 * 2**-53 * (abs(x) + abs(mean))``, so float32 data of ordinary range come
    back bit for bit once rounded to float32.

    >>> scaler = Scaler.fit(Sequences([np.array([[1.0, 7.0], [3.0, 7.0]])]))
    >>> scaled = scaler.transform(np.array([[1.0, 7.0], [5.0, 7.0]]))
    >>> scaled
    array([[-1.],
           [ 3.]])
    >>> scaler.inverse(scaled)
    array([[1., 7.],
           [5., 7.]])
    """

    mean: Float[np.ndarray, " channels"]
    scale: Float[np.ndarray, " channels"]
    varies: Bool[np.ndarray, " channels"]
    channel_names: tuple[str, ...]

    @staticmethod
    def fit(train: Sequences | Iterable[Any]) -> Scaler:
        """Learn the means and scales of the training sequences."""
        train = train if isinstance(train, Sequences) else Sequences(train)
        if not len(train):
            raise ValueError("train has no sequences: there is nothing to learn a scale from")
        frames = np.concatenate(list(train)).astype(np.float64)
        mean, scale = np.array([_moments(column[~np.isnan(column)]) for column in frames.T]).T
        most = scale.max()
        noise = max(NOISE * min(1.0, most), ROUNDING * most)
        varies = scale > np.maximum(noise, 4 * ROUNDING * np.abs(np.nan_to_num(mean)))
        if not varies.any():
            raise ValueError("no channel of the training data ever changes: there is nothing to scale")
        return Scaler(mean, np.where(varies, scale, 1.0), varies, train.channel_names)

    @overload
    def transform(self, data: Sequences) -> Sequences: ...
    @overload
    def transform(self, data: np.ndarray) -> np.ndarray: ...
    def transform(self, data: Any) -> Any:
        """Scaled data: a `Sequences`, or an array ``[..., channels]``; constant channels are gone."""
        if isinstance(data, Sequences):
            kept = [name for name, keep in zip(self.channel_names, self.varies, strict=True) if keep]
            return data.replace(values=[self.transform(array) for array in data], channel_names=kept)
        data = _checked(data, len(self.mean), "channels as the training data had")
        return (data[..., self.varies] - self.mean[self.varies]) / self.scale[self.varies]

    @overload
    def inverse(self, data: Sequences) -> Sequences: ...
    @overload
    def inverse(self, data: np.ndarray) -> np.ndarray: ...
    def inverse(self, data: Any) -> Any:
        """Data as they were, from scaled data ``[..., kept channels]``; constant channels are back."""
        if isinstance(data, Sequences):
            values = [self.inverse(array) for array in data]
            return data.replace(values=values, channel_names=self.channel_names)
        data = _checked(data, int(self.varies.sum()), "channels as the scaled data have")
        whole = np.broadcast_to(self.mean, (*data.shape[:-1], len(self.mean))).copy()
        whole[..., self.varies] = data * self.scale[self.varies] + self.mean[self.varies]
        return whole


def _moments(column: Float[np.ndarray, " frames"]) -> tuple[float, float]:
    """Mean and standard deviation; of a constant channel, exactly its constant and 0."""
    if column.size == 0:
        return np.nan, 0.0
    if column.min() == column.max():
        return column[0], 0.0
    # Sums of squares of very large or very small numbers leave the range of floats, those of shares do not.
    unit = np.abs(column).max()
    return unit * (column / unit).mean(), unit * (column / unit).std()


def _checked(data: Any, channels: int, expected: str) -> np.ndarray:
    array = np.asarray(data, dtype=np.float64)
    if array.ndim < 1 or array.shape[-1] != channels:
        raise ValueError(f"data has shape {array.shape}: expected the last axis to be the {channels} {expected}")
    return array
