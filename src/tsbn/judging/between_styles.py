"""Transitions from one style to another: are they smooth, and does the recognised style change just once?"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from rich.table import Table

from tsbn.arguments import whole_number
from tsbn.data import Sequences
from tsbn.judging.generators import Generator
from tsbn.judging.movement import jerk, ratio
from tsbn.judging.recognition import majority
from tsbn.judging.tables import figures_table, finite, plain
from tsbn.judging.yardstick import Yardstick, yardstick
from tsbn.progress import bars
from tsbn.styles import SLIDE, hold

Frames = Float[np.ndarray, "time channels"]


@dataclass(frozen=True)
class Transition:
    """What was found for the way from one style to another, averaged over seeds.

    - `jerk`: inside the transition, relative to the larger of the jerks before and after it in the same sequence;
    - `changes`: how often the recognised style changes, after a majority vote over the second around each frame;
    - `once`: share of seeds in which it changes just once, from the first style to the second.
    """

    begin: str
    end: str
    jerk: float
    changes: float
    once: float


@dataclass(frozen=True)
class Transitions:
    """A row for each pair; each sequence holds the first style `held` frames, slides over `over`, holds the second."""

    rows: tuple[Transition, ...]
    held: int
    over: int
    seeds: int

    @property
    def worst(self) -> Transition:
        """The one with the most jerk."""
        return max(self.rows, key=lambda row: row.jerk)

    def table(self) -> Table:
        """For people: print it with rich, or as Markdown with `tsbn.judging.markdown`."""
        table = figures_table("transition", ["jerk", "changes", "once"])
        for row in self.rows:
            table.add_row(f"{row.begin} > {row.end}", plain(row.jerk), plain(row.changes), plain(row.once))
        return table

    def to_dict(self) -> dict[str, Any]:
        """Plain values only; None for what is infinite."""
        return finite(dataclasses.asdict(self))

    def to_json(self) -> str:
        """For programs."""
        return json.dumps(self.to_dict(), indent=2)


def transitions(
    generator: Generator,
    real: Sequences | Yardstick,
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
    over: int = SLIDE,
    held: int = 120,
    opening: int = 12,
    seeds: int = 5,
    progress: bool = False,
) -> Transitions:
    """Judge the transitions of a generator between pairs of styles (by default every two, both ways).

    `over` is the length of the slide, 0 for a cut; each style is held `held` frames besides.

    >>> import tsbn
    >>> from tsbn.judging import Yardstick
    >>> parts = tsbn.datasets.load("walker", styles=["normal", "cat"], frames=300)
    >>> normal, cat = parts.train
    >>> def cutter(path, opening, seed):
    ...     return np.concatenate([normal[:120], cat[: path.frames - 120]])
    >>> found = transitions(cutter, parts.train, pairs=[("normal", "cat")], over=0, seeds=1)
    >>> found.rows[0].changes, found.rows[0].once, found.worst.jerk > 2
    (1.0, 1.0, True)
    """
    over, held = whole_number("over", over, 0), whole_number("held", held, 4)
    opening, seeds = whole_number("opening", opening), whole_number("seeds", seeds)
    measure = yardstick(real)
    if measure.recogniser is None:
        raise ValueError("real has one style only: there is nothing to change to")
    asked = list(permutations(measure.styles, 2)) if pairs is None else list(pairs)
    measure.chosen([style for pair in asked for style in pair])
    rows = []
    with bars(show=progress) as shown:
        for begin, end in shown.track(asked, description="transitions"):
            path = hold(begin, held).slide(hold(end, over + held), over)
            made = [measure.generated(generator, path, opening, seed) for seed in range(seeds)]
            wanted = [measure.styles.index(begin), measure.styles.index(end)]
            passed = [visited(measure.recogniser.recognise(one), measure.second) for one in made]
            rows.append(
                Transition(
                    begin,
                    end,
                    float(np.mean([jerk_inside(one, held, held + over) for one in made])),
                    float(np.mean([len(styles) - 1 for styles in passed])),
                    float(np.mean([styles == wanted for styles in passed])),
                )
            )
    return Transitions(tuple(rows), held, over, seeds)


def jerk_inside(frames: Frames, begin: int, end: int) -> float:
    """Jerk of the transition that takes the frames from `begin` to `end`, relative to the larger one around it.

    Inside are all third differences that reach into the transition, or across it where it is a cut.

    >>> steady = np.sin(np.arange(60.0))[:, None]
    >>> round(jerk_inside(steady, 20, 40), 1)
    1.0
    """
    around = max(jerk(frames[:begin]), jerk(frames[end:]))
    return ratio(jerk(frames[max(0, begin - 3) : end + 3]), around)


def visited(found: Int[np.ndarray, " time"], second: int) -> Sequence[int]:
    """The styles that a sequence passes through, in order, after a majority vote over a second.

    >>> visited(np.array([0, 0, 0, 1, 0, 0, 1, 1, 1, 1]), 3)
    [0, 1]
    """
    smooth = majority(found, second)
    return smooth[np.concatenate([[True], np.diff(smooth) != 0])].tolist()
