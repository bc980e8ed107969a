"""`--labels`: which labels a semi-supervised model gets to see."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

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
    if not Path(spec).is_file():
        raise UsageError(f"--labels is {spec!r}, expected a number of sequences a style, or a CSV file that exists")
    given = _from_file(Path(spec))
    if unknown := sorted(set(given) - set(data.names)):
        raise UsageError(f"{spec} labels the sequence {unknown[0]!r}, which the data do not have")
    found = sorted({label for label in given.values() if label is not None})
    if not found:
        raise UsageError(f"{spec} holds no label at all, expected some to learn from")
    styles = {str(name): name for name in data.label_names or ()}  # numbers may be labels, and files hold text
    if styles and (strange := [label for label in found if label not in styles]):
        raise UsageError(f"{spec} holds the label {strange[0]!r}, but the data have the styles {', '.join(styles)}")
    if styles and (unlabelled := [style for style in styles if style not in found]):
        raise UsageError(f"{spec} labels no sequence as {unlabelled[0]!r}, expected one of every style at least")
    labels = [given.get(name) for name in data.names]
    return data.replace(side=[styles.get(label, label) if label else None for label in labels], label_names=None)


def labelled(data: Sequences) -> int:
    """How many sequences have a label."""
    return sum(not np.isnan(row).all() for row in data.side or ())


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
        given: dict[str, str | None] = {}
        for row in reader:
            if given.setdefault(row["sequence"], row["label"] or None) != (row["label"] or None):
                raise UsageError(f"{path} labels the sequence {row['sequence']!r} more than once, and differently")
        return given
