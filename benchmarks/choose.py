"""Which settings predict best, by one-step errors on held-out parts of the training data; test parts are never read.

`python benchmarks/choose.py weather2001-25d` trains every candidate with several seeds and prints the errors after each
share of the steps, beside those of linear models: how long to train is part of the choice.
"""

import argparse
import copy
import statistics
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

import tsbn
from tsbn.baselines import Autoregression
from tsbn.data import Scaler, Sequences
from tsbn.data.splits import split_by_time
from tsbn.learning.engine import Report
from tsbn.reproduce.experiments.mocap2 import BEST as MOCAP2_BEST
from tsbn.reproduce.experiments.mocap10 import BEST as MOCAP10_BEST
from tsbn.reproduce.experiments.weather import BEST as WEATHER_BEST
from tsbn.reproduce.predicting import Task, by_label

LOOKS = 4
"""How often errors are told in a training."""
HELD_OUT = ("35_20", "35_24", "35_05", "35_12", "35_31")
"""Two runs and three walks of mocap2."""
PLAIN = {"weight_decay": 0.0, "foresight": 0.0}
"""The weather rows of the paper's sizes."""
MOCAP10_PLAIN = {
    "order": 8,
    "opening": 8,
    "factors": 50,
    "kinds": None,
    "rate": 2e-3,
    "steps": 3000,
    "foresight": 5.0,
}
"""The mocap10 rows of the paper's sizes."""


def mocap2() -> Task:
    data = tsbn.datasets.load("mocap2", layout="mat").train
    late = np.array([name in HELD_OUT for name in data.names])
    return task(data[~late], data[late], skip=1)


def weather(year: int, side: str) -> Task:
    """One year of the training data, learnt from the years before it."""
    first = 12 * (year - 1990)
    frames = tsbn.datasets.load("weather", side=side).train
    early, late, *_ = split_by_time(frames, *range(first, 144, 12), context=12)
    return task(early, late, skip=12, together=True)


def mocap10() -> Task:
    early, late = split_by_time(tsbn.datasets.load("mocap10", fps=60, test=0.1).train, 0.9)
    return task(early, late, skip=12, together=True)


def task(early: Sequences, late: Sequences, skip: int, together: bool = False) -> Task:
    scaler = Scaler.fit(early)
    early, late = scaler.transform(early), scaler.transform(late)
    return Task(early, late, {"all": list(range(len(late)))} if together else by_label(late), skip)


def candidates(start: Callable[..., tsbn.FCTSBN], **changes: dict) -> dict[str, Callable[[], tsbn.FCTSBN]]:
    """The model to start from, and what becomes of it with each change."""
    return {"as it is": start} | {name: partial(start, **change) for name, change in changes.items()}


