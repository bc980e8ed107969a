"""An answer to a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


def nearest(name: str, known: Sequence[str]) -> str:
    """A sentence that names the nearest known name, or all of them.

    >>> nearest("wether", ["weather", "books"])
    "did you mean 'weather'?"
    """
    spelled = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), spelled, n=1)
    return f"did you mean {spelled[close[0]]!r}?" if close else f"known are {', '.join(known)}"
