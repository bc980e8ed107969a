"""Which row of a table is which frame: times in order, checked, and gaps refused, filled or passed over."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

# Two times may be this share of a step more or less than whole steps apart: times that were rounded are.
_TOLERANCE = 0.1
# How far, in steps, the count of a gap may be in doubt, or a sequence stray from its own even pace.
_DOUBT = 0.25
# Frame rates that differ by a smaller share are the same, as clocks differ: 29.97 is called 30.
SAME_RATE = 0.005


class Pace(NamedTuple):
    """The time between two frames: on average, by how much single ones differ from that, and how many there are."""

    step: float
    jitter: float
    seen: int

    @staticmethod
    def of(differences: Sequence[Float[np.ndarray, " rows"]]) -> Pace:
        """Of the differences between one time and the next; those that are gaps are left out."""
        every = np.concatenate(differences)
        if not len(every):
            return Pace(1.0, 0.0, 1)
        single = every[every < 1.5 * every.min()]
        step = float(single.mean())
        return Pace(step, float(np.abs(single - step).max()) / step, len(single))

    def doubt(self, steps: Int[np.ndarray, " rows"]) -> Float[np.ndarray, " rows"]:
        """By how many frames so many steps may be miscounted."""
        return steps * self.jitter / np.sqrt(self.seen)


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
    pace = Pace.of([np.diff(clock[rows]) for rows in ordered])
    pairs = []
    for name, rows in zip(names, ordered, strict=True):
        exact = np.diff(clock[rows]) / pace.step
        steps = np.round(exact).astype(int)
        frames = np.concatenate([[0], np.cumsum(steps)])
        off = np.abs(exact - steps) > _TOLERANCE + pace.doubt(steps)
        wrong = np.flatnonzero(off | (steps != 1) if gaps == "error" else off | (pace.doubt(steps) > _DOUBT))
        if not len(wrong):
            _check_pace(name, (clock[rows] - clock[rows[0]]) / pace.step, frames, pace)
            wrong = _strays(clock[rows], frames, pace.step)
        if len(wrong):
            k = wrong[0]
            raise ValueError(_uneven(name, shown[rows[k]], shown[rows[k + 1]], _told(pace.step, shown), gaps))
        pairs.append(np.stack([frames, rows], axis=1))
    return pairs, [int(pair[-1, 0]) + 1 for pair in pairs]


def _check_pace(name: str, times: Float[np.ndarray, " rows"], frames: Int[np.ndarray, " rows"], pace: Pace) -> None:
    """One frame rate for all: `times` are in steps."""
    if len(frames) > 1 and abs(times[-1] / frames[-1] - 1) > SAME_RATE + 2 * pace.jitter / frames[-1]:
        raise ValueError(
            f"sequence {name!r} has {times[-1] / frames[-1]:.3g} of the step that all sequences have on average: "
            "expected one frame rate; gaps='keep' takes the rows as they come"
        )


def _strays(times: Float[np.ndarray, " rows"], frames: Int[np.ndarray, " rows"], step: float) -> Int[np.ndarray, " n"]:
    """Rows before those that are too far from an even pace of the sequence's own, the farthest first."""
    even = times[0] + frames * ((times[-1] - times[0]) / max(frames[-1], 1))
    far = np.abs(times - even)
    return np.array([far.argmax() - 1] if far.max() > _DOUBT * step else [], dtype=int)


def _uneven(name: str, before: object, after: object, step: str, gaps: str) -> str:
    spacing = f"after time {before} comes {after}, one step is {step}"
    where = f"sequence {name!r} is not evenly spaced: {spacing}"
    if gaps == "error":
        return f"{where}; gaps='fill' puts in frames of NaN, gaps='keep' takes the rows as they come"
    return f"{where}, and how many frames are missing cannot be said for sure, so the gap cannot be filled"


def _told(step: float, times: np.ndarray) -> str:
    """With its unit, where times are dates."""
    if times.dtype.kind != "M":
        return f"{step:g}"
    if _months(times) is not None:
        return "1 month" if step == 1 else f"{step:g} months"
    return str(timedelta(microseconds=round(step)))


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
    months = _months(times)
    return (times.astype("datetime64[us]") if months is None else months).astype(np.int64).astype(np.float64)


def _months(times: np.ndarray) -> np.ndarray | None:
    """The months of dates that are all the same day and hour of theirs, or all the last day; None of others."""
    for shifted in (times, times + np.timedelta64(1, "D")):
        months = shifted.astype("datetime64[M]")
        within = shifted - months.astype(shifted.dtype)
        if len(within) and (within == within[0]).all():
            return months
    return None
