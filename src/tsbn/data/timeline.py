"""Which row of a table is which frame: times in order, checked, and gaps refused, filled or passed over."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
from jaxtyping import Float, Int

# Two times may be this share of a step more or less than whole steps apart: months and rounded times are.
_TOLERANCE = 0.1


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
    step = _step([np.diff(clock[rows]) for rows in ordered])
    pairs = []
    for name, rows in zip(names, ordered, strict=True):
        exact = np.diff(clock[rows]) / step
        steps = np.round(exact).astype(int)
        off = np.abs(exact - steps) > _TOLERANCE
        jumps = np.flatnonzero(off | (steps != 1))
        if len(jumps) and (gaps == "error" or off.any()):
            k = jumps[0] if gaps == "error" else np.flatnonzero(off)[0]
            raise ValueError(_uneven(name, shown[rows[k]], shown[rows[k + 1]], _told(step, shown), gaps))
        pairs.append(np.stack([np.concatenate([[0], np.cumsum(steps)]), rows], axis=1))
    return pairs, [int(pair[-1, 0]) + 1 for pair in pairs]


def _step(differences: Sequence[Float[np.ndarray, " rows"]]) -> float:
    """The time between frames: the average of those differences that are one step, and of longer ones by their share.

    The smallest difference alone is too small where times were rounded, or months differ in length.
    """
    every = np.concatenate(differences)
    if not len(every):
        return 1.0
    step, steps = every.min(), None
    for _ in range(10):  # what was taken for 11 steps of the smallest size may be 10 of the average one
        before, steps = steps, np.round(every / step)
        if before is not None and (before == steps).all():
            break
        step = every.sum() / steps.sum()
    return float(step)


def _uneven(name: str, before: object, after: object, step: str, gaps: str) -> str:
    spacing = f"after time {before} comes {after}, one step is {step}"
    where = f"sequence {name!r} is not evenly spaced: {spacing}"
    if gaps == "error":
        return f"{where}; gaps='fill' puts in frames of NaN, gaps='keep' takes the rows as they come"
    return f"{where}, and {after} is not a whole number of steps away, so the gap cannot be filled"


def _told(step: float, times: np.ndarray) -> str:
    """With its unit, where times are dates."""
    if times.dtype.kind != "M":
        return f"{step:g}"
    return "1 month" if _by_month(times) else str(timedelta(microseconds=round(step)))


def _times(name: str, column: np.ndarray) -> np.ndarray:
    if column.dtype.kind in "OU":
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # times with an offset become those of UTC, as they should
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
    unit = "datetime64[M]" if _by_month(times) else "datetime64[us]"
    return times.astype(unit).astype(np.int64).astype(np.float64)


def _by_month(times: np.ndarray) -> bool:
    """Whether all dates are the same day and hour of their months."""
    within = times - times.astype("datetime64[M]").astype(times.dtype)
    return bool(len(within)) and bool((within == within[0]).all())
