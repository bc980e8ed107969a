"""Checking what users hand in, before any work starts: every error names the argument, the given and the expected."""

from collections.abc import Sequence
from typing import Any

import numpy as np

HUGE = 1e4


def as_sequences(sequences: Any, name: str = "sequences") -> list[np.ndarray]:
    """A list of float32 arrays `[time, channels]`; one 2-D array is one sequence, a 3-D array a list of them."""
    if isinstance(sequences, np.ndarray) or hasattr(sequences, "__array__"):
        array = np.asarray(sequences)
        if array.ndim not in (2, 3):
            raise ValueError(f"{name} is an array of {array.ndim} axes, expected [time, channels] or a list of such")
        sequences = [array] if array.ndim == 2 else list(array)
    if not isinstance(sequences, Sequence) or isinstance(sequences, str):
        raise TypeError(f"{name} is a {type(sequences).__name__}, expected a list of arrays [time, channels]")
    if not len(sequences):
        raise ValueError(f"{name} is empty, expected at least one array [time, channels]")
    arrays = [_as_frames(array, f"{name}[{i}]") for i, array in enumerate(sequences)]
    widths = sorted({array.shape[1] for array in arrays})
    if len(widths) > 1:
        odd = next(i for i, array in enumerate(arrays) if array.shape[1] != arrays[0].shape[1])
        raise ValueError(
            f"{name}[{odd}] has {arrays[odd].shape[1]} channels, {name}[0] has {arrays[0].shape[1]}; "
            "all sequences must have the same channels"
        )
    return arrays


def _as_frames(given: Any, name: str) -> np.ndarray:
    try:
        array = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} does not hold numbers: {error}") from None
    if array.ndim != 2:
        raise ValueError(f"{name} has shape {list(array.shape)}, expected [time, channels]")
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise ValueError(f"{name} has shape {list(array.shape)}, expected at least one frame and one channel")
    if np.isinf(array).any():
        step, channel = np.argwhere(np.isinf(array))[0]
        raise ValueError(f"{name} is infinite at frame {step}, channel {channel}; missing values are given as NaN")
    return array


def check_observations(arrays: list[np.ndarray], observation: str, name: str = "sequences") -> None:
    """The values are of the kind the observation model is for."""
    for i, array in enumerate(arrays):
        seen = ~np.isnan(array)
        if observation == "bernoulli":
            wrong = seen & (array != 0) & (array != 1)
            expected = "0, 1 or NaN for binary (bernoulli) data"
        elif observation == "counts":
            wrong = seen & ((array < 0) | (array != np.floor(array)))
            expected = "whole numbers of at least 0, or NaN, for counts"
        else:
            return
        if wrong.any():
            step, channel = np.argwhere(wrong)[0]
            raise ValueError(
                f"{name}[{i}] holds {array[step, channel]:g} at frame {step}, channel {channel}; expected {expected}"
            )


def check_training(arrays: list[np.ndarray], observation: str, order: int) -> None:
    """The data can be learnt from: long enough, and no channel that would break the likelihood."""
    for i, array in enumerate(arrays):
        if len(array) <= order:
            raise ValueError(
                f"sequences[{i}] has {len(array)} frames, a model of order {order} needs at least {order + 1}"
            )
    everything = np.concatenate(arrays)
    unseen = np.flatnonzero(np.isnan(everything).all(axis=0))
    if unseen.size:
        raise ValueError(f"channels {_listed(unseen)} have no values at all; drop them")
    if observation != "gaussian":
        return
    low, high = np.nanmin(everything, axis=0), np.nanmax(everything, axis=0)
    constant = np.flatnonzero(low == high)
    if constant.size:
        raise ValueError(
            f"channels {_listed(constant)} are constant; a real-valued channel needs to vary, so drop them first"
        )
    huge = np.flatnonzero(np.maximum(np.abs(low), np.abs(high)) > HUGE)
    if huge.size:
        raise ValueError(
            f"channels {_listed(huge)} reach {np.nanmax(np.abs(everything)):.3g}; scale the data first, to about zero "
            f"mean and unit variance (at most {HUGE:g})"
        )


def check_channels(arrays: list[np.ndarray], channels: int, name: str = "sequences") -> None:
    """The data have the channels the model was fitted to."""
    if arrays[0].shape[1] != channels:
        raise ValueError(f"{name} has {arrays[0].shape[1]} channels, the model was fitted to {channels}")


def _listed(channels: np.ndarray) -> str:
    shown = ", ".join(map(str, channels[:10]))
    return shown + (f" and {channels.size - 10} more" if channels.size > 10 else "")
