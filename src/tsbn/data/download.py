"""Files of data sets: read from a folder of the user, or fetched into a cache and verified before use.

With the environment variable ``TSBN_DATA`` set, files are read from that folder and nothing is fetched.
Otherwise they are fetched into the user's cache (or the folder in ``TSBN_CACHE``).
"""

from __future__ import annotations

import hashlib
import os
import tarfile
import time
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from tsbn.atomic import new_file
from tsbn.data.extras import needs
from tsbn.progress import bars

State = Literal["ok", "changed", "damaged", "missing"]


class DownloadError(OSError):
    """A file of a data set could not be had; says which, from where, and why."""


@dataclass(frozen=True)
class RemoteFile:
    """A file with a home on the net.

    - `path`: where it lies in the data folder, with forward slashes;
    - `sha256`: its checksum;
    - `urls`: its homes, in the order in which to try them;
    - `member`: if the homes are archives (zip or tar), the file in them that is meant, by the end of its
      name.
    """

    path: str
    sha256: str
    urls: tuple[str, ...]
    member: str | None = None


def data_folder() -> Path | None:
    """The folder that ``TSBN_DATA`` names, or None if it is not set."""
    named = os.environ.get("TSBN_DATA")
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise NotADirectoryError(
            f"TSBN_DATA is {named!r}, which is not a folder: set it to one, or unset it to download"
        )
    return folder


def cache_folder() -> Path:
    """Where fetched files are kept: ``TSBN_CACHE`` if set, otherwise the user's cache folder."""
    if named := os.environ.get("TSBN_CACHE"):
        return Path(named).expanduser()
    return Path(_pooch().os_cache("tsbn"))


def find(file: RemoteFile) -> Path:
    """Where the file is, or would be once fetched."""
    return (data_folder() or cache_folder()) / file.path


def check(file: RemoteFile) -> State:
    """Whether the file is there with its checksum; ``"changed"`` is another one that the user accepted."""
    path = find(file)
    if not path.is_file():
        return "missing"
    found = _sha256(path)
    if found == file.sha256:
        return "ok"
    accepted = _accepted(path)
    return "changed" if accepted.is_file() and accepted.read_text().strip() == found else "damaged"


def fetch(files: Iterable[RemoteFile], *, accept_changed: bool = False, progress: bool | None = None) -> list[Path]:
    """The files, on disk and verified; those that are not are fetched first.

    ``accept_changed`` keeps a file whose checksum differs from the one on record: homes revise their files
    now and then. ``progress`` shows a bar for each file on standard error; unless given, if that is a
    terminal.
    """
    if folder := data_folder():
        return [_in_folder(folder, file) for file in files]
    wanted = [(file, check(file)) for file in files]
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with bars(*columns, show=progress) as shown:
        for file, state in wanted:
            if state in ("missing", "damaged"):
                _fetch_one(file, shown, accept_changed)
    return [find(file) for file, _ in wanted]


def _in_folder(folder: Path, file: RemoteFile) -> Path:
    path = folder / file.path
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} does not exist, and TSBN_DATA names {folder} as the data folder: "
            f"put the file there, or unset TSBN_DATA to fetch {file.urls[0]}"
        )
    return path


def _fetch_one(file: RemoteFile, shown: Progress, accept_changed: bool) -> None:
    problems: list[str] = []
    # A changed file is taken only when no home has the right one.
    for accept in (False, True) if accept_changed else (False,):
        problems = []
        for url in file.urls:
            try:
                _fetch_from(url, file, shown, accept)
                return
            except DownloadError as error:
                problems.append(str(error))
    raise DownloadError(f"{file.path} could not be fetched: " + "; ".join(problems))


def _fetch_from(url: str, file: RemoteFile, shown: Progress, accept_changed: bool) -> None:
    path = find(file)
    _remove_leftovers(path)
    with new_file(path, overwrite=True) as temporary:
        _download(url, temporary, shown, path.name)
        if file.member is not None:
            _extract(url, temporary, file.member)
        found = _sha256(temporary)
        if found != file.sha256 and not accept_changed:
            raise DownloadError(
                f"{url} has SHA-256 {found}, expected {file.sha256}: the file was not kept "
                "(if its home has revised it: tsbn data fetch NAME --accept-changed)"
            )
        if found != file.sha256:
            with new_file(_accepted(path), overwrite=True) as note:
                note.write_text(found + "\n")


def _download(url: str, target: Path, shown: Progress, label: str) -> None:
    with needs("pooch", "data", "fetching data sets"):
        import requests
    download = _pooch().HTTPDownloader(progressbar=_Bar(shown, label), chunk_size=1 << 16, timeout=30)
    try:
        download(url, str(target), None)
    except requests.HTTPError as error:
        raise DownloadError(f"{url} is not to be had ({error})") from None
    except (requests.ConnectTimeout, requests.ConnectionError) as error:
        raise DownloadError(f"{url} could not be reached, is there a network? ({_cause(error)})") from None
    except requests.RequestException as error:
        raise DownloadError(f"{url} broke off before the file was complete ({_cause(error)})") from None


def _extract(url: str, archive: Path, member: str) -> None:
    """Puts a member of the archive in the archive's place."""
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                content = opened.read(_ending_with(member, opened.namelist()))
        else:
            with tarfile.open(archive) as opened:
                stream = opened.extractfile(_ending_with(member, opened.getnames()))
                content = stream.read() if stream else b""
    except (KeyError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise DownloadError(f"{url} is not an archive with {member} in it ({error})") from None
    archive.write_bytes(content)


def _ending_with(member: str, names: list[str]) -> str:
    """The member's full name: the folder it lies in often carries a version."""
    return next((name for name in names if f"/{name}".endswith(f"/{member}")), member)


def _cause(error: BaseException) -> str:
    """The innermost reason: network errors arrive wrapped in three others."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return str(error) or type(error).__name__


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _remove_leftovers(path: Path) -> None:
    """Half files of killed processes; a day old, so that no other process is still at work on them."""
    for half in path.parent.glob(f".{path.name}.*"):
        if time.time() - half.stat().st_mtime > 24 * 3600:
            half.unlink(missing_ok=True)


def _accepted(path: Path) -> Path:
    return path.with_name(path.name + ".accepted")


class _Bar:
    """One file's bar, as the downloader wants it: it sets `total`, and calls the rest."""

    def __init__(self, shown: Progress, label: str) -> None:
        self._shown, self._task = shown, shown.add_task(label, total=None)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "total":
            self._shown.update(self._task, total=value or None)
        else:
            object.__setattr__(self, name, value)

    def update(self, size: int) -> None:
        self._shown.advance(self._task, size)

    def reset(self) -> None:
        self._shown.reset(self._task)

    def close(self) -> None:
        """The bars close together, when all files are there."""


def _pooch() -> Any:
    with needs("pooch", "data", "fetching data sets"):
        import pooch
    return pooch
