"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def new_file(path: str | os.PathLike, *, overwrite: bool = False) -> Iterator[Path]:
    """A temporary path that takes the place of ``path`` if the block ends well, and is removed if not.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with new_file(Path(folder) / "a.txt") as temporary:
    ...         _ = temporary.write_text("whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    path = Path(path)
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists already; pass overwrite=True to replace it")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, expected the name of a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # Temporary files are private; this one becomes as readable as the user's other files.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        _on_disk(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _on_disk(path: Path) -> None:
    """Wait until what was written is on the disk: a power cut after the renaming would else leave an empty file."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
