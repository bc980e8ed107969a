"""Measure how many frames a second are trained, by the library and by the NumPy references."""

import argparse
import json
import math
import os
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from threadpoolctl import threadpool_limits

from configurations import CONFIGURATIONS, Configuration, draw_batch
from jax_step import jax_frames_per_second
from machine import sgemm_peak
from numpy_careful import careful
from numpy_looping import looping
from numpy_reference import Gradient, Training, operations_per_step
from tsbn.atomic import new_file

EXPLANATION = """\
configurations
  A, B      FCTSBN of order 1 with 2 styles, 1 and 32 sequences of 100 frames a step
  C         FCTSBN of order 12 with 10 styles, 32 sequences of 100 frames
  D         FCTSBN of order 6 with 25 styles, 25 sequences of 12 frames
  tsbn-1, tsbn-32   TSBN of order 1 without side information, 1 and 32 sequences of 100 frames

what is measured
  Every round times the library, the careful and the looping NumPy step once in every configuration, so that
  other work on the machine disturbs all alike; a figure is the median over rounds. NumPy runs with one thread
  and with one a core, and the faster of the two counts. Compare columns of one run, not figures between runs.
  The peak is the fastest large matrix product of the run, by NumPy or XLA; the share of it in use counts
  only the operations of the model's matrix products.

examples
  python benchmarks/train.py --json train.json
  python benchmarks/train.py --only tsbn-1 tsbn-32 --rounds 9
"""

Rates = dict[tuple[str, str], list[float]]


def main() -> None:
    options = parse_options()
    console = Console()
    chosen = [c for c in CONFIGURATIONS if c.name in options.only]
    rates, peak = measure(chosen, options.rounds, options.seconds, options.limit, console)
    rows = [summarise(configuration, rates, peak) for configuration in chosen]
    show(rows, peak, console)
    if options.json:
        with new_file(options.json, overwrite=True) as temporary:
            temporary.write_text(json.dumps({"rows": rows}, indent=2) + "\n")
        console.print(f"written to {options.json}")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXPLANATION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [configuration.name for configuration in CONFIGURATIONS]
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, replacing the file")
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="measure only these")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each figure (default 5)")
    parser.add_argument("--seconds", type=float, default=0.3, help="length of a measurement (default 0.3)")
    parser.add_argument(
        "--limit",
        type=float,
        default=220,
        help="start no round that would end after so many seconds (default 220)",
    )
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds is {options.rounds}, expected at least 1")
    if options.json and not options.json.parent.is_dir():
        parser.error(f"--json {options.json}: the folder {options.json.parent} does not exist")
    return options


def measure(
    configurations: list[Configuration], rounds: int, seconds: float, limit: float, console: Console
) -> tuple[Rates, float]:
    """Frames per second by (configuration, contestant), one entry a round, and the peak in GFLOP/s."""
    rates: Rates = defaultdict(list)
    peaks = []
    started, longest = time.perf_counter(), 0.0
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("", total=rounds * len(configurations))
        for _ in range(rounds):
            begun = time.perf_counter()
            peaks += sgemm_peak().values()
            for configuration in configurations:
                progress.update(task, description=configuration.name)
                for contestant, rate in contest(configuration, seconds).items():
                    rates[configuration.name, contestant].append(rate)
                progress.advance(task)
            now = time.perf_counter()
            longest = max(longest, now - begun)
            if now - started + longest > limit:
                break
    return rates, max(peaks)


def contest(configuration: Configuration, seconds: float) -> dict[str, float]:
    """Frames per second of every contestant, measured once, one after the other."""
    found = {"library": jax_frames_per_second(configuration)}
    for threads in sorted({1, os.cpu_count() or 1}):
        with threadpool_limits(limits=threads, user_api="blas"):
            found[f"careful/{threads}"] = numpy_frames_per_second(configuration, careful, seconds)
            found[f"looping/{threads}"] = numpy_frames_per_second(configuration, looping, seconds)
    return found


def numpy_frames_per_second(configuration: Configuration, gradient: Gradient, seconds: float) -> float:
    """Frames per second of the median step among those that fit into `seconds`, at least one."""
    training, batch = Training(configuration, gradient), draw_batch(configuration)
    durations = []
    while sum(durations) < seconds:
        start = time.perf_counter()
        bound = training.step(*batch)
        durations.append(time.perf_counter() - start)
        if not math.isfinite(bound):
            raise FloatingPointError(f"{configuration.name}: bound {bound} after {len(durations)} steps")
    return configuration.frames / median(durations)


def summarise(configuration: Configuration, rates: Rates, peak: float) -> dict[str, str | float]:
    """A configuration's row: medians over rounds, for NumPy with the number of threads that suits it best."""

    def best(contestant: str) -> float:
        of_it = [v for (name, k), v in rates.items() if name == configuration.name and k.startswith(contestant)]
        return max(map(median, of_it))

    library = best("library")
    operations = operations_per_step(configuration) / configuration.frames
    return {
        "config": configuration.name,
        "frames_per_second": library,
        "numpy_frames_per_second": best("careful"),
        "looping_frames_per_second": best("looping"),
        "peak_fraction": library * operations / (peak * 1e9),
    }


def show(rows: list[dict], peak: float, console: Console) -> None:
    table = Table(title="frames per second trained", caption=f"sgemm peak {peak:.0f} GFLOP/s")
    for heading in "", "library", "careful NumPy", "looping NumPy", "× careful", "× looping", "of peak":
        table.add_column(heading, justify="right")
    for row in rows:
        library, numpy, loops = (row[f"{contestant}frames_per_second"] for contestant in ("", "numpy_", "looping_"))
        figures = [f"{rate:,.0f}" for rate in (library, numpy, loops)]
        ratios = f"{library / numpy:.2f}", f"{library / loops:.1f}", f"{row['peak_fraction']:.0%}"
        table.add_row(row["config"], *figures, *ratios)
    console.print(table)


if __name__ == "__main__":
    main()
