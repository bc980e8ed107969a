"""From what users hand to `fit` to training data, with a part held out."""

from typing import Any

import numpy as np

from tsbn.estimators.inputs import as_data, as_float32, check_channels, check_lengths, check_observations, check_varying
from tsbn.estimators.side import fit_side
from tsbn.estimators.training_data import TrainingData, training_lengths


def divided(
    sequences: Any,
    side: Any,
    validation: float | tuple[Any, Any],
    seed: int,
    *,
    model: str,
    observation: str,
    order: int,
    takes_side: bool,
) -> TrainingData:
    """Checked data; `validation` is the share of frames to hold out, or held-out `(sequences, side)`.

    `model` is the name of what will learn from them, and the rest says what it can take.
    """
    if side is not None and not takes_side:
        raise ValueError(f"side was given, but a {model} has no side information; use FCTSBN or CTSBN")
    data = as_data(sequences, side)
    check_observations(data, observation)
    check_lengths(data, order)
    encoder = fit_side(data if takes_side else data.replace(side=None, label_names=None))
    sides, lengths = encoder.encode(data), [len(array) for array in data]
    if not isinstance(validation, tuple):
        kept = training_lengths(lengths, validation, order, seed)
        check_varying(np.concatenate([array[:length] for array, length in zip(data, kept, strict=True)]), observation)
        return TrainingData(as_float32(data), sides, encoder, kept)
    check_varying(np.concatenate(data.values), observation)
    if len(validation) != 2:
        raise ValueError(f"validation has {len(validation)} entries, expected (sequences, side) or a share")
    if validation[1] is not None and not takes_side:
        raise ValueError(f"validation has side information, but a {model} has none: give (sequences, None)")
    extra = as_data(validation[0], validation[1], encoder.label_names, "validation")
    check_observations(extra, observation, "validation")
    check_channels(extra, data.channels, "validation")
    return TrainingData(
        as_float32(data) + as_float32(extra),
        sides + encoder.encode(extra, "validation side"),
        encoder,
        lengths + [0] * len(extra),
    )
