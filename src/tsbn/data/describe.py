"""One screen of text about a `Sequences`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tsbn.data.sequences import Sequences

_WIDTH = 100
_MOST = 8  # channels, labels or names shown before the rest is only counted


def describe(sequences: Sequences) -> str:
    """Sizes, lengths, labels, channels and what is missing, in 24 lines of 100 columns at most."""
    lines = [*_sizes(sequences), *_side(sequences), *_channels(sequences)]
    return "\n".join(line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…" for line in lines)


def _sizes(sequences: Sequences) -> list[str]:
    lengths = sequences.lengths
    if not len(lengths):
        return [f"no sequences, {sequences.channels} channels"]
    spread = f"{lengths.min()}" if lengths.min() == lengths.max() else f"{lengths.min()} to {lengths.max()}"
    rate = sequences.frame_rate
    time = "" if rate is None else f", {rate:g} frames per second, {lengths.sum() / rate:.1f} s in all"
    missing = sum(int(np.isnan(array).sum()) for array in sequences)
    share = missing / (lengths.sum() * sequences.channels)
    return [
        f"{len(sequences)} sequences of {spread} frames, {lengths.sum()} in all{time}",
        f"names: {_some(sequences.names)}",
        f"values: {sequences[0].dtype}, {_kind(sequences)}, "
        + (f"{missing} missing ({share:.2%})" if missing else "none missing"),
    ]


def _kind(sequences: Sequences) -> str:
    binary = all(np.isin(array[~np.isnan(array)], (0, 1)).all() for array in sequences)
    if binary:
        return "binary"
    whole = all((np.nan_to_num(array) == np.floor(np.nan_to_num(array))).all() for array in sequences)
    return "counts" if whole and not any((array < 0).any() for array in sequences) else "real"


def _side(sequences: Sequences) -> list[str]:
    if not sequences.side:
        return ["side information: none"]
    per_frame = sum(row.ndim == 2 for row in sequences.side)
    where = {0: "per sequence", len(sequences): "per frame"}.get(per_frame, "per sequence or frame")
    labels = sequences.labels
    if labels is None:
        named = "" if sequences.label_names is None else f": {_some(sequences.label_names)}"
        return [f"side information: {sequences.styles} real numbers {where}{named}"]
    every = Counter(label for found in labels for label in (found if isinstance(found, list) else [found]))
    counts = [f"{name} ({every[name]})" for name in sequences.label_names or ()]
    unlabelled = f"; {every[None]} unlabelled" if every[None] else ""
    return [f"side information: {sequences.styles} labels {where}{unlabelled}: {_some(counts)}"]


def _channels(sequences: Sequences) -> list[str]:
    lines = [f"{sequences.channels} channels" + (":" if len(sequences) else "")]
    if not len(sequences):
        return lines
    shown = range(min(sequences.channels, _MOST))
    wide = max(len(sequences.channel_names[i]) for i in shown)
    for i in shown:
        column = np.concatenate([array[:, i] for array in sequences])
        column = column[~np.isnan(column)].astype(np.float64)
        figures = (
            f"mean {column.mean():9.4g}  std {column.std():9.4g}  {column.min():9.4g} to {column.max():.4g}"
            if column.size
            else "all missing"
        )
        lines.append(f"  {sequences.channel_names[i]:<{min(wide, 24)}.24}  {figures}")
    if sequences.channels > _MOST:
        lines.append(f"  and {sequences.channels - _MOST} more")
    return lines


def _some(items: tuple | list) -> str:
    more = f" and {len(items) - _MOST} more" if len(items) > _MOST else ""
    return ", ".join(str(item) for item in items[:_MOST]) + more
