"""Judge a model: bounds on the likelihood, and one-step predictions beside those of plain models.

Examples:
  tsbn evaluate walk.tsbn                on the test part of the data it was trained on
  tsbn evaluate walk.tsbn more_walks/    on other data
  tsbn evaluate walk.tsbn --json         for a program

Errors are squared, summed over channels and averaged over frames. For real values there are also the CRPS (averaged
over channels and frames; lower is better) and the share of values within the 90% interval, both of a normal with the
predicted mean and spread. All are in the units the model works in (real data are scaled to unit variance). Plain models
are fitted to the data that the model was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from tsbn.baselines import one_step_predictions, squared_errors
from tsbn.cli.arguments import Data, Flag, ModelFile, Options, load_prepared, print_json
from tsbn.cli.config import Configurable
from tsbn.cli.judged import by_style, judged_data
from tsbn.data import Sequences
from tsbn.estimators.results import Predictions
from tsbn.model.observations import REAL
from tsbn.progress import bars
from tsbn.scores import coverage, crps_gaussian

INTERVAL = 0.9
TITLES = {"one_step_error": "one-step error", "crps": "CRPS", "coverage": f"within {INTERVAL:.0%} interval"}


@dataclass(frozen=True)
class Evaluate(Configurable):
    """Judge a model."""

    file: ModelFile = ""
    """A model file."""
    data: Data = ""
    """Name of a data set, folder of motion files, or table; by default what the model was trained on."""
    options: Options = ()
    """Options of the data, as for `tsbn train`."""
    particles: int = 64
    """Samples behind the tighter bounds."""
    seed: int = 0
    """The same seed gives the same figures."""
    json: Flag = False
    """Print the figures as JSON."""

    def run(self) -> None:
        """Load, predict, tell."""
        model, preparation = load_prepared(self.file)
        judged = judged_data(preparation, self.data, self.options)
        test, frames = judged.test, judged.test.lengths
        with bars() as progress:
            task = progress.add_task("one-step predictions", total=2)
            predicted = one_step_predictions(model, judged.train, test, model.order, seed=self.seed)
            progress.update(task, advance=1, description="bounds")
            bounds = model.log_likelihood(test, particles=self.particles, seed=self.seed)
            progress.advance(task)
        errors = {name: squared_errors(test, one.mean, model.order) for name, one in predicted.items()}

        def scores(at: Sequence[int]) -> dict[str, dict[str, float]]:
            found = {"one_step_error": {name: float(np.nanmean(error[at])) for name, error in errors.items()}}
            if model.observation in REAL:
                every = {name: _gaussian(test, one, at, model.order) for name, one in predicted.items()}
                found |= {score: {name: one[score] for name, one in every.items()} for score in ("crps", "coverage")}
            return found

        found = {
            "judged_on": judged.told,
            "sequences": len(test),
            "frames": int(frames.sum()),
            "bound_per_frame": {name: float(b.sum() / frames.sum()) for name, b in bounds._asdict().items()},
            **scores(range(len(test))),
            "by_style": {
                style: {"bound_per_frame": float(bounds.elbo[at].sum() / frames[at].sum()), **scores(at)}
                for style, at in by_style(test).items()
            },
        }
        if self.json:
            print_json(found)
        else:
            _print(found)


def _gaussian(truth: Sequences, predicted: Predictions, at: Sequence[int], skip: int) -> dict[str, float]:
    """Scores of the predictions of some sequences as normal distributions, from frame `skip` on."""
    parts = ((truth[n], predicted.mean[n], predicted.std[n]) for n in at)
    true, mean, std = (np.concatenate([array[skip:] for array in arrays]) for arrays in zip(*parts, strict=True))
    half = NormalDist().inv_cdf(0.5 + INTERVAL / 2) * std
    return {
        "crps": float(np.nanmean(crps_gaussian(true, mean, std))),
        "coverage": coverage(true, mean - half, mean + half),
    }


def _print(found: dict[str, Any]) -> None:
    print(f"judged on {found['judged_on']}: {found['sequences']} sequences, {found['frames']} frames")
    names = {"elbo": "bound per frame", "multi_sample": "  with more samples", "particle": "  with a particle filter"}
    for name, value in found["bound_per_frame"].items():
        print(f"{names[name]:<24} {value:10.3f} nats")
    models = list(found["one_step_error"])
    wide = max([*map(len, TITLES.values()), *map(len, found["by_style"])])
    rows = found["by_style"] if len(found["by_style"]) > 1 else {}
    for score in TITLES:
        if score in found:
            print(f"\n{TITLES[score]:<{wide}}  " + "  ".join(f"{name:>12}" for name in models))
            for row, scores in {**rows, "all": found}.items():
                print(f"{row:<{wide}}  " + "  ".join(f"{scores[score][name]:>12.4f}" for name in models))
    if rows:
        print(f"\n{'bound per frame':<{wide}}")
        for style, row in rows.items():
            print(f"{style:<{wide}}  {row['bound_per_frame']:>12.3f}")


COMMAND = Evaluate
