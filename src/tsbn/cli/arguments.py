"""Kinds of arguments that several commands share, and how they answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import tyro

from tsbn.cli import UsageError
from tsbn.estimators import SemiSupervised, SequenceModel, load
from tsbn.preparation import Preparation
from tsbn.styles import Path as StylePath
from tsbn.styles import PathError, parse

Flag = tyro.conf.FlagCreatePairsOff[bool]
Options = Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=VALUE")]
ModelFile = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")]
Output = Annotated[Path, tyro.conf.arg(aliases=["-o"], metavar="FILE")]


def load_prepared(path: Path) -> tuple[SequenceModel, Preparation]:
    """A model and its preparation; a model that was saved without one takes numbers as they are.

    Of a semi-supervised model this is what generates.
    """
    loaded = load(path)
    model = loaded.generator_ if isinstance(loaded, SemiSupervised) else loaded
    if model.preparation_ is None:
        names = tuple(f"v{n}" for n in range(model.n_features_in_))
        model.preparation_ = Preparation(names, None, None)
    return model, model.preparation_


def style_path(model: SequenceModel, path: str, frames: int) -> StylePath | int:
    """The style path that was asked for, or the number of frames where the model has no styles."""
    if model.side_.kind == "none":
        if path:
            raise UsageError("--path was given, but the model has no styles: give --frames")
        if frames < 1:
            raise UsageError("how long? the model has no styles to make a path of: give --frames, such as 200")
        return frames
    if not model.side_.labels:
        raise UsageError("the model has side information without names, which no style path can tell")
    if not path:
        first = model.side_.labels[0]
        raise UsageError(f'which styles? give --path, such as "{first}:120", of {model.side_.describe()}')
    try:
        return parse(path, model.side_.labels)
    except PathError as error:
        raise UsageError(str(error)) from None


def check_output(path: Path, endings: tuple[str, ...], overwrite: bool) -> None:
    """Refuse before the work what could not be written after it."""
    ending = path.suffix.lower()
    if ending not in endings:
        raise UsageError(f"{path} ends in {ending!r}, expected one of {', '.join(endings)}")
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists already; --overwrite replaces it")
    if path.parent.exists() and not path.parent.is_dir():
        raise NotADirectoryError(f"{path.parent} is not a folder")


def print_json(value: Any) -> None:
    """For a program to read."""
    print(json.dumps(value, indent=2))
