"""Checking what users hand in, before any work starts: every error names the argument, the given and the expected."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from tsbn.data import Sequences
from tsbn.model.observations import REAL

HUGE = 1e4
MOST_COUNTS = 2**24  # float32 holds whole numbers up to here


def as_data(sequences: Any, side: Any = None, labels: tuple | None = None, name: str = "sequences") -> Sequences:
    """What was given as `Sequences`: they themselves, a list of arrays, or an array (2-D: one sequence, 3-D: many).

    `labels` are the styles a fitted model knows. Side information that is given apart replaces what the data bring.
    """
    if side is not None and (isinstance(side, str) or not isinstance(side, Iterable)):
        raise TypeError(f"side is {side!r:.60}, expected one entry per sequence")
    if isinstance(sequences, Sequences):
        if side is None and labels in (None, sequences.label_names):
            return sequences
        if side is None and sequences.label_names is not None and sequences.side and not sequences.labels:
            raise ValueError(f"{name} blends the styles {sequences.label_names}, the model was fitted with {labels}")
        return Sequences(
            sequences.values,
            sequences.labels or sequences.side if side is None else side,
            names=sequences.names,
            frame_rate=sequences.frame_rate,
            channel_names=sequences.channel_names,
            label_names=labels,
        )
    if hasattr(sequences, "__array__") and np.ndim(sequences) == 2:
        sequences = [sequences]
    try:
        arrays = list(sequences)
    except TypeError:
        raise TypeError(f"{name} is {sequences!r:.60}, expected a list of arrays [time, channels]") from None
    if not arrays:
        raise ValueError(f"{name} is empty, expected at least one array [time, channels]")
    try:
        return Sequences(arrays, side, label_names=labels)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise error if name == "sequences" else kind(f"{name}: {error}") from None


def as_float32(data: Sequences) -> list[np.ndarray]:
    """The frames in the precision that models work in."""
    return [array.astype(np.float32) for array in data]


def place(name: str, data: Sequences, i: int) -> str:
    """Which sequence of an argument is meant, by its own name too if it has one."""
    return f"{name}[{i}]" + (f" ({data.names[i]!r})" if data.names[i] != str(i) else "")


def check_observations(data: Sequences, observation: str, name: str = "sequences") -> None:
    """The values are of the kind the observation model is for."""
    if observation == "counts" and data.channels == 1:
        raise ValueError(
            f"{name} has one channel, which counts cannot be: they are modelled as shares of each frame's total. "
            "Take a single count as a real number (observation='gaussian'), perhaps its square root or logarithm"
        )
    for i, array in enumerate(data):
        seen = ~np.isnan(array)
        if observation == "bernoulli":
            wrong = seen & (array != 0) & (array != 1)
            expected = "0, 1 or NaN for binary (bernoulli) data"
        elif observation == "counts":
            wrong = seen & ((array < 0) | (array != np.floor(array)) | (array > MOST_COUNTS))
            expected = f"whole numbers from 0 to {MOST_COUNTS}, or NaN, for counts"
        else:
            wrong = seen & (np.abs(array) > HUGE)
            expected = f"at most {HUGE:g} in size; scale to about zero mean and unit variance (see tsbn.data.Scaler)"
        if wrong.any():
            step, channel = np.argwhere(wrong)[0]
            raise ValueError(
                f"{place(name, data, i)} holds {array[step, channel]:g} at frame {step}, channel {channel}; "
                f"expected {expected}"
            )


def check_lengths(data: Sequences, order: int) -> None:
    """The sequences are long enough to be learnt from."""
    for i, array in enumerate(data):
        if len(array) <= order:
            raise ValueError(
                f"{place('sequences', data, i)} has {len(array)} frames, "
                f"a model of order {order} needs at least {order + 1}"
            )


def check_varying(frames: np.ndarray, observation: str) -> None:
    """No channel of the frames to learn from would break the likelihood."""
    unseen = np.flatnonzero(np.isnan(frames).all(axis=0))
    if unseen.size:
        raise ValueError(f"channels {_listed(unseen)} have no values at all in what is learnt from; drop them")
    if observation not in REAL:
        return
    as_the_model_sees = frames.astype(np.float32)
    constant = np.flatnonzero(np.nanmin(as_the_model_sees, axis=0) == np.nanmax(as_the_model_sees, axis=0))
    if constant.size:
        raise ValueError(
            f"channels {_listed(constant)} are constant in what is learnt from; a real-valued channel needs to vary, "
            "so drop them first (tsbn.data.Scaler does, and brings them back)"
        )


def check_channels(data: Sequences, channels: int, name: str = "sequences") -> None:
    """The data have the channels the model was fitted to."""
    if data.channels != channels:
        raise ValueError(f"{name} has {data.channels} channels, the model was fitted to {channels}")


def _listed(channels: np.ndarray) -> str:
    shown = ", ".join(map(str, channels[:10]))
    return shown + (f" and {channels.size - 10} more" if channels.size > 10 else "")
