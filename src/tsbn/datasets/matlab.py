"""MATLAB files: their variables, and cell arrays as lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tsbn.data.extras import needs


def read_mat(path: Path, *names: str) -> tuple[np.ndarray, ...]:
    """The named variables of a MATLAB 5 file."""
    with needs("scipy", "data", "reading MATLAB files"):
        import scipy.io
    try:
        found: dict[str, Any] = scipy.io.loadmat(path)
    except (ValueError, TypeError, NotImplementedError, OSError) as error:
        raise ValueError(f"{path}: not a MATLAB 5 file ({error})") from None
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(f"{path}: no variable {missing[0]!r}, it has {[k for k in found if not k.startswith('__')]}")
    return tuple(found[name] for name in names)


def cells(cell_array: np.ndarray) -> list[np.ndarray]:
    """The arrays in a cell array, in order."""
    return list(cell_array.ravel())
