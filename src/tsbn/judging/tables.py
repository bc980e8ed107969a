"""Tables of figures, for a terminal or as Markdown."""

from collections.abc import Sequence
from copy import copy
from io import StringIO

from rich import box
from rich.console import Console
from rich.table import Table


def figures_table(first: str, columns: Sequence[str]) -> Table:
    """An empty table with a column of names and columns of figures."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column(first)
    for name in columns:
        table.add_column(name, justify="left" if name == "remarks" else "right")
    return table


def plain(value: float | None) -> str:
    """A figure as it stands in a table.

    >>> plain(0.9949), plain(None)
    ('0.99', '-')
    """
    return "-" if value is None else f"{value:.2f}"


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
    table.box = box.MARKDOWN
    console = Console(file=StringIO(), width=10_000)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line for line in captured.get().splitlines() if line.strip())
