"""Recognise the styles of sequences with a semi-supervised model.

Examples:
  tsbn train mocap2 --semi --labels 1 --order 6 --hidden-markov -o two.tsbn
  tsbn classify two.tsbn                              the test part of the data it was trained on
  tsbn classify two.tsbn more_walks/ -o found.csv     other data, to a table
  tsbn classify two.tsbn --confusion confusion.png --reliability reliability.png

Where the data have labels, it also says how many are right, and how far the probabilities can be trusted.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tsbn.atomic import new_file
from tsbn.cli import UsageError
from tsbn.cli.arguments import Data, Flag, ModelFile, Options, Output, check_output, load_prepared, print_json
from tsbn.cli.config import Configurable
from tsbn.cli.judged import judged_data
from tsbn.data import Sequences
from tsbn.estimators import SemiSupervised, load
from tsbn.estimators.classifying import By
from tsbn.scores import expected_calibration_error

PICTURES = (".png", ".pdf", ".svg")


@dataclass(frozen=True)
class Classify(Configurable):
    """Recognise styles."""

    file: ModelFile = ""
    """A model file that `tsbn train --semi` wrote."""
    data: Data = ""
    """Name of a data set, folder of motion files, or table; by default what the model was trained on."""
    options: Options = ()
    """Options of the data, as for `tsbn train`."""
    by: By = "classifier"
    """What recognises: the classifier, the generative model (by its bound under each style), or both."""
    output: Output = None
    """A table of the probabilities to write: .csv."""
    confusion: Path | None = None
    """A picture to write of which styles are taken for which."""
    reliability: Path | None = None
    """A picture to write of how far the probabilities can be trusted."""
    seed: int = 0
    """The same seed gives the same figures."""
    json: Flag = False
    """Print what was found as JSON."""

    def run(self) -> None:
        """Load, recognise, write, tell."""
        for path, endings in ((self.output, (".csv",)), (self.confusion, PICTURES), (self.reliability, PICTURES)):
            if path is not None:
                check_output(path, endings, self.overwrite)
        preparation = load_prepared(self.file)[1]
        model = load(self.file)
        if not isinstance(model, SemiSupervised):
            raise UsageError(f"{self.file} has not learned to recognise styles: train it with --semi")
        judged = judged_data(preparation, self.data, self.options)
        test, truth = judged.test, _truth(model, judged.test)
        chances = model.predict_label_proba(test, by=self.by, frames=False, seed=self.seed)
        labels = [str(label) for label in model.labels_]
        found: dict[str, Any] = {
            "judged_on": judged.told,
            "recognised": dict(zip(_apart(test.names), (labels[k] for k in chances.argmax(axis=1)), strict=True)),
        }
        if (truth >= 0).any():
            found["accuracy"] = float(np.mean((chances.argmax(axis=1) == truth)[truth >= 0]))
            found["calibration_error"] = expected_calibration_error(chances, truth)
        elif self.confusion or self.reliability:
            raise UsageError("the data have one label for no sequence, which the pictures need")
        if self.output is not None:
            _write(self.output, test.names, labels, chances, self.overwrite)
        _draw(self.confusion, self.reliability, chances, truth, labels, self.overwrite)
        if self.json:
            print_json(found)
        else:
            _print(found, chances)


def _print(found: dict[str, Any], chances: np.ndarray) -> None:
    for (name, label), row in zip(found["recognised"].items(), chances, strict=True):
        print(f"{name}: {label} ({row.max():.1%})")
    if "accuracy" in found:
        error = found["calibration_error"]
        print(f"{found['accuracy']:.1%} right, calibration error {error:.3f}: {found['judged_on']}")


def _apart(names: Sequence[str]) -> list[str]:
    """Names that occur again get a number that makes them new: walk, walk (2)."""
    taken, times, told = set(names), Counter[str](), []
    for name in names:
        times[name] += 1
        apart = name
        while apart in taken and times[name] > 1:
            apart = f"{name} ({times[name]})"
            times[name] += apart in taken
        taken.add(apart)
        told.append(apart)
    return told


def _truth(model: SemiSupervised, test: Sequences) -> np.ndarray:
    """Columns of the true labels, -1 where a sequence has none or several, or one that the model does not know."""
    known = {str(label): k for k, label in enumerate(model.labels_)}
    return np.array([known.get(str(label), -1) for label in test.labels or [None] * len(test)])


def _write(path: Path, names: tuple[str, ...], labels: list[str], chances: np.ndarray, overwrite: bool) -> None:
    with new_file(path, overwrite=overwrite) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["sequence", "label", *(f"p({label})" for label in labels)])
        for name, row in zip(names, chances, strict=True):
            writer.writerow([name, labels[int(row.argmax())], *(f"{chance:.6g}" for chance in row)])


def _draw(
    confusion: Path | None,
    reliability: Path | None,
    chances: np.ndarray,
    truth: np.ndarray,
    labels: list[str],
    overwrite: bool,
) -> None:
    if confusion is None and reliability is None:
        return
    from tsbn import view  # drawing needs more than recognising does

    if confusion is not None:
        view.save(view.confusion_matrix(truth, chances.argmax(axis=1), labels), confusion, overwrite=overwrite)
    if reliability is not None:
        view.save(view.reliability_plot(chances, truth), reliability, overwrite=overwrite)


COMMAND = Classify
