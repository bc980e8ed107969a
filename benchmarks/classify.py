"""Recognise ten walking styles from windows of seven frames, of which a part has labels, beside plain classifiers."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import SelfTrainingClassifier

import tsbn
from transductive_svm import TransductiveSVM
from tsbn.atomic import new_file
from tsbn.data import Scaler, Sequences, cut_windows

EXPLANATION = """\
what is measured
  mocap10 at 60 frames a second; of each style the 500 consecutive frames that cover the greatest distance on the
  ground. 100 of them are held out (at the end, in the middle, at the start), and of the 400 others a consecutive
  proportion, from the first one on, has labels. A case is a window of 7 frames; figures are the share of held-out
  windows recognised, in percent, averaged over the three places. Data are scaled by the frames that are learnt from,
  labelled or not.

  softmax(r) is logistic regression with the penalty r/2 |W|^2 on the sum over windows; self-training is softmax(1)
  taught again by its own answers of 90 % and more; TSVM is transductive. FCTSBN and dFCTSBN answer by the mean of
  q(y | v) and p(y | v), the latter from the bound under every style.

examples
  python benchmarks/classify.py --json classify.json
  python benchmarks/classify.py --fractions 0.25 0.5 --trials 1 --only knn fctsbn
  python benchmarks/classify.py --validate --only fctsbn     held-out windows come from the labelled part instead
