"""Columns of numbers and text as a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tsbn.atomic import new_file


def write_columns(columns: Mapping[str, Sequence[Any] | Any], path: Path, overwrite: bool) -> None:
    """One line of names, then one for each row."""
    with new_file(path, overwrite=overwrite) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
