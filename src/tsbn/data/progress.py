"""Bars that show how far long work has come, to people only."""

from __future__ import annotations

from rich.console import Console
from rich.progress import Progress, ProgressColumn


def bars(*columns: ProgressColumn | str, show: bool | None = None) -> Progress:
    """Bars on standard error; unless told, only if that is a terminal.

    >>> with bars("{task.description}") as progress:
    ...     task = progress.add_task("counting", total=3)
    ...     progress.advance(task)
    """
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal if show is None else not show)
