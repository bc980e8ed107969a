"""Long-format tables (a row for each frame: sequence id, time, columns) to `Sequences` and back."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from tsbn.data.sequences import Sequences
from tsbn.data.side import is_missing
from tsbn.data.timeline import positions

Columns = dict[str, np.ndarray]
LEAVE_OUT = "; to leave the column out, name the channels you want (columns)"


def from_table(
    table: Any,
    *,
    sequence: str | None = None,
    time: str | None = None,
    columns: Sequence[str] | None = None,
    side: str | Sequence[str] | None = None,
    gaps: Literal["error", "fill", "keep"] = "error",
    frame_rate: float | None = None,
) -> Sequences:
    """Sequences from a pandas or polars data frame, a pyarrow table, or a dict of columns.

    - ``sequence``: the column that says which sequence a row belongs to (None: all rows are one sequence);
    - ``time``: numbers or dates. Rows are put in order of time within each sequence; the same time twice,
      or a row without a time, is an error. None: the rows are in order.
    - ``gaps``: what to do where times are missing, that is where they are not evenly spaced: refuse
      (``"error"``), put in frames of NaN (``"fill"``; their side information is that of the row before), or
      take the rows as consecutive all the same (``"keep"``).
    - ``columns``: the channels (None: all columns of numbers that have no other role; a column that is
      numbers but for some cells is an error);
    - ``side``: a column of labels, or a list of columns of numbers. Where it never changes within a
      sequence it belongs to the sequence, otherwise to its frames.

    >>> table = {"who": list("aab"), "t": [1, 0, 0], "x": [0.5, 0.25, 1.0], "gait": ["run", "run", "walk"]}
    >>> data = from_table(table, sequence="who", time="t", side="gait")
    >>> data["a"][:, 0], data.labels
    (array([0.25, 0.5 ]), ['run', 'walk'])
    """
    found = _columns(table)
    side_columns = [side] if isinstance(side, str) else list(side or ())
    roles = [name for name in (sequence, time, *side_columns) if name is not None]
    channels = _channels(found, roles) if columns is None else columns
    for name in [*roles, *channels]:
        if name not in found:
            raise ValueError(f"the table has no column {name!r}; its columns are {list(found)}")
    if isinstance(side, str):
        _check_labels(side, found[side])
    if not channels:
        raise ValueError(f"the table has no column of numbers besides {roles}")
    numbers = np.column_stack([_numbers(name, found[name]) for name in channels])
    if not len(numbers):
        raise ValueError("the table has no rows")
    names, groups = _groups(sequence, found, len(numbers))
    rows, lengths = positions(time, found, groups, names, gaps)
    values, sides = [], []
    for order, length in zip(rows, lengths, strict=True):
        at, take = order[:, 0], order[:, 1]
        array = np.full((length, len(channels)), np.nan)
        array[at] = numbers[take]
        values.append(array)
        if isinstance(side, str):
            sides.append(_labels(found[side][take], at, length))
        elif side_columns:
            sides.append(_vectors([_numbers(name, found[name])[take] for name in side_columns], at, length))
    return Sequences(
        values,
        side=sides or None,
        names=names,
        frame_rate=frame_rate,
        channel_names=channels,
        label_names=None if isinstance(side, str) else side_columns or None,
    )


def to_columns(sequences: Sequences, *, sequence: str = "sequence", time: str = "frame") -> Columns:
    """The inverse of `from_table`: a dict of columns, ready for ``pandas.DataFrame`` or ``polars.DataFrame``.

    Labels are the column ``label``; other side information is one column for each style.

    >>> list(to_columns(Sequences([np.zeros((2, 1))], side=["calm"])))
    ['sequence', 'frame', 'v0', 'label']
    """
    lengths = sequences.lengths
    columns = [
        (sequence, np.repeat(np.array(sequences.names, dtype=object), lengths)),
        (time, np.concatenate([np.arange(length) for length in lengths])),
        *zip(sequences.channel_names, np.concatenate(list(sequences)).T, strict=True),
        *_side_columns(sequences),
    ]
    names = [name for name, _ in columns]
    if len(set(names)) != len(names):
        raise ValueError("channel, side and id columns share names: give other names for sequence or time")
    return dict(columns)


def _side_columns(sequences: Sequences) -> list[tuple[str, np.ndarray]]:
    if sequences.side is None:
        return []
    labels, lengths = sequences.labels, sequences.lengths
    if labels is not None:
        spread = [found if isinstance(found, list) else [found] * n for found, n in zip(labels, lengths, strict=True)]
        return [("label", np.array([label for found in spread for label in found], dtype=object))]
    names = sequences.label_names or [f"side{i}" for i in range(sequences.styles)]
    shapes = [(n, sequences.styles) for n in lengths]
    rows = [np.broadcast_to(row, shape) for row, shape in zip(sequences.side, shapes, strict=True)]
    return [(str(name), column) for name, column in zip(names, np.concatenate(rows).T, strict=True)]


def _columns(table: Any) -> Columns:
    if isinstance(table, dict):
        names, pick = list(table), table.__getitem__
    elif hasattr(table, "column_names"):
        names, pick = list(table.column_names), table.column
    elif hasattr(table, "columns") and hasattr(table, "__getitem__"):
        names, pick = list(table.columns), table.__getitem__
    else:
        raise TypeError(f"table is a {type(table).__name__}: expected a pandas, polars or pyarrow table, or a dict")
    if len({str(name) for name in names}) != len(names):
        raise ValueError(f"column names are not unique: {[str(name) for name in names]}")
    found = {str(name): _array(pick(name)) for name in names}
    if len({len(column) for column in found.values()}) > 1:
        raise ValueError(f"the columns differ in length: { {name: len(column) for name, column in found.items()} }")
    return found


def _array(column: Any) -> np.ndarray:
    array = column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
    if array.dtype.kind not in "OT":
        return array
    # Objects that are all numbers or missing are a column of numbers: nullable types come out this way.
    plain = [None if is_missing(item) else item for item in array]
    if all(item is None or isinstance(item, (int, float, np.number, Decimal)) for item in plain) and any(
        item is not None for item in plain
    ):
        whole = all(isinstance(item, (int, np.integer)) for item in plain)
        return np.array([np.nan if item is None else item for item in plain], dtype=int if whole else float)
    kept = np.empty(len(plain), dtype=object)
    kept[:] = plain
    return kept


def _numeric(column: np.ndarray) -> bool:
    return column.dtype.kind in "fiub"


def _channels(found: Columns, roles: list[str]) -> list[str]:
    """All columns of numbers that have no role. Text may be left out, but not a column with a typing error in it."""
    for name, column in found.items():
        if name not in roles and column.dtype.kind in "OU":
            known = [item for item in column.tolist() if item is not None]
            odd = [item for item in known if not _reads_as_number(item)]
            if 2 * len(odd) < len(known):
                wrong = f"{odd[0]!r} among its numbers" if odd else f"numbers written as text, such as {known[0]!r}"
                raise ValueError(f"column {name!r} has {wrong}{LEAVE_OUT}")
    return [name for name, column in found.items() if name not in roles and _numeric(column)]


def _reads_as_number(item: Any) -> bool:
    try:
        float(item)
    except (TypeError, ValueError, OverflowError):
        return False
    return "_" not in str(item)


def _check_labels(name: str, column: np.ndarray) -> None:
    if column.dtype.kind == "f" and (fractions := column[np.nan_to_num(column) % 1 != 0]).size:
        raise ValueError(
            f"side {name!r} is a column of numbers such as {fractions[0]:g}, no labels: "
            f"give numbers as a list of columns, side=[{name!r}] (in a command: side={name},)"
        )


def _numbers(name: str, column: np.ndarray) -> np.ndarray:
    if _numeric(column):
        return column.astype(np.float64)
    bad = next((i for i, item in enumerate(column) if not isinstance(item, (int, float))), 0)
    raise ValueError(f"column {name!r} is not made of numbers: row {bad} has {column.tolist()[bad]!r}")


def _groups(sequence: str | None, found: Columns, rows: int) -> tuple[list[str], list[np.ndarray]]:
    """The sequences in order of first appearance, and the rows of each."""
    if sequence is None:
        return ["0"], [np.arange(rows)]
    ids = [None if is_missing(item) else _whole(item) for item in found[sequence].tolist()]
    if None in ids:
        raise ValueError(f"column {sequence!r} does not say which sequence row {ids.index(None)} belongs to")
    numbers = {name: i for i, name in enumerate(dict.fromkeys(ids))}
    which = np.array([numbers[name] for name in ids])
    order = np.argsort(which, kind="stable")
    return [str(name) for name in numbers], np.split(order, np.cumsum(np.bincount(which))[:-1])


def _labels(labels: np.ndarray, at: np.ndarray, length: int) -> Any:
    """One label if it never changes, otherwise one for each frame, None where there is no label."""
    plain = [None if is_missing(label) or label == "" else _whole(label) for label in labels.tolist()]
    if len(set(plain)) == 1:
        return plain[0]
    spread = np.empty(len(plain), dtype=object)
    spread[:] = plain
    return spread[_last_row(at, length)]


def _whole(label: Any) -> Any:
    # A column of whole numbers with gaps arrives as floats.
    return int(label) if isinstance(label, float) and label.is_integer() else label


def _vectors(columns: list[np.ndarray], at: np.ndarray, length: int) -> np.ndarray:
    rows = np.column_stack(columns)
    if ((rows == rows[0]) | (np.isnan(rows) & np.isnan(rows[0]))).all():
        return rows[0]
    return rows[_last_row(at, length)]


def _last_row(at: np.ndarray, length: int) -> np.ndarray:
    """For every frame the last row up to it: side information holds until another one comes."""
    return np.searchsorted(at, np.arange(length), side="right") - 1
