"""What new frames are asked to be: a style path, side information in numbers, or a mere count of frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from jaxtyping import Float

from tsbn.cli import UsageError
from tsbn.data import from_csv
from tsbn.estimators import SequenceModel
from tsbn.estimators.side import SideEncoder
from tsbn.styles import Path as StylePath
from tsbn.styles import PathError, parse

Steering = StylePath | Float[np.ndarray, "time columns"] | int


def steering(model: SequenceModel, path: str = "", side: str = "", length: int | None = None) -> Steering:
    """The style path, or the side information of every frame, or the number of frames of a model that has neither.

    `side` is numbers with commas between them, or a file with a row of them for every frame.
    """
    known = model.side_
    if length is not None and length < 1:
        raise UsageError(f"the length is {length}, expected 1 frame or more")
    if known.kind == "none":
        if path or side:
            given = "--path" if path else "--side"
            raise UsageError(
                f"{given} was given, but the model has no styles nor other side information: give --length"
            )
        if length is None:
            raise UsageError("how long? the model has no styles to make a path of: give --length, such as 200")
        return length
    if path and side:
        raise UsageError("--path and --side were given, expected one of them")
    if side:
        return _rows(known, side, length)
    if not (known.labels and known.shares):
        numbers = ",".join(["0.5"] * known.given)
        problem = "--path was given, but" if path else "which side information?"
        raise UsageError(
            f"{problem} the model was trained with {known.describe()}, which are no shares of styles: "
            f"give --side, such as {numbers}, or a file with a row for every frame"
        )
    if not path:
        raise UsageError(f'which styles? give --path, such as "{known.labels[0]}:120", of {known.describe()}')
    try:
        followed = parse(path, known.labels)
    except PathError as error:
        raise UsageError(str(error)) from None
    if length not in (None, followed.frames):
        raise UsageError(f"the path lasts {followed.frames} frames, but {length} are asked for: leave one of them out")
    return followed


def frames_of(asked: Steering) -> int:
    """How many frames are asked for."""
    return asked if isinstance(asked, int) else len(asked)


def side_of(asked: Steering, known: SideEncoder) -> Float[np.ndarray, "time columns"] | None:
    """The side information of every frame."""
    if isinstance(asked, StylePath):
        return asked.side(known.labels)
    return None if isinstance(asked, int) else asked


def told(asked: Steering) -> str:
    """What is asked for, in words."""
    if isinstance(asked, StylePath):
        return str(asked)
    return f"{frames_of(asked)} frames"


def _rows(known: SideEncoder, side: str, length: int | None) -> np.ndarray:
    file = Path(side)
    if file.suffix.lower() in (".csv", ".npz"):
        rows = _from_file(file, known)
    else:
        try:
            rows = np.array([[float(number) for number in side.split(",")]])
        except ValueError:
            raise UsageError(f"--side is {side!r}, expected numbers such as 0.3,0.1 or a .csv or .npz file") from None
        if length is None:
            raise UsageError("how long? --side holds for all frames: give --length, such as 200")
        rows = np.repeat(rows, length, axis=0)
    if rows.shape[1] != known.given:
        raise UsageError(f"--side has {rows.shape[1]} columns, the model was trained with {known.describe()}")
    if not np.isfinite(rows).all():
        raise UsageError(f"--side has values that are missing or infinite: {side}")
    if length is not None and len(rows) < length:
        raise UsageError(f"{file} has {len(rows)} rows, but {length} frames are asked for")
    return rows[:length]


def _from_file(file: Path, known: SideEncoder) -> np.ndarray:
    """The columns of a table, by name where the model knows their names, or the array `side` of an .npz file."""
    if file.suffix.lower() == ".csv":
        return from_csv(file, columns=[str(label) for label in known.labels] or None)[0]
    with np.load(file, allow_pickle=False) as arrays:
        if "side" not in arrays.files or arrays["side"].ndim != 2:
            raise ValueError(f"{file} has no array 'side' [frames, columns]; its arrays are {', '.join(arrays.files)}")
        return np.asarray(arrays["side"], dtype=np.float64)
