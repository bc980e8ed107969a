"""Make new sequences that follow a style path: a video, a page, BVH, or a table.

Examples:
  tsbn generate walk.tsbn --path "normal:120 > drunk:200" -o out.mp4
  tsbn generate walk.tsbn --path "cat:90 >30> cat+strong:180" -o out.html    a page that plays in 3-D
  tsbn generate walk.tsbn --path "normal:300" -o out.bvh                     for animation programs
  tsbn generate walk.tsbn --path "normal:120 | old man:120" --num 3 -o out.gif
  tsbn generate walk.tsbn --path "normal:1000" --num 100 -o out.npz          or .csv
  tsbn generate music.tsbn --frames 200 -o out.csv                           a model without styles

A path holds styles for some frames; `>` slides to the next one over 60 frames, `>30>` over 30, `|` cuts, and
`0.3*cat+0.7*strong` blends. Everything is made from the one model file.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal

import numpy as np

from tsbn.atomic import new_file
from tsbn.choices import Choices
from tsbn.cli import UsageError
from tsbn.cli.arguments import Flag, ModelFile, Output, check_output, load_prepared, style_path
from tsbn.data import Sequences, save_npz, to_columns
from tsbn.motion import write_bvh
from tsbn.preparation import Preparation, follow
from tsbn.styles import Path as StylePath

MOTIONS, TABLES = (".mp4", ".gif", ".html", ".bvh"), (".npz", ".csv")


def generate(
    file: ModelFile,
    /,
    output: Output,
    path: str = "",
    frames: int = 0,
    num: int = 1,
    observation: Literal["sample", "mean", "expected"] | None = None,
    temperature: float = 1.0,
    seed: int = 0,
    overwrite: Flag = False,
) -> None:
    """Make new sequences.

    Args:
        file: A model file.
        output: The file to write; its ending says what: .mp4, .gif, .html, .bvh, .npz or .csv.
        path: The style path to follow, such as "normal:120 > drunk:200".
        frames: How many frames, for a model without styles.
        num: How many sequences; videos and pages show them side by side.
        observation: Draw each frame, take its mean given the drawn hidden units, or given their chances (smoothest);
            by default motions are expected, other data drawn.
        temperature: Below 1 the hidden units keep closer to their most probable state; 1 is the model itself.
        seed: The same seed gives the same sequences.
        overwrite: Replace an existing file.
    """
    check_output(output, (*MOTIONS, *TABLES), overwrite)
    model, preparation = load_prepared(file)
    kind = output.suffix.lower()
    if kind in MOTIONS and preparation.figure is None:
        raise UsageError(f"{file} was not trained on motions: write {' or '.join(TABLES)}")
    if num < 1 or (num > 1 and kind == ".bvh"):
        raise UsageError(f"--num is {num}, expected {'1 for a .bvh file' if num > 0 else 'at least 1'}")
    followed = style_path(model, path, frames)
    choices = Choices(observation or ("expected" if preparation.figure else "sample"), temperature)
    drawn = [follow(model, followed, seed=seed + n, choices=choices) for n in range(num)]
    if kind in MOTIONS:
        _write_motions(preparation, drawn, followed, output, overwrite)
    else:
        labels = [str(label) for label in model.side_.labels]
        side = [followed.side(labels)] * num if isinstance(followed, StylePath) else None
        data = Sequences(
            [preparation.restore(array) for array in drawn],
            side,
            frame_rate=preparation.frame_rate,
            channel_names=preparation.channel_names,
            label_names=labels if side else None,
        )
        _write_table(data, output, overwrite)
    told = str(followed) if isinstance(followed, StylePath) else f"{followed} frames"
    print(f"{output}: {num} x {told}" if num > 1 else f"{output}: {told}")


def _write_motions(
    preparation: Preparation, drawn: list[np.ndarray], path: StylePath | int, output: Path, overwrite: bool
) -> None:
    motions = [preparation.motion(array) for array in drawn]
    if output.suffix.lower() == ".bvh":
        write_bvh(motions[0], output, overwrite=overwrite)
        return
    from tsbn import view

    styles = path if isinstance(path, StylePath) else None
    up = preparation.figure.up if preparation.figure else "y"
    takes = [view.take(motion, up=up, styles=styles) for motion in motions]
    if output.suffix.lower() == ".html":
        view.write_page(takes, output, title=str(path), overwrite=overwrite)
    else:
        view.write_video(takes, output, overwrite=overwrite)


def _write_table(data: Sequences, output: Path, overwrite: bool) -> None:
    if output.suffix.lower() == ".npz":
        save_npz(output, data, overwrite=overwrite)
        return
    columns = to_columns(data)
    with new_file(output, overwrite=overwrite) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


COMMAND = generate
