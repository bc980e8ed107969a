"""The command line ``tsbn``: thin over the library, one file for each command in `tsbn.cli.commands`.

The exit codes are those of `EXIT_CODES`.
"""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tsbn.cli import commands
from tsbn.data.extras import needs
from tsbn.data.nearest import nearest

STOPPED = 130
EXIT_CODES = {
    0: "done",
    1: "it could not be done, standard error says why; or damage was found",
    2: "the command was not understood, standard error says what would be",
    STOPPED: "stopped by Ctrl-C; a training keeps the best model so far",
    141: "nobody reads the output any more",
}


class UsageError(Exception):
    """The command was not understood; says why and what would be."""


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    >>> main(["--help"])  # doctest: +ELLIPSIS
    usage: tsbn COMMAND ...
    """
    args = list(sys.argv[1:] if args is None else args)
    with warnings.catch_warnings():
        warnings.showwarning = _tell_warning
        return _answered(args)


def process() -> NoReturn:
    """The command line as a process of its own."""
    code = main()
    if code == STOPPED:
        # XLA may still be compiling in a thread of its own: the interpreter, going down in good order, would crash.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _tell_warning(message, *_details) -> None:
    """A warning as one line of ours, without the place in the library that gives it."""
    print(f"tsbn: {message}", file=sys.stderr)


def _answered(args: list[str]) -> int:
    """Run one command; what goes wrong becomes a line and an exit code."""
    try:
        if not args or args[0] in ("-h", "--help"):
            print(_overview())
            return 0 if args else 2
        return _run(args[0], args[1:])
    except UsageError as error:
        print(f"tsbn: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever reads our output has seen enough, as `head` does; Python would complain at exit once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (OSError, ValueError, ModuleNotFoundError) as error:
        print(f"tsbn: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tsbn: stopped", file=sys.stderr)
        return STOPPED


def _run(name: str, args: list[str]) -> int:
    if name not in _names():
        raise UsageError(f"there is no command {name!r}: {nearest(name, _names())}")
    with needs("tyro", "cli", "the command line"):
        import tyro

        from tsbn.cli.config import Configurable, configured
        from tsbn.cli.parameters import check_words
    module = importlib.import_module(f"{commands.__name__}.{name}")
    prog, description = f"tsbn {name}", module.__doc__
    # What a file offers is one function, or several by name (`tsbn NAME SUBCOMMAND`), or a dataclass that is run.
    if isinstance(module.COMMAND, dict):
        if args and not args[0].startswith("-"):
            if args[0] not in module.COMMAND:
                raise UsageError(f"{prog} has no subcommand {args[0]!r}: {nearest(args[0], list(module.COMMAND))}")
            check_words(f"{prog} {args[0]}", module.COMMAND[args[0]], args[1:])
        code = tyro.extras.subcommand_cli_from_dict(module.COMMAND, prog=prog, description=description, args=args)
    else:
        check_words(prog, module.COMMAND, args)
        default = configured(module.COMMAND, args) if isinstance(module.COMMAND, type) else None
        found = tyro.cli(module.COMMAND, prog=prog, description=description, args=args, default=default)
        if isinstance(found, Configurable):
            found.keep_settings()
            found = found.run()
        code = found
    return code or 0


def _names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


def _overview() -> str:
    lines = ["usage: tsbn COMMAND ...", "", "commands:"]
    lines += [f"  {name:<12} {_summary(name)}" for name in _names()]
    lines += ["", "exit codes:", *(f"  {code:<12} {meaning}" for code, meaning in EXIT_CODES.items())]
    return "\n".join([*lines, "", "`tsbn COMMAND --help` says more, with examples."])


def _summary(name: str) -> str:
    """The first line of a command's file, read without importing it: some import much."""
    (folder,) = commands.__path__
    source = Path(folder, f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").split("\n")[0]
