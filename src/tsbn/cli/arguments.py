"""Kinds of arguments that several commands share, and how they answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from tsbn.choices import Choices
from tsbn.cli import UsageError
from tsbn.estimators import SemiSupervised, SequenceModel, load
from tsbn.preparation import Preparation

Flag = tyro.conf.FlagCreatePairsOff[bool]
Options = Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=VALUE")]
ModelFile = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")]
Data = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="DATA")]
Output = Annotated[Path | None, tyro.conf.arg(aliases=["-o"], metavar="FILE")]


Observation = Literal["auto", "sample", "mean", "expected"]
"""Which `Choices` of the observation; "auto" is "expected" for motions, which are smooth, and "sample" for the rest."""


def chosen(observation: Observation, temperature: float, preparation: Preparation) -> Choices:
    """What is drawn when a model makes frames of data that were prepared like this."""
    if observation == "auto":
        observation = "sample" if preparation.figure is None else "expected"
    return Choices(observation, temperature)


def load_model(file: str) -> SequenceModel | SemiSupervised:
    """What is in a model file."""
    if not file:
        raise UsageError("which model? give a model file, such as walk.tsbn")
    return load(file)


def load_prepared(file: str) -> tuple[SequenceModel, Preparation]:
    """A model and its preparation; a model that was saved without one takes numbers as they are.

    Of a semi-supervised model this is what generates.
    """
    return prepared(load_model(file))


def prepared(loaded: SequenceModel | SemiSupervised) -> tuple[SequenceModel, Preparation]:
    """What generates, and how its data were prepared."""
    model = loaded.generator_ if isinstance(loaded, SemiSupervised) else loaded
    if model.preparation_ is None:
        names = tuple(f"v{n}" for n in range(model.n_features_in_))
        model.preparation_ = Preparation(names, None, None)
    return model, model.preparation_


def check_output(path: Path | None, endings: tuple[str, ...], overwrite: bool) -> Path:
    """The file to write to; refuses before the work what could not be written after it."""
    if path is None:
        raise UsageError(f"where to? give -o and a file that ends in {', '.join(endings)}")
    ending = path.suffix.lower()
    if ending not in endings:
        raise UsageError(f"{path} ends in {ending!r}, expected one of {', '.join(endings)}")
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists already; --overwrite replaces it")
    if path.parent.exists() and not path.parent.is_dir():
        raise NotADirectoryError(f"{path.parent} is not a folder")
    return path


def print_json(value: Any) -> None:
    """For a program to read."""
    print(json.dumps(value, indent=2))
