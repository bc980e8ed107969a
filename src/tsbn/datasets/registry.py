"""What the library knows of a data set: where it lives, under which terms, and how to load it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tsbn.data.download import RemoteFile
from tsbn.data.nearest import nearest
from tsbn.data.sequences import Sequences
from tsbn.datasets.figures import Figure
from tsbn.datasets.words import WordVectors


@dataclass(frozen=True)
class Parts:
    """A data set, split as its literature splits it.

    - `words`, if it is made of word vectors, decodes them to words;
    - `figure`, if it is made of features of motions, decodes them to motions.
    """

    train: Sequences
    valid: Sequences | None = None
    test: Sequences | None = None
    words: WordVectors | None = None
    figure: Figure | None = None

    def describe(self) -> str:
        """One paragraph for each part."""
        parts = {"train": self.train, "valid": self.valid, "test": self.test}
        return "\n\n".join(f"{name}: {part.describe()}" for name, part in parts.items() if part is not None)


@dataclass(frozen=True)
class DataSet:
    """A data set by name. `home` is a page to look at; each of `files` has its own address and checksum."""

    name: str
    summary: str
    home: str
    terms: str
    citation: str
    load: Callable[..., Parts]
    files: Sequence[RemoteFile] = ()
    notes: str = ""

    @property
    def options(self) -> dict[str, inspect.Parameter]:
        """What `load` takes."""
        return dict(inspect.signature(self.load).parameters)


def load_options(dataset: DataSet, options: dict[str, Any]) -> Parts:
    """Load with options that were checked by name first."""
    for option in options:
        if option not in dataset.options:
            hint = nearest(option, list(dataset.options)) if dataset.options else "it takes none"
            raise TypeError(f"data set {dataset.name!r} has no option {option!r}: {hint}")
    return dataset.load(**options)
