"""`--labels`: which labels a semi-supervised model gets to see."""

from __future__ import annotations

import csv
from pathlib import Path

from tsbn.cli import UsageError
from tsbn.data import Sequences


def with_labels(data: Sequences, spec: str) -> Sequences:
    """The data with the labels that `spec` leaves them: all (""), those of so many sequences a style, or of a file.

    A file is a CSV with the columns sequence and label; sequences that it does not name have no label.
    """
    if not spec:
        return data
    if spec.isdigit():
        return data.replace(side=_first(data, int(spec)))
    given = _from_file(Path(spec))
    if unknown := sorted(set(given) - set(data.names)):
        raise UsageError(f"{spec} labels the sequence {unknown[0]!r}, which the data do not have")
    return data.replace(side=[given.get(name) for name in data.names], label_names=None)


def _first(data: Sequences, count: int) -> list:
    labels = data.labels
    if labels is None:
        raise UsageError(f"--labels {count} keeps the labels of so many sequences a style, but the data have no labels")
    if any(isinstance(label, list) for label in labels):
        raise UsageError(f"--labels {count} is for one label per sequence, but labels change within sequences")
    return [label if labels[: i + 1].count(label) <= count else None for i, label in enumerate(labels)]


def _from_file(path: Path) -> dict[str, str | None]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        if not {"sequence", "label"} <= set(reader.fieldnames or ()):
            raise UsageError(f"{path} has the columns {reader.fieldnames}, expected sequence and label")
        return {row["sequence"]: row["label"] or None for row in reader}
