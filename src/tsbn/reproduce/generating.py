"""What is told of generated motion: a report against real motion as findings, and files to look at."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean

from tsbn.choices import Choices
from tsbn.estimators import SequenceModel
from tsbn.judging import Report, Transitions, Yardstick, by_model, report, transitions
from tsbn.reproduce.experiment import Finding
from tsbn.showing import write_walk


def judged(model: SequenceModel, real: Yardstick, *, opening: int, long: int) -> Iterator[Finding]:
    """300 frames a style that go on from `opening` real ones, `long` ones, and all transitions; expected frames."""
    generator = by_model(model, choices=Choices("expected"))
    yield from of_styles(report(generator, real, opening=opening, long=long), long)
    yield from of_transitions(transitions(generator, real, opening=opening, seeds=1))


def of_styles(found: Report, long: int) -> Iterator[Finding]:
    """Every figure of every style, and whether a long walk stops."""
    for row in (*found.rows, found.average):
        for metric, value in dataclasses.asdict(row).items():
            if isinstance(value, float):
                yield Finding(row.style, metric.replace("_", " "), value)
        if row.lasting is not None:
            yield Finding(row.style, f"still in {long} frames", row.lasting.still)
            yield Finding(row.style, "still in real motion", row.lasting.real_still)


def of_transitions(found: Transitions) -> Iterator[Finding]:
    """Over all pairs of styles."""
    yield Finding("all pairs", "changes once", fmean(row.once for row in found.rows))
    yield Finding("all pairs", "jerk below 1.5", fmean(row.jerk < 1.5 for row in found.rows))
    yield Finding("all pairs", "most jerk", found.worst.jerk)


def shown(model: SequenceModel, walks: Mapping[str, str], folder: Path, seed: int) -> None:
    """Videos, pages and BVH files of style paths, by name and seed: every trial leaves its own."""
    for name, path in walks.items():
        write_walk(model, path, folder / f"{name.replace(' ', '_')}_{seed}", seed=seed)
