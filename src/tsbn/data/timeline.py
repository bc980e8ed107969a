"""Which row of a table is which frame: times in order, checked, and gaps refused, filled or passed over."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int

# A time may stray this share of a step from the even grid before it counts as a gap.
_TOLERANCE = 0.05


def positions(
    time: str | None,
    columns: dict[str, np.ndarray],
    groups: Sequence[Int[np.ndarray, " rows"]],
    names: Sequence[str],
    gaps: str,
) -> tuple[list[Int[np.ndarray, "rows 2"]], list[int]]:
    """For each sequence the pairs (frame, row) and its number of frames, as `from_table` promises them."""
    if gaps not in ("error", "fill", "keep"):
        raise ValueError(f"gaps is {gaps!r}: expected 'error', 'fill' or 'keep'")
    if time is None:
        return [np.stack([np.arange(len(rows)), rows], axis=1) for rows in groups], [len(rows) for rows in groups]
    shown = _times(time, columns[time])
    clock = _clock(shown)
    ordered = [rows[np.argsort(clock[rows], kind="stable")] for rows in groups]
    for name, rows in zip(names, ordered, strict=True):
        same = np.flatnonzero(np.diff(clock[rows]) == 0)
        if len(same):
            raise ValueError(
                f"sequence {name!r} has time {shown[rows[same[0]]]} more than once "
                f"(rows {rows[same[0]]} and {rows[same[0] + 1]} of column {time!r})"
            )
    if gaps == "keep":
        return [np.stack([np.arange(len(rows)), rows], axis=1) for rows in ordered], [len(rows) for rows in ordered]
    step = min((np.diff(clock[rows]).min() for rows in ordered if len(rows) > 1), default=1.0)
    pairs = []
    for name, rows in zip(names, ordered, strict=True):
        exact = (clock[rows] - clock[rows[0]]) / step
        frames = np.round(exact).astype(int)
        off = np.abs(exact - frames) > _TOLERANCE
        jumps = np.flatnonzero(off | (np.diff(frames, prepend=-1) != 1))
        if len(jumps) and (gaps == "error" or off.any()):
            k = jumps[0] if gaps == "error" else np.flatnonzero(off)[0]
            raise ValueError(_uneven(name, shown[rows[k - 1]], shown[rows[k]], step, gaps))
        pairs.append(np.stack([frames, rows], axis=1))
    return pairs, [int(pair[-1, 0]) + 1 for pair in pairs]


def _uneven(name: str, before: object, after: object, step: float, gaps: str) -> str:
    spacing = f"after time {before} comes {after}, the smallest step is {step:g}"
    where = f"sequence {name!r} is not evenly spaced: {spacing}"
    if gaps == "error":
        return f"{where}; gaps='fill' puts in frames of NaN, gaps='keep' takes the rows as they come"
    return f"{where}, and {after} is not a whole number of steps away, so the gap cannot be filled"


def _times(name: str, column: np.ndarray) -> np.ndarray:
    if column.dtype.kind in "OU":
        try:
            column = np.array(["NaT" if item is None else item for item in column], dtype="datetime64")
        except (ValueError, TypeError) as error:
            raise ValueError(f"column {name!r} is neither numbers nor dates: {error}") from None
    if column.dtype.kind not in "fiuM":
        raise ValueError(f"column {name!r} has type {column.dtype}: expected numbers or dates")
    missing = np.isnat(column) if column.dtype.kind == "M" else ~np.isfinite(column.astype(float))
    if missing.any():
        raise ValueError(f"column {name!r} has no time in row {int(np.argmax(missing))}")
    return column


def _clock(times: np.ndarray) -> np.ndarray:
    """Times as numbers that are evenly spaced if the times are; months count as equally long."""
    if times.dtype.kind != "M":
        return times.astype(np.float64)
    months = times.astype("datetime64[M]")
    within = times - months.astype(times.dtype)
    same_day = (within == within[0]).all() if len(within) else False
    return (months if same_day else times.astype("datetime64[us]")).astype(np.int64).astype(np.float64)