WEATHER = candidates(
    WEATHER_BEST,
    **{
        "started linear": {"linear_start": True},
        "started linear, 1000 steps, decay 1": {"linear_start": True, "steps": 1000, "weight_decay": 1.0},
        "two layers": {"hidden": (100, 100)},
        "opening of 6": {"opening": 6},
        "rate 3e-4": {"rate": 3e-4},
        "rate 3e-3": {"rate": 3e-3},
        "slips 0.1": {"slips": 0.1},
        "W4 shared": {"kinds": {"W4": "shared"}},
        "order 12": {"order": 12},
        "no decay": {"weight_decay": 0.0},
        "plain": PLAIN,
        "plain, two layers": PLAIN | {"hidden": (100, 100)},
        "decay 1": {"weight_decay": 1.0},
        "no foresight": {"foresight": 0.0},
        "foresight 1": {"foresight": 1.0},
        "straight-through": {"gradient": "straight-through"},
    },
)
TASKS = {
    "mocap2": (
        mocap2,
        (1, 2, 3),
        candidates(
            MOCAP2_BEST,
            **{
                "Gaussian": {"observation": "gaussian"},
                "noise of the state": {"kinds": None},
                "Gaussian noise of the state": {"observation": "gaussian", "kinds": None},
                "slips": {"slips": 0.02},
                "not started linear": {"linear_start": False},
                "200 factors": {"factors": 200},
                "two layers": {"hidden": (100, 50)},
                "two layers, silent start": {"hidden": (100, 50), "silent_start": True},
                "windows of 60": {"window": 60, "batch": 16},
                "straight-through": {"gradient": "straight-through"},
                "no decay": {"weight_decay": 0.0},
                "no foresight": {"foresight": 0.0},
                "foresight 0.3": {"foresight": 0.3},
                "foresight 1": {"foresight": 1.0},
                "warm-up of half the steps": {"warm_up": 0.5},
                "order 2": {"order": 2, "opening": 2},
            },
        ),
    ),
    **{
        f"weather{year}-{side}": (partial(weather, year, side), (6, 12), WEATHER)
        for year in (2001, 2000, 1999)
        for side in ("25d", "10d", "2d")
    },
    "mocap10": (
        mocap10,
        (2, 8, 12),
        candidates(
            MOCAP10_BEST,
            **{
                "not started linear": {"linear_start": False, "rate": 3e-3},
                "W4 factored": {"kinds": None},
                "rate 3e-5": {"rate": 3e-5},
                "rate 3e-4": {"rate": 3e-4},
                "foresight 0.5": {"foresight": 0.5},
                "plain": MOCAP10_PLAIN,
                "plain, two layers": MOCAP10_PLAIN | {"hidden": (100, 100)},
                "plain, rate 1e-3": MOCAP10_PLAIN | {"rate": 1e-3},
                "plain, no foresight, rate 1e-3": MOCAP10_PLAIN | {"rate": 1e-3, "foresight": 0.0},
            },
        ),
    ),
}


def errors(predicted: list[np.ndarray], on: Task) -> list[float]:
    """One for each setting of the task."""
    return [finding.value for finding in on.findings(predicted)]


def errors_on_the_way(model: tsbn.FCTSBN, on: Task, seed: int) -> Iterator[list[float]]:
    """Errors after each share of the steps."""
    found = []
    on, probe = on.looking_back(model.order), copy.copy(model)

    def look(report: Report) -> None:
        probe._learned(model.architecture_, model.side_, report.progress.state.model, ())
        found.append(errors(probe.predict(on.test).mean, on))

    model.fit(on.train, validation=0, seed=seed, callbacks=[look])
    return iter(found)


def cell(of_seeds: list[list[float]]) -> str:
    """Means and spreads over seeds, setting by setting."""
    told = []
    for values in zip(*of_seeds, strict=True):
        spread = f" ± {statistics.stdev(values):.2g}" if len(values) > 1 else ""
        told.append(f"{statistics.mean(values):.4g}{spread}")
    return " / ".join(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", choices=TASKS)
    parser.add_argument("--seeds", type=int, default=2, help="trainings of each candidate (default 2)")
    parser.add_argument("--only", nargs="+", default=[""], help="only candidates whose name begins so")
    options = parser.parse_args()
    load, orders, models = TASKS[options.data]
    on = load()
    table = Table(title=f"{options.data}: squared error of {' / '.join(on.settings)}, held out of the training data")
    for heading in ("model", *(f"{share}/{LOOKS} of the steps" for share in range(1, LOOKS + 1))):
        table.add_column(heading)
    for order in orders:
        for bias in "common", "style":
            led = on.looking_back(order)
            linear = Autoregression(order, bias=bias).fit(led.train).predict(led.test).mean
            table.add_row(f"AR({order}), {bias} bias", *[""] * (LOOKS - 1), cell([errors(linear, led)]))
    console = Console()
    for name, make in models.items():
        if not name.startswith(tuple(options.only)):
            continue
        made = make()
        model = made.set_params(every=made.recipe().steps // LOOKS)
        of_seeds = [list(errors_on_the_way(model, on, seed)) for seed in range(options.seeds)]
        cells = [cell(list(look)) for look in zip(*of_seeds, strict=True)]
        console.print(name, *cells, sep=" | ")
        table.add_row(name, *cells)
    console.print(table)


if __name__ == "__main__":
    main()
