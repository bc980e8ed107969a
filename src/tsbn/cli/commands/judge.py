"""Judge what a model makes: generated against real motion, style by style.

Examples:
  tsbn judge walk.tsbn                                   against the data it was trained on
  tsbn judge walk.tsbn --long 3000                       does it freeze or drift in 3000 frames?
  tsbn judge walk.tsbn --transitions                     from every style to every other
  tsbn judge walk.tsbn mocap10 --options moving=500      against other data
  tsbn judge walk.tsbn --json                            for a program

- recognised: share of frames that look like the style to a classifier trained on real motion, beside the share of real
  frames held out that do;
- spread, speed: relative to the real motion's; 1 is as much;
- sliding: speed of the standing foot as a share of the speed of walking, beside that of the real motion;
- nearest: distance to the nearest real frame, relative to that between real stretches; 0 is copied;
- diversity: distance between seeds, relative to that within real motion; 0 is all alike;
- with --long, by thirds: spread and speed; shift: how far the mean pose of the last third is from that of the first;
  still: share of seconds slower than a quarter of the real speed, beside that of the real motion.

Where the data have a test part, it is judged in the same way: what can be reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console

from tsbn import judging
from tsbn.cli.arguments import Data, Flag, ModelFile, Observation, Options, chosen, load_prepared, print_json
from tsbn.cli.config import Configurable
from tsbn.cli.judged import chosen_source
from tsbn.cli.sources import Source
from tsbn.judging import Report, Transitions, Yardstick


@dataclass(frozen=True)
class Judge(Configurable):
    """Judge what a model makes."""

    file: ModelFile = ""
    """A model file."""
    data: Data = ""
    """Name of a data set, folder of motion files, or table; by default what the model was trained on."""
    options: Options = ()
    """Options of the data, as for `tsbn train`."""
    frames: int = 300
    """How many frames of each style and seed."""
    seeds: int = 5
    """How many sequences of each style."""
    opening: int = 12
    """How many real frames they go on from (more, for a model that looks further back)."""
    long: int = 0
    """Also make so many frames of each style, to see whether they last."""
    transitions: Flag = False
    """Also judge the transitions between every two styles."""
    observation: Observation = "auto"
    """Draw each frame, take its mean given the drawn hidden units, or given their chances (expected, the smoothest);
    auto is expected for motions and sample for other data."""
    temperature: float = 1.0
    """Below 1 the hidden units keep closer to their most probable state; 1 is the model itself."""
    json: Flag = False
    """Print the figures as JSON."""

    def run(self) -> None:
        """Load, generate, tell."""
        model, preparation = load_prepared(self.file)
        source = chosen_source(preparation, self.data, self.options)
        parts = source.load()
        preparation.transform(parts.train)  # which says what is wrong if the channels are others
        real = Yardstick.of(parts.train, preparation.figure)
        generator = judging.by_model(model, choices=chosen(self.observation, self.temperature, preparation))
        opening = max(self.opening, model.order)
        progress = Console(stderr=True).is_terminal
        found = judging.report(
            generator,
            real,
            frames=self.frames,
            seeds=self.seeds,
            opening=opening,
            long=self.long,
            progress=progress,
        )
        between = None
        if self.transitions:
            between = judging.transitions(generator, real, opening=opening, seeds=self.seeds, progress=progress)
        held_out = None
        if parts.test is not None:
            shortest = min(self.frames, *parts.test.lengths.tolist())
            held_out = judging.report(judging.replay(parts.test), real, frames=shortest, seeds=1, opening=opening)
        if self.json:
            print_json(_told(source, found, held_out, between))
        else:
            _print(source, found, held_out, between)


def _told(source: Source, found: Report, held_out: Report | None, between: Transitions | None) -> dict[str, Any]:
    told = {"judged_on": source.data, **found.to_dict()}
    told["held_out"] = None if held_out is None else held_out.to_dict()
    told["transitions"] = None if between is None else between.to_dict()
    return told


def _print(source: Source, found: Report, held_out: Report | None, between: Transitions | None) -> None:
    console = Console()
    console.print(
        f"against {source.data}: {found.seeds} x {found.frames} frames a style, from {found.opening} real ones"
    )
    console.print(found.table())
    if any(row.lasting for row in found.rows):
        console.print("relative to real motion, in thirds:", found.lasting_table())
    if held_out is not None:
        console.print(f"real motion held out ({held_out.frames} frames a style), judged alike:")
        console.print(judging.beside({"the model": found, "real, held out": held_out}))
    if between is not None:
        console.print(between.table())


COMMAND = Judge
