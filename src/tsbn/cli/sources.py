"""The DATA of a command: a data set by name, a folder of motion files, or a table; all become `Parts`."""

from __future__ import annotations

import ast
import csv
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsbn import datasets
from tsbn.cli import UsageError
from tsbn.data import from_csv, from_parquet, from_table, load_npz
from tsbn.data.nearest import nearest
from tsbn.datasets import Parts, load_motion
from tsbn.motion import read_motion_folder

TABLES: Mapping[str, Callable[..., Any]] = {".csv": from_csv, ".parquet": from_parquet, ".npz": load_npz}


@dataclass(frozen=True)
class Source:
    """Where data come from, with options by name; plain values, so that a model file can tell it.

    >>> Source.parse("walker", ["styles=normal,drunk", "frames=300"]).options
    {'styles': ('normal', 'drunk'), 'frames': 300}
    """

    data: str
    options: Mapping[str, Any]

    @staticmethod
    def parse(data: str, options: Sequence[str] = ()) -> Source:
        """From the words of a command line; options are ``name=value``."""
        known = _parameters(data)
        found: dict[str, Any] = {}
        for option in options:
            name, equals, value = option.partition("=")
            if not equals:
                raise UsageError(f"option {option!r}: expected name=value, such as frames=300")
            if name not in known:
                hint = nearest(name, list(known)) if known else "it takes none"
                raise UsageError(f"{data} has no option {name!r}: {hint}")
            found[name] = _value(value, str(known[name].annotation))
        return Source(data, found)

    def load(self) -> Parts:
        """The data, split as far as they are."""
        _parameters(self.data)  # which says what is wrong if there are no such data
        options = {name: tuple(value) if isinstance(value, list) else value for name, value in self.options.items()}
        path = Path(self.data)
        try:
            if self.data in datasets.names():
                return datasets.load(self.data, **options)
            if path.is_dir():
                return load_motion(path, **options)
            return Parts(TABLES[path.suffix.lower()](path, **options))
        except TypeError as error:
            given = " ".join(f"{name}={value!r}" for name, value in options.items())
            raise UsageError(f"{self.data} does not take the options {given}: {error}") from None


def _parameters(data: str) -> dict[str, inspect.Parameter]:
    """The options that the data take; says what is wrong where there are no such data."""
    if data in datasets.names():
        return datasets.about(data).options
    path = Path(data)
    if path.is_dir():
        readers = [read_motion_folder]
    elif path.is_file():
        ending = path.suffix.lower()
        if ending not in TABLES:
            raise UsageError(f"{data} ends in {ending!r}, expected a table: {', '.join(TABLES)}")
        readers = {".csv": [from_csv, from_table], ".parquet": [from_table], ".npz": []}[ending]
    else:
        raise UsageError(f"there is no data set, folder or file {data!r}: {nearest(data, datasets.names())}")
    every = [parameter for reader in readers for parameter in inspect.signature(reader).parameters.values()]
    return {parameter.name: parameter for parameter in every if parameter.kind is parameter.KEYWORD_ONLY}


def _value(text: str, annotation: str) -> Any:
    """What an option with this annotation is meant to be: names stay text, even 2020; other text may be a number.

    Commas stand between several values. Double quotes keep a comma that belongs to a name, and where one name or
    several are possible, a comma behind a single name makes it the only one of several.
    """
    if text == "None":
        return None
    names = set(re.findall(r"\w+", annotation)) <= {"str", "Sequence", "None"}
    (parts,) = csv.reader([text], skipinitialspace=True)
    if annotation.startswith("Sequence") or (len(parts) > 1 and ("Sequence" in annotation or not names)):
        return tuple(part.strip() if names else _plain(part.strip()) for part in parts if part.strip())
    if not names:
        return _plain(text)
    return parts[0] if len(parts) == 1 else text


def _plain(text: str) -> Any:
    """A number, True ... where the text is one, otherwise the text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
