"""A folder of motion files becomes a set of motions with styles."""

import csv
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tsbn.motion.amc import read_amc
from tsbn.motion.asf import read_asf
from tsbn.motion.bvh import read_bvh
from tsbn.motion.features import Features, encode
from tsbn.motion.resample import resample
from tsbn.motion.skeleton import Motion

MOST_TOLD = 20


@dataclass(frozen=True, eq=False)
class MotionFolder:
    """The files of a folder in the order of their names: what they are called, show, and are to a model.

    styles: one per file, None where none is known.
    """

    names: tuple[str, ...]
    styles: tuple[str | None, ...]
    motions: tuple[Motion, ...]
    features: tuple[Features, ...]


def read_motion_folder(
    folder: str | os.PathLike[str],
    *,
    styles: str | os.PathLike[str] | None = None,
    frame_rate: int | float | None = None,
    amc_frame_rate: int | float = 120.0,
    rotation: str = "exp",
    up: str = "y",
    skip: int = 0,
) -> MotionFolder:
    """Reads all BVH and AMC files below a folder, which must share one skeleton.

    styles: a CSV file whose first column names files (with or without folder and ending) and whose second
    column names their style; only listed files are read. Without it the style is the sub-folder's name.
    frame_rate: resample to this rate. skip: frames to leave out at the start, such as a T-pose.

    >>> walks = read_motion_folder("walks/", frame_rate=30)  # doctest: +SKIP
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise NotADirectoryError(f"folder {str(folder)!r} is not a directory")
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in (".bvh", ".amc"))
    if not files:
        raise FileNotFoundError(f"folder {str(folder)!r} holds no .bvh or .amc files")
    chosen = _styles_by_folder(files, folder) if styles is None else _styles_by_csv(files, folder, Path(styles))
    asf_at = cache(read_asf)
    motions = []
    for path in chosen:
        if path.suffix.lower() == ".bvh":
            motion = read_bvh(path).rigid()
        else:
            motion = read_amc(asf_at(_asf_for(path, folder)), path, amc_frame_rate)
        if motion.frames - skip < 2:
            raise ValueError(f"{path} has {motion.frames} frames, expected at least {skip + 2}")
        motions.append(motion[skip:])
    names = tuple(path.relative_to(folder).with_suffix("").as_posix() for path in chosen)
    _check_same_skeleton(list(chosen), motions)
    if frame_rate is not None:
        motions = [resample(motion, frame_rate) for motion in motions]
    features = tuple(encode(motion, rotation, up) for motion in motions)
    return MotionFolder(names, tuple(chosen.values()), tuple(motions), features)


def _styles_by_folder(files: list[Path], folder: Path) -> dict[Path, str | None]:
    return {path: None if path.parent == folder else path.parent.name for path in files}


def _styles_by_csv(files: list[Path], folder: Path, table: Path) -> dict[Path, str | None]:
    by_name: dict[str, list[Path]] = {}
    for path in files:
        inside = path.relative_to(folder)
        for name in {inside.as_posix(), inside.with_suffix("").as_posix(), path.name, path.stem}:
            by_name.setdefault(name, []).append(path)
    chosen: dict[Path, str | None] = {}
    with table.open(newline="", encoding="utf-8-sig") as file:
        for line, row in enumerate(csv.reader(file), start=1):
            if not any(cell.strip() for cell in row):
                continue
            if len(row) < 2:
                raise ValueError(f"{table}, line {line}: {row[0]!r}, expected a file and its style")
            name, style = row[0].strip(), row[1].strip()
            found = by_name.get(name, [])
            if line == 1 and not found:
                continue  # a heading
            if len(found) != 1:
                told = "no such file" if not found else f"{len(found)} files are called that"
                raise ValueError(f"{table}, line {line}: {name!r}: {told} in {folder}")
            chosen[found[0]] = style or None
    if not chosen:
        raise ValueError(f"{table} names no file in {folder}")
    return dict(sorted(chosen.items()))


def _asf_for(path: Path, folder: Path) -> Path:
    """The skeleton next to a motion or above it: the only one, or the one whose name begins the motion's."""
    for place in path.parents:
        found = sorted(file for file in place.iterdir() if file.suffix.lower() == ".asf")
        fitting = [file for file in found if path.stem.startswith(file.stem)] or found
        if len(fitting) > 1:
            longest = max(len(file.stem) for file in fitting)
            fitting = [file for file in fitting if len(file.stem) == longest and path.stem.startswith(file.stem)]
        if len(fitting) == 1:
            return fitting[0]
        if found:
            told = ", ".join(file.name for file in found)
            raise FileNotFoundError(f"{path}: which of the skeletons {told} is its own? None has its name")
        if place == folder:
            break
    raise FileNotFoundError(f"{path}: no .asf file next to it, which an AMC file needs for its skeleton")


def _check_same_skeleton(paths: list[Path], motions: list[Motion]) -> None:
    problems = []
    for path, motion in zip(paths[1:], motions[1:], strict=True):
        found = motions[0].skeleton.differences(motion.skeleton)
        if found:
            more = f" and {len(found) - 3} more" if len(found) > 3 else ""
            problems.append(f"  {path}: {'; '.join(found[:3])}{more}")
    if problems:
        told = "\n".join(problems[:MOST_TOLD])
        more = f"\n  and {len(problems) - MOST_TOLD} more files" if len(problems) > MOST_TOLD else ""
        raise ValueError(f"{len(problems)} files have another skeleton than {paths[0]}:\n{told}{more}")