"""
FRACTIONS = (0.25, 0.3125, 0.375, 0.4375, 0.5, 0.5625, 0.625, 0.6875, 0.75)
PLACES = {"end": 400, "middle": 200, "start": 0}
FRAMES, HELD_OUT, WINDOW = 500, 100, 7
Spans = list[tuple[int, int]]


class Cases(NamedTuple):
    """Windows `[cases, 7, channels]` and the number of the style of each; what is not labelled has -1."""

    windows: np.ndarray
    styles: np.ndarray

    @property
    def flat(self) -> np.ndarray:
        return self.windows.reshape(len(self.windows), -1)


class Problem(NamedTuple):
    """What is learnt from, with and without labels, and what is judged on."""

    labelled: Cases
    unlabelled: Cases
    test: Cases


Contestant = Callable[[Problem, int], np.ndarray]
"""Answers, for a problem and the number of the trial, the style of every held-out window."""


def spans(place: str, fraction: float, validate: bool) -> tuple[Spans, Spans, Spans]:
    """Frames with labels, without, and held out; to `validate`, the last fifth of the labelled ones takes their place.

    >>> spans("middle", 0.75, validate=False)
    ([(0, 200), (300, 400)], [(400, 500)], [(200, 300)])
    """
    begin = PLACES[place]
    rest = [(a, b) for a, b in ((0, begin), (begin + HELD_OUT, FRAMES)) if b > a]
    amount = round(fraction * (FRAMES - HELD_OUT))
    labelled, unlabelled = _first(rest, amount)
    if not validate:
        return labelled, unlabelled, [(begin, begin + HELD_OUT)]
    kept, checked = _first(labelled, round(0.8 * amount))
    return kept, unlabelled, checked


def _first(parts: Spans, amount: int) -> tuple[Spans, Spans]:
    """So many frames from the beginning, and the others."""
    taken, left = [], []
    for a, b in parts:
        middle = min(a + amount, b)
        amount -= middle - a
        taken += [(a, middle)] if middle > a else []
        left += [(middle, b)] if b > middle else []
    return taken, left


def problem(data: Sequences, place: str, fraction: float, validate: bool) -> Problem:
    parts = spans(place, fraction, validate)

    def pieces(chosen: Spans) -> Sequences:
        return data.pieces((i, slice(a, b)) for i in range(len(data)) for a, b in chosen)

    scaler = Scaler.fit(pieces(parts[0] + parts[1]))

    def cases(chosen: Spans) -> Cases:
        cut = cut_windows(scaler.transform(pieces(chosen)), WINDOW, hop=1)
        rows = cut.pieces.side
        assert rows is not None
        return Cases(cut.array.astype(np.float32), np.array([int(np.argmax(row)) for row in rows]))

    return Problem(*map(cases, parts))


def nearest_neighbours(given: Problem, trial: int) -> np.ndarray:
    return KNeighborsClassifier(10).fit(given.labelled.flat, given.labelled.styles).predict(given.test.flat)


def softmax(penalty: float) -> LogisticRegression:
    return LogisticRegression(C=1 / penalty, max_iter=1000)


def softmax_contestant(penalty: float) -> Contestant:
    def answer(given: Problem, trial: int) -> np.ndarray:
        return softmax(penalty).fit(given.labelled.flat, given.labelled.styles).predict(given.test.flat)

    return answer


def self_training(given: Problem, trial: int) -> np.ndarray:
    windows = np.concatenate([given.labelled.flat, given.unlabelled.flat])
    styles = np.concatenate([given.labelled.styles, np.full(len(given.unlabelled.styles), -1)])
    return SelfTrainingClassifier(softmax(1.0), threshold=0.9, max_iter=5).fit(windows, styles).predict(given.test.flat)


def transductive_svm(given: Problem, trial: int) -> np.ndarray:
    model = TransductiveSVM().fit(given.labelled.flat, given.labelled.styles, given.unlabelled.flat)
    return model.predict(given.test.flat)


def semi_supervised(hidden: tuple[int, ...]) -> Contestant:
    def answer(given: Problem, trial: int) -> np.ndarray:
        generator = tsbn.FCTSBN(hidden=hidden, order=WINDOW - 1, steps=500, every=500, batch=20, gradient="closed-form")
        model = tsbn.SemiSupervised(generator, alpha=1e5, penalty=7.0)
        windows = [*given.labelled.windows, *given.unlabelled.windows]
        labels = [*given.labelled.styles, *[None] * len(given.unlabelled.styles)]
        model.fit(windows, labels, validation=0, seed=trial)
        test = list(given.test.windows)
        chances = model.predict_label_proba(test) + model.predict_label_proba(test, by="model", seed=trial)
        return chances.argmax(axis=1)

    return answer


CONTESTANTS: dict[str, Contestant] = {
    "knn": nearest_neighbours,
    "softmax(0.001)": softmax_contestant(0.001),
    "softmax(1)": softmax_contestant(1.0),
    "self-training": self_training,
    "tsvm": transductive_svm,
    "fctsbn": semi_supervised((100,)),
    "dfctsbn": semi_supervised((100, 100)),
}
CHANCE = ("fctsbn", "dfctsbn")
"""Those whose answers depend on the trial."""


def main() -> None:
    options = parse_options()
    console = Console()
    data = tsbn.datasets.load("mocap10", moving=FRAMES, test=0).train
    rows = []
    runs = [(fraction, place) for fraction in options.fractions for place in PLACES]
    for fraction, place in track(runs, console=console, transient=True, description="problems"):
        given = problem(data, place, fraction, options.validate)
        for name in options.only:
            for trial in range(options.trials if name in CHANCE else 1):
                right = float(np.mean(CONTESTANTS[name](given, trial) == given.test.styles))
                rows.append({"model": name, "fraction": fraction, "place": place, "trial": trial, "right": right})
    show(rows, options, console)
    if options.json:
        with new_file(options.json, overwrite=True) as temporary:
            temporary.write_text(json.dumps({"validate": options.validate, "rows": rows}, indent=2) + "\n")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXPLANATION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, replacing the file")
    parser.add_argument("--trials", type=int, default=5, help="trials of what depends on chance (default 5)")
    parser.add_argument("--fractions", type=float, nargs="+", default=FRACTIONS, help="labelled shares")
    parser.add_argument("--only", nargs="+", choices=CONTESTANTS, default=list(CONTESTANTS), help="these alone")
    parser.add_argument("--validate", action="store_true", help="judge on the last fifth of the labelled part instead")
    options = parser.parse_args()
    if options.trials < 1:
        parser.error(f"--trials is {options.trials}, expected at least 1")
    if not all(0 < fraction < 1 for fraction in options.fractions):
        parser.error(f"--fractions are {options.fractions}, expected shares between 0 and 1")
    return options


def show(rows: list[dict], options: argparse.Namespace, console: Console) -> None:
    """Averages over places and trials, and beside them the three places."""
    table = Table(title="held-out windows recognised, % (end / middle / start)")
    for heading in ("", *(f"{fraction:.0%} labelled" for fraction in options.fractions)):
        table.add_column(heading, justify="right")
    for name in options.only:
        cells = []
        for fraction in options.fractions:
            of = {
                place: [
                    100 * r["right"] for r in rows if (r["model"], r["fraction"], r["place"]) == (name, fraction, place)
                ]
                for place in PLACES
            }
            means = [float(np.mean(found)) for found in of.values()]
            cells.append(f"{np.mean(means):.1f} ({' / '.join(f'{mean:.0f}' for mean in means)})")
        table.add_row(name, *cells)
    console.print(table)


if __name__ == "__main__":
    main()
