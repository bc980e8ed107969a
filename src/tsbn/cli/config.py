"""The arguments of a command from and to a TOML file: `--config run.toml`, `--save-config run.toml`."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import tyro

from tsbn.atomic import new_file
from tsbn.cli import UsageError
from tsbn.data.nearest import nearest


def configured(command: type, args: Sequence[str]) -> Any:
    """The command as the file after `--config` has it, or None without one."""
    for word, following in pairwise([*args, ""]):
        option, _, joined = word.partition("=")
        if option == "--config":
            path = Path(joined or following)
            return tyro.cli(command, args=_arguments(path, command), prog=str(path))
    return None


def _arguments(path: Path, command: type) -> list[str]:
    """The words of a command line that say what the file says, so that both are checked alike."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a TOML file: {error}") from None
    known = [field.name for field in dataclasses.fields(command)]
    words: list[str] = []
    for name, value in given.items():
        if name not in known:
            raise UsageError(f"{path} has a setting {name!r} that the command has not: {nearest(name, known)}")
        if name == "data":
            words.insert(0, str(value))
        elif isinstance(value, bool):
            words += [f"--{_dashed(name)}"] if value else []
        else:
            words += [f"--{_dashed(name)}", *(map(str, value) if isinstance(value, list) else [str(value)])]
    return words


def save_config(path: Path, command: Any, overwrite: bool, leave_out: tuple[str, ...] = ()) -> None:
    """Write the arguments of a command; what is not set is left out."""
    values = {field.name: getattr(command, field.name) for field in dataclasses.fields(command)}
    lines = [
        f"{name} = {json.dumps(str(value) if isinstance(value, Path) else value)}\n"
        for name, value in values.items()
        if name not in leave_out and value is not None
    ]
    with new_file(path, overwrite=overwrite) as temporary:
        temporary.write_text("".join(lines), encoding="utf-8")


def _dashed(name: str) -> str:
    return name.replace("_", "-")
