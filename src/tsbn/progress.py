"""Bars that show how far long work has come, to people only."""

from __future__ import annotations

from rich.console import Console
from rich.progress import Progress, ProgressColumn

_console = Console(stderr=True)
"""All bars share it, so that those of work within other work stand below each other."""
_started: list[Progress] = []


class Bars(Progress):
    """Bars that leave no trace where they stood below others."""

    def start(self) -> None:
        if not self.disable:
            self.live.transient = bool(_started)
            _started.append(self)
        super().start()

    def stop(self) -> None:
        super().stop()
        if self in _started:
            _started.remove(self)


def bars(*columns: ProgressColumn | str, show: bool | None = None, recent: float = 30.0) -> Progress:
    """Bars on standard error; unless told, only if that is a terminal.

    The time left is told by the pace of the `recent` seconds, in which there must have been some progress.

    >>> with bars("{task.description}") as progress:
    ...     task = progress.add_task("counting", total=3)
    ...     progress.advance(task)
    """
    hidden = not _console.is_terminal if show is None else not show
    return Bars(*columns, console=_console, disable=hidden, speed_estimate_period=recent)
