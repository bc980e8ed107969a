"""`walker`: a procedural human walking in ten styles (no download)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tsbn.datasets.figures import figure, motion_sequences
from tsbn.datasets.registry import DataSet, Parts
from tsbn.motion import STYLES, encode, walker


def load(
    styles: Sequence[str] | None = None,
    walkers: int = 1,
    test: int = 1,
    frames: int = 600,
    fps: float = 30,
    rotation: Literal["exp", "6d"] = "exp",
    seed: int = 0,
) -> Parts:
    """Features of walks (see `tsbn.motion.encode`), the same for the same seed, and the figure that walks.

    - ``styles``: which of the ten (None: all);
    - ``walkers``: how many people walk in each style for training, and ``test`` how many others for test.
    """
    styles = list(STYLES) if styles is None else list(styles)
    if walkers < 1 or test < 0 or not styles:
        raise ValueError(f"walkers is {walkers}, test is {test}, styles are {styles}: expected one or more to train on")
    people = [(style, seed + person) for person in range(walkers + test) for style in styles]
    features = [encode(walker(style, frames, fps, one), rotation) for style, one in people]
    names = [f"{style} {one}" for style, one in people]
    data = motion_sequences(features, names, [style for style, _ in people], styles)
    training = walkers * len(styles)
    return Parts(data[:training], test=data[training:] if test else None, figure=figure(features[0]))


DATASET = DataSet(
    name="walker",
    summary="a procedural human walking in ten styles, any number of frames (no download)",
    home="built in",
    terms="Made by this library: free for all uses.",
    citation="",
    load=load,
)
