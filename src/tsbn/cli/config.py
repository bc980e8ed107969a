"""The arguments of a command from and to a TOML file: `--config run.toml`, `--save-config run.toml`."""

from __future__ import annotations

import abc
import dataclasses
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import tyro

from tsbn.atomic import new_file
from tsbn.cli import UsageError
from tsbn.cli.parameters import check_words, parameters
from tsbn.data.nearest import nearest

# What belongs to one run and not to its settings.
LEFT_OUT = ("output", "overwrite", "resume", "json", "config", "save_config")


@dataclass(frozen=True)
class Configurable(abc.ABC):
    """A command whose arguments can come from a file, and go to one."""

    config: Path | None = field(default=None, kw_only=True)
    """Take settings from a TOML file; those given here come first."""
    save_config: Path | None = field(default=None, kw_only=True)
    """Write the settings to a TOML file."""
    overwrite: tyro.conf.FlagCreatePairsOff[bool] = field(default=False, kw_only=True)
    """Replace existing files."""

    @abc.abstractmethod
    def run(self) -> int | None:
        """Do it; the exit code (None is 0)."""

    def keep_settings(self) -> None:
        """Write the settings to the file that was asked for, if any; what is not set is left out."""
        if self.save_config is None:
            return
        values = {one.name: getattr(self, one.attribute) for one in parameters(type(self))}
        lines = [
            f"{name} = {json.dumps(str(value) if isinstance(value, Path) else value)}\n"
            for name, value in values.items()
            if name not in LEFT_OUT and value is not None
        ]
        with new_file(self.save_config, overwrite=self.overwrite) as temporary:
            temporary.write_text("".join(lines), encoding="utf-8")


def configured(command: type[Configurable], args: Sequence[str]) -> Any:
    """The command as the file after `--config` has it, or as it is without any argument."""
    for word, following in pairwise([*args, ""]):
        option, _, joined = word.partition("=")
        if option == "--config":
            path = Path(joined or following)
            words = _arguments(path, command)
            check_words(str(path), command, words)
            return dataclasses.replace(tyro.cli(command, args=words, prog=str(path)), config=path)
    return command()


def _arguments(path: Path, command: type) -> list[str]:
    """The words of a command line that say what the file says, so that both are checked alike."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a TOML file: {error}") from None
    known = {one.name: one for one in parameters(command)}
    for name in given:
        if name not in known:
            raise UsageError(f"{path} has a setting {name!r} that the command has not: {nearest(name, list(known))}")
    first = [name for name, one in known.items() if one.positional]
    # An empty word stands for a positional argument that is left to the command line.
    words = [str(given.get(name, "")) for name in first] if any(name in given for name in first) else []
    for name, value in given.items():
        if isinstance(value, bool):
            words += [known[name].option] if value else []
        elif name not in first and value != []:
            words += [known[name].option, *(map(str, value) if isinstance(value, list) else [str(value)])]
    return words
