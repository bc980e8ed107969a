"""Make new sequences that follow a style path, or other side information: a video, a page, BVH, or a table.

Examples:
  tsbn generate walk.tsbn --path "normal:120 > drunk:200" -o out.mp4
  tsbn generate walk.tsbn --path "cat:90 >30> cat+strong:180" -o out.html    a page that plays in 3-D
  tsbn generate walk.tsbn --path "normal:300" -o out.bvh                     for animation programs
  tsbn generate walk.tsbn --path "normal:120 | old man:120" --num 3 -o out.gif
  tsbn generate walk.tsbn --path "normal:1000" --num 100 -o out.npz          or .csv
  tsbn generate music.tsbn --length 200 -o out.csv                           a model without side information
  tsbn generate place.tsbn --side 0.3,-0.5 --length 144 -o out.csv           side information in numbers
  tsbn generate place.tsbn --side journey.csv -o out.csv                     a row of them for every frame
  tsbn generate --config run.toml --seed 2 -o second.mp4                     settings kept by --save-config

A path holds styles for some frames; `>` slides to the next one over 60 frames, `>30>` over 30, `|` cuts, and
`0.3*cat+0.7*strong` blends. Everything is made from the one model file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tsbn.cli import UsageError
from tsbn.cli.arguments import Flag, ModelFile, Observation, Output, check_output, chosen, load_prepared, print_json
from tsbn.cli.config import Configurable
from tsbn.cli.steering import Steering, frames_of, side_of, steering, told
from tsbn.cli.tables import write_columns
from tsbn.data import Sequences, save_npz, to_columns
from tsbn.motion import write_bvh
from tsbn.preparation import Preparation, follow
from tsbn.styles import Path as StylePath

MOTIONS, TABLES = (".mp4", ".gif", ".html", ".bvh"), (".npz", ".csv")


@dataclass(frozen=True)
class Generate(Configurable):
    """Make new sequences."""

    file: ModelFile = ""
    """A model file."""
    output: Output = None
    """The file to write; its ending says what: .mp4, .gif, .html, .bvh, .npz or .csv."""
    path: str = ""
    """The style path to follow, such as "normal:120 > drunk:200"."""
    side: str = ""
    """Side information that is no styles: numbers such as 0.3,0.1, or a .csv or .npz file with a row for each frame."""
    length: int | None = None
    """How many frames, where neither a path nor a file says so."""
    num: int = 1
    """How many sequences; videos and pages show them side by side."""
    observation: Observation = "auto"
    """Draw each frame, take its mean given the drawn hidden units, or given their chances (expected, the smoothest);
    auto is expected for motions and sample for other data."""
    temperature: float = 1.0
    """Below 1 the hidden units keep closer to their most probable state; 1 is the model itself."""
    seed: int = 0
    """The same seed gives the same sequences."""
    json: Flag = False
    """Print what was made as JSON."""

    def run(self) -> None:
        """Load, make, write, tell."""
        output = check_output(self.output, (*MOTIONS, *TABLES), self.overwrite)
        model, preparation = load_prepared(self.file)
        kind, num = output.suffix.lower(), self.num
        if kind in MOTIONS and preparation.figure is None:
            raise UsageError(f"{self.file} was not trained on motions: write {' or '.join(TABLES)}")
        if num < 1 or (num > 1 and kind == ".bvh"):
            raise UsageError(f"--num is {num}, expected {'1 for a .bvh file' if num > 0 else 'at least 1'}")
        asked = steering(model, self.path, self.side, self.length)
        choices = chosen(self.observation, self.temperature, preparation)
        drawn = [follow(model, asked, seed=self.seed + n, choices=choices) for n in range(num)]
        if kind in MOTIONS:
            _write_motions(preparation, drawn, asked, output, self.overwrite)
        else:
            side = side_of(asked, model.side_)
            data = Sequences(
                [preparation.restore(array) for array in drawn],
                None if side is None else [side] * num,
                frame_rate=preparation.frame_rate,
                channel_names=preparation.channel_names,
                label_names=None if side is None else model.side_.label_names,
            )
            _write_table(data, output, self.overwrite)
        if self.json:
            print_json({"file": str(output), "sequences": num, "frames": frames_of(asked), "asked": told(asked)})
        else:
            print(f"{output}: {num} x {told(asked)}" if num > 1 else f"{output}: {told(asked)}")


def _write_motions(
    preparation: Preparation, drawn: list[np.ndarray], asked: Steering, output: Path, overwrite: bool
) -> None:
    motions = [preparation.motion(array) for array in drawn]
    if output.suffix.lower() == ".bvh":
        write_bvh(motions[0], output, overwrite=overwrite)
        return
    from tsbn import view

    styles = asked if isinstance(asked, StylePath) else None
    up = preparation.figure.up if preparation.figure else "y"
    takes = [view.take(motion, up=up, styles=styles) for motion in motions]
    if output.suffix.lower() == ".html":
        view.write_page(takes, output, title=told(asked), overwrite=overwrite)
    else:
        view.write_video(takes, output, overwrite=overwrite)


def _write_table(data: Sequences, output: Path, overwrite: bool) -> None:
    if output.suffix.lower() == ".npz":
        save_npz(output, data, overwrite=overwrite)
    else:
        write_columns(to_columns(data), output, overwrite)


COMMAND = Generate
