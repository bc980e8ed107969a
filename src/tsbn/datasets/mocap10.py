"""`mocap10`: subject 137 of the CMU database, walking in ten styles."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tsbn.data.splits import split_by_time
from tsbn.datasets import cmu
from tsbn.datasets.figures import figure, motion_sequences
from tsbn.datasets.registry import DataSet, Parts
from tsbn.motion import Motion, encode

TRIALS = {
    "cat": 4,
    "chicken": 8,
    "dinosaur": 12,
    "drunk": 16,
    "gangly": 20,
    "graceful": 24,
    "normal": 29,
    "old man": 33,
    "sexy": 38,
    "strong": 42,
}


def load(
    fps: float = 60,
    moving: int | None = None,
    test: float = 0.1,
    rotation: Literal["exp", "6d"] = "exp",
) -> Parts:
    """A sequence of features for each of ten styles (see `tsbn.motion.encode`), and the figure that walks.

    - ``fps``: frames a second, low-pass filtered from 120;
    - ``moving``: only so many consecutive frames of each, those that cover the greatest distance on the
      ground: the clips begin and end standing still (500 fit all of them at 60 frames a second);
    - ``test``: this share of the frames of each, from its end, is for test (0: none).
    """
    if not 0 <= test < 1:
        raise ValueError(f"test is {test}: expected a share of the frames, from 0 to less than 1")
    motions = cmu.subject_motions(137, TRIALS.values(), fps)
    if moving is not None:
        motions = [furthest(motion, moving) for motion in motions]
    features = [encode(motion, rotation) for motion in motions]
    data = motion_sequences(features, list(TRIALS), list(TRIALS), list(TRIALS))
    train, held_out = split_by_time(data, 1 - test) if test else (data, None)
    return Parts(train, test=held_out, figure=figure(features[0]))


def furthest(motion: Motion, frames: int) -> Motion:
    """The consecutive frames in which the root goes furthest over the ground, measured along its way."""
    if not 2 <= frames <= motion.frames:
        raise ValueError(f"{frames} frames are asked for: expected 2 to {motion.frames}, as many as there are")
    steps = np.linalg.norm(np.diff(motion.translation[:, [0, 2]], axis=0), axis=1)
    way = np.concatenate([[0.0], np.cumsum(steps)])
    first = int(np.argmax(way[frames - 1 :] - way[: len(way) - frames + 1]))
    return motion[first : first + frames]


DATASET = DataSet(
    name="mocap10",
    summary="CMU subject 137, ten styles of walking, one sequence each",
    home=f"{cmu.HOME}/search.php?subjectnumber=137",
    terms=cmu.TERMS,
    citation=cmu.CITATION,
    load=load,
    files=cmu.subject_files(137),
)
