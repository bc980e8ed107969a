"""Which gradient estimator trains best on real data in equal time, by the bound on held-out frames.

Every estimator is first timed (processor time of a step, after compiling), then gets as many steps as fit into the same
budget; the schedules (learning rate, warm-up) stretch to that number. Only parts of the training data are held out.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

import tsbn
from tsbn.atomic import new_file
from tsbn.data import Scaler, Sequences, looped

ESTIMATORS = {
    "nvil": {"gradient": "nvil"},
    "later": {"gradient": "later"},
    "closed-form": {"gradient": "closed-form"},
    "leave-one-out": {"gradient": "leave-one-out", "chains": 2},
    "flips": {"gradient": "flips", "chains": 2},
    "straight-through": {"gradient": "straight-through"},
}


def scaled(data: Sequences) -> Sequences:
    return Scaler.fit(data).transform(data)


def tasks() -> Iterator[tuple[str, tsbn.SequenceModel, Sequences, float | tuple]]:
    """Name, model, training data and what is held out of them."""
    mocap = scaled(tsbn.datasets.load("mocap2", layout="mat").train)
    yield "mocap2, FCTSBN, order 1", tsbn.FCTSBN(factors=50), mocap, 0.1
    weather = scaled(tsbn.datasets.load("weather", side="25d").train)
    yield "weather, FCTSBN, order 6", tsbn.FCTSBN(order=6, factors=50), weather, 0.1
    # Looped, or the held-out ends would be unlike all that is learnt from and choose the first model looked at.
    walks = scaled(looped(tsbn.datasets.load("mocap10", fps=30, moving=250).train, 150))
    yield (
        "mocap10, Hidden Markov FCTSBN, order 12",
        tsbn.FCTSBN(order=12, factors=50, hidden_markov=True, window=60),
        walks,
        0.1,
    )
    music = tsbn.datasets.load("jsb")
    yield "JSB chorales, TSBN, order 1", tsbn.TSBN(observation="bernoulli"), music.train, (music.valid, None)


def seconds_a_step(model: tsbn.SequenceModel, data: Sequences, held_out) -> float:
    """Processor time of one step, without compiling."""
    stamps = []
    model.set_params(steps=150, every=50)
    model.fit(data, validation=held_out, callbacks=[lambda report: stamps.append(time.process_time())])
    return (stamps[-1] - stamps[0]) / 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--seconds", type=float, default=40, help="processor time of each training (default 40)")
    parser.add_argument("--seeds", type=int, default=2, help="trainings of each (default 2)")
    parser.add_argument("--only", nargs="+", default=[""], help="only tasks whose name begins so")
    parser.add_argument("--estimators", nargs="+", choices=ESTIMATORS, default=list(ESTIMATORS), help="only these")
    options = parser.parse_args()
    rows = []
    console = Console()
    for name, model, data, held_out in tasks():
        if not name.startswith(tuple(options.only)):
            continue
        for estimator in options.estimators:
            model.set_params(**ESTIMATORS[estimator])
            cost = seconds_a_step(model, data, held_out)
            steps = max(int(options.seconds / cost) // 100 * 100, 100)
            model.set_params(steps=steps, every=max(steps // 20, 1))
            found = []
            for seed in range(options.seeds):
                model.fit(data, validation=held_out, seed=seed)
                best = max(model.history_, key=lambda row: row["validation"])
                found.append((best["validation"], best["active"]))
            bounds, active = zip(*found, strict=True)
            rows.append(
                {
                    "task": name,
                    "estimator": estimator,
                    "steps": steps,
                    "milliseconds": 1e3 * cost,
                    "bound": statistics.mean(bounds),
                    "spread": statistics.stdev(bounds) if len(bounds) > 1 else 0.0,
                    "active": statistics.mean(active),
                }
            )
            console.print(rows[-1])
    table = Table(title=f"held-out bound per frame after {options.seconds:g} s of processor time")
    for heading in "task", "estimator", "steps", "ms a step", "bound", "active units":
        table.add_column(heading)
    for row in rows:
        bound = f"{row['bound']:.2f} ± {row['spread']:.2f}"
        figures = f"{row['milliseconds']:.1f}", bound, f"{row['active']:.0f}"
        table.add_row(row["task"], row["estimator"], str(row["steps"]), *figures)
    console.print(table)
    if options.json:
        with new_file(options.json, overwrite=True) as temporary:
            temporary.write_text(json.dumps({"seconds": options.seconds, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
