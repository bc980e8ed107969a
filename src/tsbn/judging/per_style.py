"""The report: generated against real motion, style by style, the same for every generator."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.table import Table

from tsbn.arguments import whole_number
from tsbn.data import Sequences
from tsbn.datasets import Figure
from tsbn.judging.distances import nearest, seeds_apart, stretches_apart
from tsbn.judging.generators import Generator
from tsbn.judging.lasting import Lasting, lasting
from tsbn.judging.movement import ratio, relative, speed, spread, stretches
from tsbn.judging.tables import figures_table, finite, plain, with_real
from tsbn.judging.yardstick import Yardstick, yardstick
from tsbn.progress import bars
from tsbn.styles import hold

FIGURES = ("recognised", "held_out", "spread", "speed", "sliding", "real_sliding", "nearest", "diversity")
COLUMNS = ("recognised", "spread", "speed", "sliding", "nearest", "diversity")


@dataclass(frozen=True)
class Row:
    """What was found for one style (or on average); None where it could not be measured.

    - `recognised`: share of generated frames that look like the style to a classifier trained on real motion;
      `held_out`: share of real frames that do so, to classifiers that had not seen them;
    - `spread`, `speed`: relative to real motion (see `tsbn.judging.movement`); 1 is as much;
    - `sliding`, `real_sliding`: speed of the standing foot, as a share of the speed of real travel in the style;
    - `nearest`: distance to the nearest real frame, relative to that of a real frame to the nearest of another stretch
      of real motion; 0 is copied;
    - `diversity`: distance between seeds, relative to that between unrelated frames of the real style; 0 is all alike;
    - `lasting`: how a long generation goes on, if one was asked for.
    """

    style: str
    recognised: float | None
    held_out: float | None
    spread: float | None
    speed: float | None
    sliding: float | None
    real_sliding: float | None
    nearest: float | None
    diversity: float | None
    lasting: Lasting | None = None

    @property
    def remarks(self) -> list[str]:
        """What anyone should look at first, in words."""
        late = self.lasting
        found = {
            "not recognised": _below(self.recognised, 0.5),
            "frozen": _below(self.speed, 0.25) or _below(self.spread, 0.1),
            "restless": _above(self.speed, 2) or _above(self.spread, 2),
            "copies": _below(self.nearest, 0.1),
            "seeds alike": _below(self.diversity, 0.1),
            "freezes later": late is not None and (min(late.speed) < 0.25 or late.still > late.real_still + 0.1),
            "drifts": late is not None and (late.shift > 0.5 or max(late.spread) > 2),
        }
        return [remark for remark, holds in found.items() if holds]


@dataclass(frozen=True)
class Report:
    """A row for each style, measured over `frames` frames of each of `seeds` seeds, after `opening` real ones."""

    rows: tuple[Row, ...]
    frames: int
    seeds: int
    opening: int

    @property
    def average(self) -> Row:
        """The mean over styles of every figure."""
        columns: dict[str, Any] = {name: _mean([getattr(row, name) for row in self.rows]) for name in FIGURES}
        return Row("average", **columns)

    def table(self) -> Table:
        """For people: print it with rich, or as Markdown with `tsbn.judging.markdown`; real motion in brackets."""
        table = figures_table("style", [*COLUMNS, "remarks"])
        for row in (*self.rows, self.average):
            remarks = ", ".join(row.remarks) if row in self.rows else ""
            table.add_row(row.style, *_cells(row), remarks)
        return table

    def lasting_table(self) -> Table:
        """The thirds of the long generations, for people."""
        table = figures_table("style", ["spread", "speed", "shift", "still"])
        for row in self.rows:
            if (late := row.lasting) is not None:
                thirds = (" / ".join(map(plain, values)) for values in (late.spread, late.speed))
                table.add_row(row.style, *thirds, plain(late.shift), f"{plain(late.still)} ({plain(late.real_still)})")
        return table

    def to_json(self) -> str:
        """For programs."""
        return json.dumps(self.to_dict(), indent=2)

    def to_dict(self) -> dict[str, Any]:
        """Plain values only; None for what is infinite."""
        rows = [dataclasses.asdict(row) | {"remarks": row.remarks} for row in self.rows]
        measured = {"frames": self.frames, "seeds": self.seeds, "opening": self.opening}
        return finite({**measured, "styles": rows, "average": dataclasses.asdict(self.average)})


def report(
    generator: Generator,
    real: Sequences | Yardstick,
    *,
    styles: Sequence[str] | None = None,
    frames: int = 300,
    opening: int = 12,
    seeds: int = 5,
    long: int = 0,
    figure: Figure | None = None,
    progress: bool = False,
) -> Report:
    """Judge a generator against real motion.

    For each of `styles` (all by default) it makes `frames` frames for each of `seeds` seeds, going on from the same
    `opening` real frames, and with `long` that many frames once more to see whether they last. `real` are data with a
    label per sequence, in the units of the generator and, if one is given, of the `figure`; prepare them once with
    `Yardstick.of(real, figure)` to judge several generators.

    >>> from tsbn import datasets
    >>> from tsbn.judging import replay
    >>> parts = datasets.load("walker", styles=["normal", "cat"], frames=150)
    >>> found = report(replay(parts.train), parts.train, frames=150, seeds=1, figure=parts.figure)
    >>> found.average.recognised, round(found.average.spread, 3), found.rows[0].remarks
    (1.0, 1.0, ['copies'])
    """
    frames, seeds = whole_number("frames", frames, 7), whole_number("seeds", seeds)
    opening, long = whole_number("opening", opening), whole_number("long", long, 0)
    if 0 < long < 21:
        raise ValueError(f"long is {long}, expected 0 for none, or at least 21 frames, seven for each third")
    measure = yardstick(real, figure)
    chosen = measure.chosen(styles)
    rows = []
    with bars(show=progress) as shown:
        task = shown.add_task("judging", total=len(chosen))
        for style in chosen:
            shown.update(task, description=f"judging {style}")
            made = [measure.generated(generator, hold(style, frames), opening, seed) for seed in range(seeds)]
            late = measure.generated(generator, hold(style, long), opening, seeds) if long else None
            rows.append(_row(measure, style, made, late))
            shown.advance(task)
    return Report(tuple(rows), frames, seeds, opening)


def beside(reports: Mapping[str, Report]) -> Table:
    """The averages of several generators in one table, by name."""
    table = figures_table("generator", COLUMNS)
    for name, found in reports.items():
        table.add_row(name, *_cells(found.average))
    return table


def _cells(row: Row) -> list[str]:
    real = {"recognised": row.held_out, "sliding": row.real_sliding}
    return [with_real(getattr(row, name), real.get(name)) for name in COLUMNS]


def _row(real: Yardstick, style: str, made: list[np.ndarray], late: np.ndarray | None) -> Row:
    mine, recogniser = real.real[style], real.recogniser
    # What is measured over time is compared over equally long times.
    length = min(len(made[0]), *map(len, mine))
    compared = [piece for one in mine for piece in stretches(one, length)]
    pieces = [piece for one in made for piece in stretches(one, length)]
    every = [one for sequences in real.real.values() for one in sequences]
    slid, truly = real.sliding(made), real.sliding(mine)
    travel = 1.0 if slid is None else real.travel(style)
    return Row(
        style,
        recognised=None if recogniser is None else float(np.mean([recogniser.share(one, style) for one in made])),
        held_out=None if recogniser is None else recogniser.accuracy[style],
        spread=relative(spread, pieces, compared),
        speed=relative(speed, pieces, compared),
        sliding=None if slid is None else ratio(slid, travel),
        real_sliding=None if truly is None else ratio(truly, travel),
        nearest=_known(ratio(nearest(np.concatenate(made), every), real.nearest_elsewhere(style))),
        diversity=_known(ratio(seeds_apart(made), stretches_apart(mine, real.second))),
        lasting=None if late is None else lasting(late, mine, real.second),
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _below(value: float | None, limit: float) -> bool:
    return value is not None and value < limit


def _above(value: float | None, limit: float) -> bool:
    return value is not None and value > limit
