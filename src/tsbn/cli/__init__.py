"""The command line ``tsbn``: thin over the library, one file for each command in `tsbn.cli.commands`.

Exit codes: 0 done; 1 it could not be done, the reason is on standard error; 2 the command was not understood.
"""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tsbn.cli import commands
from tsbn.data.extras import needs
from tsbn.data.nearest import nearest


class UsageError(Exception):
    """The command was not understood; says why and what would be."""


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    >>> main(["--help"])  # doctest: +ELLIPSIS
    usage: tsbn COMMAND ...
    """
    args = list(sys.argv[1:] if args is None else args)
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
        return 130


def _run(name: str, args: list[str]) -> int:
    if name not in _names():
        raise UsageError(f"there is no command {name!r}: {nearest(name, _names())}")
    with needs("tyro", "cli", "the command line"):
        import tyro
    module = importlib.import_module(f"{commands.__name__}.{name}")
    prog, description = f"tsbn {name}", module.__doc__
    # What a file offers is one function, or several by name (`tsbn NAME SUBCOMMAND`), or a dataclass that is run.
    if isinstance(module.COMMAND, dict):
        if args and not args[0].startswith("-") and args[0] not in module.COMMAND:
            raise UsageError(f"{prog} has no subcommand {args[0]!r}: {nearest(args[0], list(module.COMMAND))}")
        code = tyro.extras.subcommand_cli_from_dict(module.COMMAND, prog=prog, description=description, args=args)
    elif isinstance(module.COMMAND, type):
        from tsbn.cli.config import configured

        code = tyro.cli(
            module.COMMAND, prog=prog, description=description, args=args, default=configured(module.COMMAND, args)
        ).run()
    else:
        code = tyro.cli(module.COMMAND, prog=prog, description=description, args=args)
    return code or 0


def _names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


def _overview() -> str:
    lines = ["usage: tsbn COMMAND ...", "", "commands:"]
    lines += [f"  {name:<12} {_summary(name)}" for name in _names()]
    return "\n".join([*lines, "", "`tsbn COMMAND --help` says more, with examples."])


def _summary(name: str) -> str:
    """The first line of a command's file, read without importing it: some import much."""
    (folder,) = commands.__path__
    source = Path(folder, f"{name}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").split("\n")[0]
