"""What a command can be told: its parameters, read from its signature, and the nearest to words that it lacks."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal

import tyro

from tsbn.cli import UsageError
from tsbn.data.nearest import nearest


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter: the attribute that holds it, the name users give, and the values it has if they are only some."""

    attribute: str
    name: str
    positional: bool
    choices: tuple[str, ...]

    @property
    def option(self) -> str:
        """How it is written on a command line."""
        return "--" + self.name.replace("_", "-")


def parameters(command: Callable[..., Any]) -> list[Parameter]:
    """The parameters of a command, which is a function or a dataclass, in their order.

    >>> def draw(file: str, /, style: Literal["cat", "dog"] = "cat"): ...
    >>> [(one.name, one.positional, one.choices) for one in parameters(draw)]
    [('file', True, ()), ('style', False, ('cat', 'dog'))]
    """
    hints = typing.get_type_hints(command, include_extras=True)
    given = inspect.signature(command).parameters.values()
    return [_parameter(one, hints[one.name]) for one in given]


def check_words(prog: str, command: Callable[..., Any], args: Sequence[str]) -> None:
    """Answer an unknown option, or a value that is none of an option's, with the nearest right one."""
    known = {one.option: one for one in parameters(command) if not one.positional}
    for place, word in enumerate(args):
        option, joined, value = word.partition("=")
        option = option.replace("_", "-")
        if not option.startswith("--") or option in ("--", "--help"):
            continue
        if option not in known:
            raise UsageError(f"{prog} has no option {option}: {nearest(option, list(known))}")
        choices = known[option].choices
        value = value if joined else args[place + 1] if place + 1 < len(args) else ""
        if choices and value and value not in choices:
            raise UsageError(f"{option} is {value!r}, expected one of {', '.join(choices)}: {nearest(value, choices)}")


def _parameter(given: inspect.Parameter, hint: Any) -> Parameter:
    notes = hint.__metadata__ if typing.get_origin(hint) is Annotated else ()
    named = [note.name for note in notes if getattr(note, "name", None) and hasattr(note, "metavar")]
    positional = given.kind is given.POSITIONAL_ONLY or tyro.conf.Positional in notes
    return Parameter(given.name, named[0] if named else given.name, positional, tuple(_choices(hint)))


def _choices(hint: Any) -> Iterator[str]:
    """The values of a Literal, wherever in the annotation it stands."""
    if typing.get_origin(hint) is Literal:
        yield from (str(value) for value in typing.get_args(hint) if value is not None)
    elif typing.get_origin(hint) is not None:
        for part in typing.get_args(hint):
            yield from _choices(part)
