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
- diversity: distance between seeds, relative to that within real motion; 0 is all alike.

Where the data have a test part, it is judged in the same way: what can be reached.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import tyro
from rich.console import Console

from tsbn import judging
from tsbn.choices import Choices
from tsbn.cli import UsageError
from tsbn.cli.arguments import Flag, ModelFile, Options, load_prepared, print_json
from tsbn.cli.sources import Source
from tsbn.judging import Report, Transitions, Yardstick
from tsbn.preparation import Preparation


def judge(
    file: ModelFile,
    data: Annotated[str, tyro.conf.arg(metavar="DATA")] = "",
    /,
    options: Options = (),
    frames: int = 300,
    seeds: int = 5,
    opening: int = 12,
    long: int = 0,
    transitions: Flag = False,
    observation: Literal["sample", "mean", "expected"] = "expected",
    temperature: float = 1.0,
    json: Flag = False,
) -> None:
    """Judge what a model makes.

    Args:
        file: A model file.
        data: Name of a data set, folder of motion files, or table; by default what the model was trained on.
        options: Options of the data, as for `tsbn train`.
        frames: How many frames of each style and seed.
        seeds: How many sequences of each style.
        opening: How many real frames they go on from (more, for a model that looks further back).
        long: Also make so many frames of each style, to see whether they last.
        transitions: Also judge the transitions between every two styles.
        observation: Draw each frame, take its mean given the drawn hidden units, or given their chances (smoothest).
        temperature: Below 1 the hidden units keep closer to their most probable state; 1 is the model itself.
        json: Print the figures as JSON.
    """
    model, preparation = load_prepared(file)
    source = _source(preparation, data, options)
    parts = source.load()
    preparation.transform(parts.train)  # which says what is wrong if the channels are others
    real = Yardstick.of(parts.train, preparation.figure)
    generator, opening = judging.by_model(model, choices=Choices(observation, temperature)), max(opening, model.order)
    progress = Console(stderr=True).is_terminal
    found = judging.report(generator, real, frames=frames, seeds=seeds, opening=opening, long=long, progress=progress)
    between = None
    if transitions:
        between = judging.transitions(generator, real, opening=opening, seeds=seeds, progress=progress)
    held_out = None
    if parts.test is not None:
        shortest = min(frames, *parts.test.lengths.tolist())
        held_out = judging.report(judging.replay(parts.test), real, frames=shortest, seeds=1, opening=opening)
    if json:
        print_json(_told(source, found, held_out, between))
    else:
        _print(source, found, held_out, between)


def _source(preparation: Preparation, data: str, options: tuple[str, ...]) -> Source:
    if data:
        return Source.parse(data, options)
    if options:
        raise UsageError("--options needs DATA, whose options they are")
    if not preparation.source:
        raise UsageError("the model file does not say what it was trained on: give DATA to judge it on")
    return Source(preparation.source["data"], preparation.source["options"])


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


COMMAND = judge
