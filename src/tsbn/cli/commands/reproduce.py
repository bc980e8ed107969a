"""Make the paper's tables and figures anew, beside plain baselines.

Examples:
  tsbn reproduce                                      what there is to reproduce
  tsbn reproduce mocap2                               one trial of every model of Table 1
  tsbn reproduce mocap2 --models FCTSBN "AR(1)"       only these
  tsbn reproduce weather --trials 5 --out results     five trials, in the folder results/weather
  tsbn reproduce all --trials 5                       everything; run it again to go on where it stopped
  tsbn reproduce all --trials 5 --workers 4           four models at a time, each on a quarter of the cores

Each experiment writes results.json, results.md and its figures to its own folder. What has been run with a seed is kept
in the folder's `trials` and not run again; remove it there to repeat it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import Task

from tsbn.arguments import whole_number
from tsbn.cli import UsageError
from tsbn.cli.arguments import Flag, print_json
from tsbn.cli.config import Configurable
from tsbn.data.nearest import nearest
from tsbn.progress import bars
from tsbn.reproduce import EXPERIMENTS
from tsbn.reproduce.crew import crew
from tsbn.reproduce.results import markdown
from tsbn.reproduce.running import Unfinished, begin, finish, runs


@dataclass(frozen=True)
class Reproduce(Configurable):
    """Make the paper's tables anew."""

    name: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="NAME")] = ""
    """An experiment, or `all`; without it, the list of them."""
    trials: int = 1
    """How often each model is trained, each time with another seed."""
    seed: int = 0
    """The first seed."""
    out: Path = Path("reproduced")
    """Folder for the results; each experiment has its own in it."""
    models: tuple[str, ...] = ()
    """Run only these models; what was run before stays in the table."""
    workers: int = 1
    """How many models are trained at a time, each on its share of the cores where a process can be bound to them, as on
    Linux. Small models gain little from several cores, so this is faster; sums in another order give slightly other
    figures."""
    json: Flag = False
    """Print the rows as JSON."""

    def run(self) -> int:
        """Run, write, tell; 1 if some figures are missing."""
        if not self.name:
            for experiment in EXPERIMENTS.values():
                print(f"{experiment.name:<18} {experiment.summary}")
            return 0
        if self.name not in EXPERIMENTS and self.name != "all":
            raise UsageError(f"there is no experiment {self.name!r}: {nearest(self.name, [*EXPERIMENTS, 'all'])}")
        chosen = list(EXPERIMENTS.values()) if self.name == "all" else [EXPERIMENTS[self.name]]
        try:
            whole_number("workers", self.workers)
            for experiment in chosen:
                runs(experiment, self.trials, self.seed, self.models)
        except ValueError as error:
            raise UsageError(str(error)) from error
        missing, rows = [], {}
        with bars(recent=float("inf")) as progress:
            task = progress.add_task("reproducing", total=None)

            def watch(told: str, work: float) -> None:
                progress.update(task, advance=work, description=told)
                if work and progress.disable:
                    print(line(progress.tasks[task]), file=sys.stderr, flush=True)

            with crew(self.workers, watch) as hands:
                asked = {"trials": self.trials, "seed": self.seed, "models": self.models}
                begun = [begin(experiment, self.out / experiment.name, hands, **asked) for experiment in chosen]
                progress.update(task, total=sum(one.work for one in begun))
                for one in begun:
                    try:
                        rows[one.experiment.name] = finish(one)
                    except Unfinished as error:
                        missing.append(str(error))
        if self.json:
            print_json({name: [vars(row) for row in found] for name, found in rows.items()})
        else:
            for name, found in rows.items():
                Console().print(markdown(EXPERIMENTS[name], found), markup=False, soft_wrap=True)
            print(f"written to {self.out}/")
        for told in missing:
            Console(stderr=True).print(told, markup=False)
        return 1 if missing else 0


def line(task: Task) -> str:
    """What a log has in place of a bar."""
    left = f", about {timedelta(seconds=task.time_remaining)} left" if task.time_remaining else ""
    return f"{task.percentage:3.0f} % {task.description}{left}"


COMMAND = Reproduce
