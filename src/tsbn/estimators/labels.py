"""Labels of which some are missing: one per sequence or one per frame; None, NaN or -1 where there is none."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tsbn.data import Sequences
from tsbn.data.side import Label, encode_side, is_missing
from tsbn.estimators.inputs import as_data
from tsbn.estimators.side import SideEncoder

UNLABELLED = -1


class LabelledData(NamedTuple):
    """Sequences and what is known of their labels: rows `[1 or time, styles]`, NaN where nothing is."""

    data: Sequences
    rows: list[np.ndarray]
    encoder: SideEncoder

    @property
    def changing(self) -> bool:
        """Whether labels change, or are partly missing, within a sequence."""
        return any(len(row) > 1 for row in self.rows)


def read_labels(
    sequences: Any, labels: Any = None, styles: Iterable[Label] | None = None, name: str = "labels"
) -> LabelledData:
    """What was given, checked. `styles` are all styles there are; by default those that the data or labels name."""
    data = as_data(sequences)
    if labels is None:
        if data.side is None:
            raise ValueError(f"{name} is missing, and the sequences bring none: give one entry per sequence")
        if data.labels is None:
            raise ValueError(
                "the sequences have real-valued or blended side information: semi-supervised learning is for labels; "
                "fit the model itself with complete side information, or leave out what is not labelled"
            )
        labels, styles = data.labels, data.label_names if styles is None else styles
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise TypeError(f"{name} is {labels!r:.60}, expected one entry per sequence")
    entries = list(labels)
    if len(entries) != len(data):
        raise ValueError(f"{name} has {len(entries)} entries for {len(data)} sequences: give one per sequence")
    entries = [
        _entry(entry, len(array), f"{name}[{i}]") for i, (entry, array) in enumerate(zip(entries, data, strict=True))
    ]
    named = {label for entry in entries for label in (entry if isinstance(entry, list) else [entry])} - {None}
    if not named:
        raise ValueError(f"{name} holds no label at all; semi-supervised learning needs some labelled data")
    known = None if styles is None else tuple(styles)
    if known is not None and (unknown := named - set(known)):
        raise ValueError(f"{name} holds {_listed(unknown)}, expected one of the {len(known)} styles {_listed(known)}")
    rows, names = encode_side(entries, [len(array) for array in data], known)
    assert rows is not None
    assert names is not None
    rows = [np.atleast_2d(row).astype(np.float32) for row in rows]
    bare = data.replace(side=None, label_names=None)
    return LabelledData(bare, rows, SideEncoder("labels", len(names), names))


def check_learnable(given: LabelledData) -> None:
    """There is something to tell apart, and an example of each."""
    labels = given.encoder.labels
    if len(labels) < 2:
        raise ValueError(f"labels name one style only, {_listed(labels)}: expected at least two to tell apart")
    seen = np.nansum([np.nansum(row, axis=0) for row in given.rows], axis=0)
    if bare := [label for label, amount in zip(labels, seen, strict=True) if not amount]:
        raise ValueError(
            f"no frame is labelled {_listed(bare)}: every style needs some labelled data; "
            "without any, leave the style out"
        )


def per_frame(rows: Sequence[np.ndarray], arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The rows written out for every frame."""
    return [np.broadcast_to(row, (len(array), row.shape[1])) for row, array in zip(rows, arrays, strict=True)]


def _entry(entry: Any, length: int, name: str) -> Label | list[Label | None] | None:
    """One label, or a list of one per frame unless they are all the same; None where there is none."""
    if is_missing(entry):
        return None
    if isinstance(entry, str) or np.ndim(entry) == 0:
        return _label(entry, name)
    values = list(entry) if isinstance(entry, list | tuple) else list(np.asarray(entry))
    if np.ndim(values[0]) > 0 if values else True:
        raise TypeError(f"{name} is {entry!r:.60}: expected a label or one label per frame, not vectors")
    if len(values) != length:
        raise ValueError(f"{name} has {len(values)} labels for the {length} frames of its sequence")
    found = [_label(value, f"{name}[{frame}]") for frame, value in enumerate(values)]
    return found[0] if len(set(found)) == 1 else found


def _label(value: Any, name: str) -> Label | None:
    if is_missing(value):
        return None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float | np.floating) and not float(value).is_integer():
        raise ValueError(
            f"{name} is {value!r}: real-valued side information that is partly missing is not supported, "
            "labels are text or whole numbers"
        )
    if isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
        return None if value == UNLABELLED else int(value)
    raise TypeError(f"{name} is {value!r:.60}: expected text, a whole number, or None")


def _listed(labels: Iterable[Any]) -> str:
    return ", ".join(map(repr, sorted(labels, key=str)))
