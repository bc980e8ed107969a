"""A folder of the user's own motion files as a training set."""

from __future__ import annotations

import os
from typing import Any

from tsbn.datasets.figures import figure, motion_sequences
from tsbn.datasets.registry import Parts
from tsbn.motion import read_motion_folder


def load_motion(folder: str | os.PathLike[str], **options: Any) -> Parts:
    """A folder of BVH or AMC files as a training set: `train`, labelled by style, and `figure`.

    The style of a file is the name of its sub-folder, or what a CSV file says (``styles="styles.csv"``,
    with a file and its style in every line). The options are those of `tsbn.motion.read_motion_folder`:
    ``frame_rate`` to resample to, ``rotation``, ``up``, ``skip``. Files with different skeletons are
    refused.

    >>> data = load_motion("walks/", frame_rate=30)  # doctest: +SKIP
    """
    found = read_motion_folder(folder, **options)
    return Parts(motion_sequences(found.features, found.names, found.styles), figure=figure(found.features[0]))
