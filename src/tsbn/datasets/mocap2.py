"""`mocap2`: subject 35 of the CMU database, walking and running."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from tsbn.data.download import RemoteFile, fetch
from tsbn.data.sequences import Sequences
from tsbn.datasets import cmu
from tsbn.datasets.figures import figure, motion_sequences
from tsbn.datasets.matlab import read_mat
from tsbn.datasets.registry import DataSet, Parts
from tsbn.motion import encode

_MAT = RemoteFile(
    "cmu/cmu35WalkJog.mat",
    "50db534501bdfb1611153e3b5d122fc08b0c42ea159e875d5656ec13fa11a353",
    (
        "https://raw.githubusercontent.com/SheffieldML/GPmat/"
        "c6181986088bf3c2fa5081de7504f3997d33963f/datasets/data/cmu35WalkJog.mat",
    ),
)
WALKS = (*range(1, 17), *range(28, 35))
RUNS = tuple(range(17, 27))
TEST = (18, 29)
_TRAIN = tuple(trial for trial in (*WALKS[:16], *RUNS, *WALKS[16:]) if trial not in TEST)
# The bones that move, in the order of the skeleton (which is that of the MATLAB file, not of the AMC files).
_LEG = {"femur": "rx ry rz", "tibia": "rx", "foot": "rx rz", "toes": "rx"}
_TRUNK = ("lowerback", "upperback", "thorax", "lowerneck", "upperneck", "head")
_ARM = {"clavicle": "ry rz", "humerus": "rx ry rz", "radius": "rx", "wrist": "ry"}
_HAND = {"hand": "rx rz", "fingers": "rx", "thumb": "rx rz"}
_BONES = (
    {"root": "tx ty tz rx ry rz"}
    | {side + bone: turns for side in "lr" for bone, turns in _LEG.items()}
    | dict.fromkeys(_TRUNK, "rx ry rz")
    | {side + bone: turns for side in "lr" for bone, turns in (_ARM | _HAND).items()}
)
CHANNELS = tuple(f"{bone}.{turn}" for bone, turns in _BONES.items() for turn in turns.split())


def load(
    layout: Literal["features", "mat"] = "features", fps: float = 30, rotation: Literal["exp", "6d"] = "exp"
) -> Parts:
    """31 training sequences (22 walks, 9 runs) and 2 for test (35_18, a run; 35_29, a walk).

    - ``layout="features"``: the features of `tsbn.motion.encode` at ``fps`` frames a second, low-pass
      filtered; `Parts.figure` makes motions of them again.
    - ``layout="mat"``: ``[time, 62]`` as in the MATLAB file, every fourth frame (30 a second) of the AMC
      files: place and turn of the root, then joint angles in degrees. Six channels never change but for
      rounding; `tsbn.data.Scaler` leaves them out.
    """
    if layout == "mat":
        if (fps, rotation) != (30, "exp"):
            raise ValueError("layout 'mat' is as its file is: fps and rotation go with layout 'features'")
        (path,) = fetch([_MAT])
        train, train_rows, test, test_rows = read_mat(path, "Y", "lbls", "Ytest", "lblstest")
        return Parts(_labelled(train, train_rows, _TRAIN), test=_labelled(test, test_rows, TEST))
    if layout != "features":
        raise ValueError(f"layout is {layout!r}: expected 'features' or 'mat'")
    motions = cmu.subject_motions(35, (*_TRAIN, *TEST), fps)
    features = [encode(motion, rotation) for motion in motions]
    data = motion_sequences(features, **_names((*_TRAIN, *TEST)))
    return Parts(data[: len(_TRAIN)], test=data[len(_TRAIN) :], figure=figure(features[0]))


def _labelled(frames: np.ndarray, rows: np.ndarray, trials: Sequence[int]) -> Sequences:
    """Sequences from all frames ``[frames, 62]`` and one-hot rows ``[frames, trials]`` that tell whose."""
    names = _names(trials)
    return Sequences(
        [frames[rows[:, i] == 1] for i in range(rows.shape[1])],
        frame_rate=30,
        channel_names=CHANNELS,
        side=names.pop("styles"),
        **names,
    )


def _names(trials: Sequence[int]) -> dict[str, list[str]]:
    return {
        "names": [f"35_{trial:02d}" for trial in trials],
        "styles": ["run" if trial in RUNS else "walk" for trial in trials],
        "label_names": ["walk", "run"],
    }


DATASET = DataSet(
    name="mocap2",
    summary="CMU subject 35, walking and running: 33 trials, 31 for training and 2 for test",
    home=f"{cmu.HOME}/search.php?subjectnumber=35",
    terms=cmu.TERMS,
    citation=cmu.CITATION,
    load=load,
    files=(_MAT, *cmu.subject_files(35)),
    notes="The MATLAB file is the copy that GPmat distributes.",
)
