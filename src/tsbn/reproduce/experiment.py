"""What an experiment is: jobs that each train and judge one model once, and the paper's figures beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tsbn.reproduce.results import Row


class Finding(NamedTuple):
    """A figure that a job found: for which setting (a style, a data set, a share), in which metric."""

    setting: str
    metric: str
    value: float


@dataclass(frozen=True)
class Job:
    """One model, trained and judged once.

    `run(seed, folder)` does it and may leave pictures in the folder. What is `settled` comes out the same for every
    seed, so it runs once however many trials are asked for. A line of the table may take several jobs, each for its own
    `part` of the settings, so that an interrupted run keeps more. `takes`: about how many seconds on one core, by which
    the time left is told.
    """

    model: str
    run: Callable[[int, Path], Iterable[Finding]]
    settled: bool = False
    part: str = ""
    takes: float = 60.0

    @property
    def title(self) -> str:
        """What it is called, unlike any other job of its experiment."""
        return f"{self.model} {self.part}".rstrip()


@dataclass(frozen=True)
class Experiment:
    """A table of the paper. `figures` draws from the finished rows.

    `paper` holds its figures by (model, setting), of the metric `paper_metric`, or of all that the jobs tell.
    """

    name: str
    summary: str
    jobs: Callable[[], list[Job]]
    paper: Mapping[tuple[str, str], float] = field(default_factory=dict)
    figures: Callable[[list[Row], Path], None] | None = None
    notes: str = ""
    paper_metric: str | None = None
