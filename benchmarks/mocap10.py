"""How well a Hidden Markov FCTSBN of order 12 walks in ten styles: trains it, lets it walk, and judges the walks.

    python benchmarks/mocap10.py --seeds 0 1 --transitions --json figures.json

For every style 300 frames go on from 12 real ones, and 3000 more to see whether they last. What is not said is the
library's default.
"""

import argparse
import json
import time
from pathlib import Path

from rich.console import Console

import tsbn
from tsbn.atomic import new_file
from tsbn.data import Scaler
from tsbn.judging import Report, Transitions, Yardstick, by_model, report, transitions

WITHIN = (0.75, 1.25)


def settings(options: argparse.Namespace) -> dict:
    """The choices that were made on the command line."""
    names = ("steps", "factors", "window", "slips")
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def summary(found: Report) -> dict[str, float]:
    """The figures that count, over all styles."""

    def values(name: str) -> list[float]:
        return [getattr(row, name) for row in found.rows]

    def inside(name: str) -> int:
        return sum(WITHIN[0] <= value <= WITHIN[1] for value in values(name))

    return {
        "recognised, least": min(values("recognised")),
        "spread, least": min(values("spread")),
        "spread, most": max(values("spread")),
        "spread, styles within": inside("spread"),
        "speed, least": min(values("speed")),
        "speed, most": max(values("speed")),
        "speed, styles within": inside("speed"),
        "styles that freeze or drift": sum(
            bool({"freezes later", "drifts", "frozen"} & set(row.remarks)) for row in found.rows
        ),
    }


def between(found: Transitions) -> dict[str, float]:
    """The figures that count, over all pairs of styles."""
    return {
        "pairs": len(found.rows),
        "pairs that change once": sum(row.once == 1 for row in found.rows),
        "walks that change once": sum(row.once for row in found.rows) / len(found.rows),
        "pairs with jerk below 1.5": sum(row.jerk < 1.5 for row in found.rows),
        "most jerk": found.worst.jerk,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fps", type=int, default=30, choices=(30, 60), help="250 or 500 frames a style (default 30)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="one training each")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--factors", type=int)
    parser.add_argument("--window", type=int)
    parser.add_argument("--slips", type=float)
    parser.add_argument("--validation", type=float, default=0.0, help="share of the frames held out (default none)")
    parser.add_argument("--observation", nargs="+", default=["expected"], choices=("expected", "mean", "sample"))
    parser.add_argument("--transitions", action="store_true", help="judge the ways between all pairs of styles, too")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    console, rows = Console(), []
    parts = tsbn.datasets.load("mocap10", fps=options.fps, moving=500 * options.fps // 60, test=0)
    scaler, real = Scaler.fit(parts.train), Yardstick.of(parts.train, parts.figure)
    for seed in options.seeds:
        model = tsbn.FCTSBN(order=12, hidden_markov=True, **settings(options))
        started = time.perf_counter()
        model.fit(scaler.transform(parts.train), validation=options.validation, seed=seed)
        row = {"seed": seed, "fps": options.fps, "seconds": time.perf_counter() - started, **settings(options)}
        row |= {name: value for name, value in model.history_[-1].items() if name not in ("step", "seconds")}
        for observation in options.observation:
            generator = by_model(model, scaler, tsbn.Choices(observation))
            found = report(generator, real, long=3000)
            console.print(f"seed {seed}, {observation} frames", found.table(), found.lasting_table())
            figures = {"observation": observation} | summary(found)
            if options.transitions:
                figures |= between(transitions(generator, real, seeds=1))
            rows.append(row | figures)
            console.print(rows[-1])
    if options.json:
        with new_file(options.json, overwrite=True) as temporary:
            temporary.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
