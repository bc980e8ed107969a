"""Model files: one safetensors file with the numbers, and all that describes them in its header."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import equinox as eqx
import jax
import numpy as np

from tsbn.estimators.side import SideEncoder
from tsbn.files import FileFormatError, named_arrays, read, with_arrays, write
from tsbn.model.architecture import Architecture
from tsbn.model.build import build
from tsbn.preparation import Preparation

if TYPE_CHECKING:
    from tsbn.estimators.base import SequenceModel

KIND, VERSION = "model", 1


class Section(NamedTuple):
    """A part of a model file that not every model has."""

    name: str
    header: dict[str, Any]
    arrays: dict[str, np.ndarray]


def save_model(path: str | os.PathLike, model: SequenceModel, *, overwrite: bool, more: Section | None = None) -> None:
    """Write a fitted model; an existing file is replaced only if asked, and only by a complete one.

    `more` is what goes into the file beside it: a section of the header by name, and arrays.
    """
    header = {
        "kind": KIND,
        "version": VERSION,
        "class": type(model).__name__,
        "params": model.get_params(),
        "architecture": dataclasses.asdict(model.architecture_),
        "side": dataclasses.asdict(model.side_),
        "history": model.history_,
    }
    arrays = named_arrays(model.model_)
    if model.preparation_ is not None:
        header["preparation"], extra = model.preparation_.pack()
        arrays |= extra
    if more is not None:
        header[more.name] = more.header
        arrays |= more.arrays
    write(path, arrays, header, overwrite=overwrite)


def load_model(
    path: str | os.PathLike, classes: dict[str, type[SequenceModel]], section: str
) -> tuple[SequenceModel, Section | None]:
    """Read a model that `save` wrote, and the section of that name if the file has one."""
    arrays, header = read(path, KIND, VERSION)
    try:
        params = header["params"] | {"hidden": tuple(header["params"]["hidden"])}
        model = classes[header["class"]](**params)
        fields = header["architecture"]
        architecture = Architecture(
            **fields
            | {"hidden": tuple(fields["hidden"]), "kinds": tuple((letter, kind) for letter, kind in fields["kinds"])}
        )
        side = SideEncoder(**header["side"] | {"labels": tuple(header["side"]["labels"])})
        blank = eqx.filter_eval_shape(build, architecture, key=jax.random.key(0))
        numbers = with_arrays(blank, arrays)
        preparation = Preparation.unpack(header["preparation"], arrays) if "preparation" in header else None
        history = list(header["history"])
        if side.columns != architecture.side:
            raise ValueError(f"it describes {side.columns} columns of side information and has {architecture.side}")
    except (KeyError, TypeError, ValueError) as problem:
        raise FileFormatError(f"{path} is a damaged model file: {problem}") from None
    model.architecture_ = architecture
    model.side_ = side
    model.model_ = numbers
    model.history_ = history
    model.n_features_in_ = architecture.visible
    model.preparation_ = preparation
    return model, Section(section, header[section], arrays) if section in header else None
