"""Optional libraries: one sentence that says what to install, where an import would have failed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(library: str, extra: str, purpose: str) -> Iterator[None]:
    """Imports of an optional library: if it is not there, the error says what needs it and how to get it.

    >>> with needs("math", "data", "counting"):
    ...     import math
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{purpose} needs {library}, which is not installed: pip install 'tsbn[{extra}]'", name=error.name
        ) from error
