"""Side information in all the forms people have it in, turned into one form: arrays of styles.

A label becomes a one-hot vector, a vector stays what it is, and a missing label becomes a vector of NaN, so
that every sequence has either one vector ``[styles]`` or one for each of its frames, ``[time, styles]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Label = str | int


def encode_side(
    side: Iterable[Any] | None,
    lengths: Sequence[int],
    label_names: Sequence[Label] | None = None,
) -> tuple[tuple[np.ndarray, ...] | None, tuple[Label, ...] | None]:
    """One array per sequence, ``[styles]`` or ``[time, styles]``, and the names of the styles, if any.

    ``side`` has one entry per sequence:

    - a str or an int: the label of the sequence;
    - a list of str, or an integer array ``[time]``: a label for each frame (None or NaN where there is none);
    - a float array ``[styles]`` or ``[time, styles]``: real or soft side information;
    - None or NaN: unlabelled.

    >>> encode_side(["walk", None, "run"], [5, 5, 5])[0]
    (array([0., 1.]), array([nan, nan]), array([1., 0.]))
    """
    if side is None:
        return None, tuple(label_names) if label_names is not None else None
    entries = list(side)
    if len(entries) != len(lengths):
        raise ValueError(f"side has {len(entries)} entries for {len(lengths)} sequences: give one per sequence")
    kinds = [_kind(entry, length, i) for i, (entry, length) in enumerate(zip(entries, lengths, strict=True))]
    if "vector" in kinds and ("label" in kinds or "labels" in kinds):
        raise TypeError("side mixes labels and vectors: use one or the other for all sequences")
    if "vector" in kinds:
        arrays = _vectors(entries, kinds, lengths, None if label_names is None else len(label_names))
        return arrays, tuple(label_names) if label_names is not None else None
    return _one_hots(entries, kinds, label_names)


def decode_labels(row: np.ndarray, label_names: Sequence[Label]) -> Label | list[Label | None] | None:
    """The label of a one-hot ``[styles]``, or those of the rows of ``[time, styles]``; None for NaN."""
    if row.ndim == 2:
        best = np.argmax(np.nan_to_num(row), axis=1)
        missing = np.asarray(np.isnan(row).all(axis=1))
        return [None if gone else label_names[k] for k, gone in zip(best, missing, strict=True)]
    return None if np.isnan(row).all() else label_names[int(np.argmax(row))]


def is_one_hot(row: np.ndarray) -> bool:
    """Whether every row of ``[styles]`` or ``[time, styles]`` is one-hot or missing."""
    rows = np.atleast_2d(row)
    known = rows[~np.isnan(rows).all(axis=1)]
    return bool(np.isin(known, (0.0, 1.0)).all() and (known.sum(axis=1) == 1).all())


def is_missing(entry: Any) -> bool:
    """Whether a scalar stands for 'no label': None, NaN, NaT or the missing value of a table library."""
    if entry is None:
        return True
    if isinstance(entry, (str, bytes, np.ndarray, list, tuple)):
        return False
    return not _equals_itself(entry)


def _equals_itself(entry: Any) -> bool:
    # NaN and NaT differ from themselves; pandas.NA refuses to say, which is the same answer.
    try:
        return bool(entry == entry)
    except (TypeError, ValueError):
        return False


def _kind(entry: Any, length: int, index: int) -> str:
    """'missing', 'label' (whole sequence), 'labels' (one per frame) or 'vector'."""
    if is_missing(entry):
        return "missing"
    if isinstance(entry, (str, int, np.integer)):
        return "label"
    array = _frame_labels(entry) if isinstance(entry, (list, tuple)) else np.asarray(entry)
    if array.ndim == 1 and array.dtype.kind in "OUSiub":
        if len(array) != length:
            hint = "; a vector of styles must be float" if array.dtype.kind in "iub" else ""
            raise ValueError(f"side[{index}] has {len(array)} labels for the {length} frames of its sequence{hint}")
        return "labels"
    if array.dtype.kind in "fiub" and array.ndim in (1, 2):
        if array.ndim == 2 and len(array) != length:
            raise ValueError(
                f"side[{index}] has shape {array.shape} for a sequence of {length} frames: "
                f"expected [styles] or [{length}, styles]"
            )
        return "vector"
    raise TypeError(
        f"side[{index}] is {entry!r:.60}: expected a label (str or int), labels per frame, "
        "a float vector [styles] or [time, styles], or None"
    )


def _frame_labels(entry: list | tuple) -> np.ndarray:
    """A list of labels keeps its None; any other list becomes the array it spells."""
    if any(isinstance(item, str) or item is None for item in entry):
        array = np.empty(len(entry), dtype=object)
        array[:] = entry
        return array
    return np.asarray(entry)


def _vectors(entries: list, kinds: list[str], lengths: Sequence[int], styles: int | None) -> tuple[np.ndarray, ...]:
    given = [np.asarray(entry, dtype=np.float64) for entry in entries if not is_missing(entry)]
    widths = {array.shape[-1] for array in given} | ({styles} if styles is not None else set())
    if len(widths) != 1:
        raise ValueError(f"side vectors must all have the same number of styles, found {sorted(widths)}")
    if any(np.isinf(array).any() for array in given):
        raise ValueError("side has infinite values: use NaN for what is not known")
    width, rest = widths.pop(), iter(given)
    return tuple(np.full(width, np.nan) if kind == "missing" else next(rest) for kind in kinds)


def _one_hots(
    entries: list, kinds: list[str], label_names: Sequence[Label] | None
) -> tuple[tuple[np.ndarray, ...] | None, tuple[Label, ...] | None]:
    flat = [
        [None] if kind == "missing" else [entry] if kind == "label" else list(entry)
        for entry, kind in zip(entries, kinds, strict=True)
    ]
    flat = [[None if is_missing(label) else _plain(label) for label in labels] for labels in flat]
    seen = {label for labels in flat for label in labels if label is not None}
    names = _ordered(seen) if label_names is None else tuple(_plain(name) for name in label_names)
    if not names:
        return None, None
    if unknown := seen - set(names):
        raise ValueError(f"side holds the labels {sorted(unknown, key=str)}, expected some of {list(names)}")
    row_of = {name: i for i, name in enumerate(names)}
    # The last row answers for what has no label.
    table = np.vstack([np.eye(len(names)), np.full(len(names), np.nan)])
    rows = [table[[row_of.get(label, -1) if label is not None else -1 for label in labels]] for labels in flat]
    return tuple(r if kind == "labels" else r[0] for r, kind in zip(rows, kinds, strict=True)), names


def _plain(label: Any) -> Label:
    """A str or an int, whichever library's scalar it came as."""
    if isinstance(label, str):
        return str(label)
    if isinstance(label, (bool, np.bool_, int, np.integer)):
        return int(label)
    raise TypeError(f"label {label!r} is a {type(label).__name__}: labels are str or int")


def _ordered(labels: set[Label]) -> tuple[Label, ...]:
    if len({type(label) for label in labels}) > 1:
        raise TypeError(f"labels mix str and int: {sorted(labels, key=str)}")
    return tuple(sorted(labels))
