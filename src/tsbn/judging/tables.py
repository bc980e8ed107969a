"""Tables of figures, for a terminal or as Markdown."""

import math
from collections.abc import Sequence
from copy import copy
from io import StringIO
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table


def figures_table(first: str, columns: Sequence[str]) -> Table:
    """An empty table with a column of names and columns of figures."""
    # Narrow enough for a terminal of 80 columns: only what is said in words may be wrapped.
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column(first, no_wrap=True)
    for name in columns:
        words = name == "remarks"
        table.add_column(name, justify="left" if words else "right", no_wrap=not words)
    return table


def plain(value: float | None) -> str:
    """A figure as it stands in a table.

    >>> plain(0.9949), plain(None)
    ('0.99', '-')
    """
    return "-" if value is None else f"{value:.2f}"


def with_real(value: float | None, real: float | None) -> str:
    """A figure, and in brackets that of real motion.

    >>> with_real(0.5, 1.0)
    '0.50 (1.00)'
    """
    return plain(value) if real is None else f"{plain(value)} ({plain(real)})"


def finite(value: Any) -> Any:
    """The same plain values, with None for numbers that are infinite or none: JSON has no other word for them.

    >>> finite({"a": [1.0, float("inf")]})
    {'a': [1.0, None]}
    """
    if isinstance(value, dict):
        return {name: finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def markdown(table: Table) -> str:
    """A table as Markdown.

    >>> table = figures_table("style", ["speed"])
    >>> table.add_row("cat", plain(1.0))
    >>> print(markdown(table))
    | style | speed |
    |-------|-------|
    | cat   |  1.00 |
    """
    # The table itself stays as it is.
    table = copy(table)
    table.box, table.show_edge, table.padding = box.MARKDOWN, True, (0, 1)
    console = Console(file=StringIO(), width=10_000)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line for line in captured.get().splitlines() if line.strip())
