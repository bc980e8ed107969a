"""Measure how fast frames are made: one long sequence, many sequences, and frame by frame."""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import jax
import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import tsbn
from numpy_generation import Reference
from tsbn.atomic import new_file
from tsbn.baselines import FCRBM
from tsbn.estimators.side import SideEncoder
from tsbn.model.weights import PAPER_SCALES

EXPLANATION = """\
what is measured
  An FCTSBN with 100 hidden units and 50 factors: order 1 with 49 channels and 2 styles, order 12 with 59 channels and
  10 styles. `one`: one sequence of 1000 frames; `many`: 1000 sequences of 200 frames, both by `sample`; `stream`: one
  frame by `stream().next()`, and `stream, changing` where side information changes at every frame. Every round measures
  the library and the NumPy reference once, one after the other; figures are medians over rounds (of frames, for
  streams). On a shared machine compare the two columns, and frames per second of processor time. `FCRBM`: the same
  sequence of 1000 frames from a factored conditional RBM of the same order with 600 hidden units, 200 factors and 200
  features, as the paper's, by 30 rounds of Gibbs sampling a frame.

examples
  python benchmarks/generate.py --json generate.json
  taskset -c 0 python benchmarks/generate.py --rounds 3
"""
LENGTHS = {"one": (1000, None), "many": (200, 1000)}
Measurement = tuple[float, float]
"""Seconds a frame, of the clock and of the processor."""


def main() -> None:
    options = parse_options()
    console = Console()
    found: dict[tuple[str, int, str], list[Measurement]] = defaultdict(list)
    contests = [(order, name, contest) for order in (1, 12) for name, contest in contestants(order).items()]
    for _ in track(range(options.rounds), console=console, transient=True, description="rounds"):
        for order, name, contest in contests:
            for who, action in contest.items():
                found[name, order, who].append(action())
    rows = [summarise(name, order, found) for order, name, _ in contests]
    show(rows, console)
    if options.json:
        with new_file(options.json, overwrite=True) as temporary:
            temporary.write_text(json.dumps({"rows": rows}, indent=2) + "\n")
        console.print(f"written to {options.json}")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXPLANATION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, replacing the file")
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each figure (default 7)")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds is {options.rounds}, expected at least 1")
    if options.json and not options.json.parent.is_dir():
        parser.error(f"--json {options.json}: the folder {options.json.parent} does not exist")
    return options


def contestants(order: int) -> dict[str, dict[str, Callable[[], Measurement]]]:
    """For every contest, what the library and the reference do; all of it compiled and warmed up."""
    model = fresh(order)
    styles = model.side_.given
    y = np.eye(styles, dtype=np.float32)[0]
    found: dict[str, dict[str, Callable[[], Measurement]]] = {}
    for name, (length, num) in LENGTHS.items():
        reference = Reference(model.model_, y, num or 1)
        frames = length * (num or 1)
        found[name] = {
            "library": partial(timed, partial(model.sample, 0, length, num), frames),
            "numpy": partial(timed, partial(reference.generate, length), frames),
        }
    machine = untrained_machine(order, model.n_features_in_, styles)
    length, num = LENGTHS["one"]
    found["one"]["fcrbm"] = partial(timed, partial(machine.sample, 0, length, num), length)
    slide = np.linspace(y, np.roll(y, 1), 200)
    still, moving = model.stream(0), model.stream(0)
    reference = Reference(model.model_, y, 1)
    found["stream"] = {
        "library": lambda: per_frame(still.next, [()] * len(slide)),
        "numpy": lambda: per_frame(reference.step, list(zip(*reference.noise(len(slide)), strict=True))),
    }
    found["stream, changing"] = {
        "library": lambda: per_frame(moving.next, [(y_t,) for y_t in slide]),
        "numpy": found["stream"]["numpy"],
    }
    for contest in found.values():
        for action in contest.values():
            action()
    return found


def fresh(order: int) -> tsbn.FCTSBN:
    """A model as it is before training: small weights, so that nothing grows without bound."""
    visible, styles = (49, 2) if order == 1 else (59, 10)
    model = tsbn.FCTSBN(hidden=(100,), factors=50, order=order)
    model.architecture_ = tsbn.Architecture(
        visible=visible,
        side=styles,
        order=order,
        factors=model.factors,
        kinds=tuple(sorted(model.default_kinds.items())),
    )
    model.model_ = tsbn.build(model.architecture_, key=jax.random.key(0), scales=PAPER_SCALES)
    model.side_ = SideEncoder("labels", styles, tuple(range(styles)))
    model.n_features_in_ = visible
    return model


def untrained_machine(order: int, visible: int, styles: int) -> FCRBM:
    """The paper's rival after a single step."""
    noise = np.random.default_rng(0).normal(size=(styles, 60, visible))
    machine = FCRBM(hidden=600, factors=200, features=200, order=order, steps=1, every=1, rate=1e-6)
    return machine.fit(list(noise), list(range(styles)), validation=0)


def timed(action: Callable[[], object], frames: int) -> Measurement:
    clock, processor = time.perf_counter(), time.process_time()
    action()
    return (time.perf_counter() - clock) / frames, (time.process_time() - processor) / frames


def per_frame(action: Callable[..., object], calls: list[tuple]) -> Measurement:
    """Median over the frames."""
    each = [timed(partial(action, *call), 1) for call in calls]
    return median(clock for clock, _ in each), median(processor for _, processor in each)


def summarise(name: str, order: int, found: dict[tuple[str, int, str], list[Measurement]]) -> dict[str, str | float]:
    """One contest: medians over rounds."""
    row: dict[str, str | float] = {"name": name, "order": order}
    for who in (who for *contest, who in found if contest == [name, order]):
        clock, processor = (median(values) for values in zip(*found[name, order, who], strict=True))
        row[f"{who}_microseconds_a_frame"] = clock * 1e6
        row[f"{who}_frames_per_second"] = 1 / clock
        row[f"{who}_frames_per_processor_second"] = 1 / processor
    return row


def show(rows: list[dict], console: Console) -> None:
    table = Table(title="frames made")
    for heading in (
        "",
        "order",
        "library / s",
        "NumPy / s",
        "× NumPy",
        "× FCRBM",
        "library µs",
        "library / cpu s",
        "NumPy / cpu s",
    ):
        table.add_column(heading, justify="right")
    for row in rows:
        library, numpy = row["library_frames_per_second"], row["numpy_frames_per_second"]
        table.add_row(
            row["name"],
            str(row["order"]),
            f"{library:,.0f}",
            f"{numpy:,.0f}",
            f"{library / numpy:.2f}",
            f"{library / row['fcrbm_frames_per_second']:.0f}" if "fcrbm_frames_per_second" in row else "",
            f"{row['library_microseconds_a_frame']:.1f}",
            f"{row['library_frames_per_processor_second']:,.0f}",
            f"{row['numpy_frames_per_processor_second']:,.0f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
