"""`Sequences` from CSV and Parquet files, and to and from ``.npz``."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from tsbn.atomic import new_file
from tsbn.data.extras import needs
from tsbn.data.sequences import Sequences
from tsbn.data.tables import LEAVE_OUT, from_table

_MISSING = frozenset({"", "na", "nan", "null", "none", "n/a"})
# Plain whole numbers, as tables write them (a column with gaps has 3.0 for 3), small enough for a float to hold.
_WHOLE = re.compile(r"(-?(?:0|[1-9][0-9]{0,14}))(?:\.0+)?")


def from_csv(
    path: str | os.PathLike,
    *,
    delimiter: str = ",",
    decimal: str = ".",
    encoding: str = "utf-8-sig",
    **roles: Any,
) -> Sequences:
    """Sequences from a CSV file with a header line; ``roles`` are those of `tsbn.data.tables.from_table`.

    Empty cells and NA, NaN, null are missing values; true and false are 1 and 0. Sequence ids and labels are taken as
    they are written: 007 is not 7.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.csv").write_text("who,t,x\\nann,0,1.5\\nann,1,2.5\\n")
    ...     from_csv(Path(folder) / "a.csv", sequence="who", time="t")[0]
    array([[1.5],
           [2.5]])
    """
    path = Path(path)
    lines, cells = _read_cells(path, delimiter, encoding)
    columns = {name: _cells(column, decimal) for name, column in cells.items()}
    _check_channels(path, lines, cells, columns, roles, decimal)
    for role in ("sequence", "side"):
        name = roles.get(role)
        if not isinstance(name, str) or name not in columns or name in (roles.get("columns") or ()):
            continue
        if role == "sequence" or not _fractions(columns[name]):  # which labels are not: that is told later
            columns[name] = _marks(cells[name])
    return _from_file(path, columns, roles)


def from_parquet(path: str | os.PathLike, **roles: Any) -> Sequences:
    """Sequences from a Parquet file; ``roles`` are those of `tsbn.data.tables.from_table`."""
    with needs("pyarrow", "data", "reading Parquet files"):
        import pyarrow
        import pyarrow.parquet
    try:
        table = pyarrow.parquet.read_table(Path(path))
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"{path}: not a Parquet file ({error})") from None
    return _from_file(Path(path), table, roles)


def save_npz(path: str | os.PathLike, sequences: Sequences, *, overwrite: bool = False) -> None:
    """Everything about the sequences in one ``.npz`` file that `load_npz` reads back as it was."""
    about = {name: getattr(sequences, name) for name in ("names", "frame_rate", "channel_names", "label_names")}
    arrays = {
        "about": np.array(json.dumps(about)),
        "lengths": sequences.lengths,
        "values": np.concatenate(list(sequences)) if len(sequences) else np.zeros((0, sequences.channels)),
    }
    if sequences.side:
        # Side information of a whole sequence is one row, known by its length 0.
        arrays["side_lengths"] = np.array([len(row) if row.ndim == 2 else 0 for row in sequences.side])
        arrays["side"] = np.concatenate([np.atleast_2d(row) for row in sequences.side])
    with new_file(path, overwrite=overwrite) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def load_npz(path: str | os.PathLike) -> Sequences:
    """The sequences in a file that `save_npz` wrote.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data = Sequences([np.zeros((3, 2))], side=["calm"])
    ...     save_npz(Path(folder) / "data.npz", data)
    ...     load_npz(Path(folder) / "data.npz") == data
    True
    """
    try:
        with np.load(path, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
        about = json.loads(str(arrays["about"]))
        values = np.split(arrays["values"], np.cumsum(arrays["lengths"])[:-1]) if len(arrays["lengths"]) else []
        side = None
        if "side" in arrays:
            sizes = arrays["side_lengths"]
            rows = np.split(arrays["side"], np.cumsum(np.maximum(sizes, 1))[:-1])
            side = [row if size else row[0] for row, size in zip(rows, sizes, strict=True)]
        return Sequences(values, side, **about)
    except (KeyError, ValueError, AttributeError, zipfile.BadZipFile, EOFError) as error:
        raise ValueError(f"{path}: not a file of sequences written by save_npz ({error})") from None


def _read_cells(path: Path, delimiter: str, encoding: str) -> tuple[list[int], dict[str, list[str]]]:
    """The line of every row, and the cells of every column by its name."""
    content = path.read_bytes()
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(f"{path} line {line}: not text in {encoding} ({error.reason})") from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise ValueError(f"{path} line {reader.line_num}: {error}") from None
    if not rows:
        raise ValueError(f"{path}: the file is empty, expected a header line and rows")
    header, *rows = rows
    names = [name.strip() for name in header[1]]
    if len(set(names)) != len(names):
        raise ValueError(f"{path} line {header[0]}: column names are not unique: {names}")
    for line, row in rows:
        if len(row) != len(names):
            raise ValueError(f"{path} line {line}: {len(row)} cells, the header has {len(names)} columns")
    return [line for line, _ in rows], {name: [row[i].strip() for _, row in rows] for i, name in enumerate(names)}


def _check_channels(
    path: Path,
    lines: list[int],
    cells: dict[str, list[str]],
    columns: dict[str, np.ndarray],
    roles: dict[str, Any],
    decimal: str,
) -> None:
    """The channels asked for are numbers; if none are, no column is left out that is numbers but for a typing error."""
    asked, side = roles.get("columns"), roles.get("side") or ()
    others = {roles.get("sequence"), roles.get("time"), *([side] if isinstance(side, str) else side)}
    for name, column in columns.items():
        if column.dtype != object or name in others or (asked is not None and name not in asked):
            continue
        odd = [k for k, cell in enumerate(cells[name]) if not _is_number(cell, decimal)]
        if asked is not None or 2 * len(odd) < sum(item is not None for item in column):
            found = f"column {name!r} has {cells[name][odd[0]]!r}, expected a number"
            raise ValueError(f"{path} line {lines[odd[0]]}: {found}" + (LEAVE_OUT if asked is None else ""))


def _from_file(path: Path, table: Any, roles: dict[str, Any]) -> Sequences:
    try:
        return from_table(table, **roles)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _cells(cells: list[str], decimal: str) -> np.ndarray:
    """Numbers if they all are, truth values likewise, otherwise text; None where a cell is empty."""
    if {cell.lower() for cell in cells} - _MISSING <= {"true", "false"}:
        return np.array([{"true": 1.0, "false": 0.0}.get(cell.lower(), np.nan) for cell in cells])
    try:
        return np.array([_number(cell, decimal) for cell in cells])
    except ValueError:
        return _text(cells)


def _fractions(column: np.ndarray) -> bool:
    return column.dtype != object and bool((np.nan_to_num(column) % 1 != 0).any())


def _marks(cells: list[str]) -> np.ndarray:
    """Ids or labels: whole numbers if all are plain ones, otherwise text as it stands."""
    if all(_WHOLE.fullmatch(cell) for cell in cells if cell.lower() not in _MISSING):
        return np.array([_number(cell, ".") for cell in cells])
    return _text(cells)


def _text(cells: list[str]) -> np.ndarray:
    column = np.empty(len(cells), dtype=object)
    column[:] = [None if cell.lower() in _MISSING else cell for cell in cells]
    return column


def _number(cell: str, decimal: str) -> float:
    if cell.lower() in _MISSING:
        return np.nan
    if "_" in cell:
        raise ValueError(f"{cell!r} is not a number")  # Python would read 1_11 as 111
    return float(cell if decimal == "." else cell.replace(".", "?").replace(decimal, "."))


def _is_number(cell: str, decimal: str) -> bool:
    try:
        _number(cell, decimal)
    except ValueError:
        return False
    return True
