"""Motions as sequences of features, and the figure that makes motions of sequences again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from tsbn.data.sequences import Sequences
from tsbn.motion import Features, Motion, Skeleton, Start, decode


@dataclass(frozen=True, eq=False)
class Figure:
    """Who moves in a data set of motions: all that it takes to make a motion of an array of its features."""

    skeleton: Skeleton
    frame_rate: float
    rotation: str = "exp"
    up: str = "y"

    def motion(self, array: Float[np.ndarray, "time channels"], start: Start | None = None) -> Motion:
        """The motion that the features tell; without `start` it begins at the origin, facing forward.

        >>> from tsbn import datasets
        >>> parts = datasets.load("walker", styles=["normal"], frames=60)
        >>> parts.figure.motion(parts.train[0]).translation.shape
        (60, 3)
        """
        return decode(array, self.skeleton, self.frame_rate, self.rotation, self.up, start)


def motion_sequences(
    features: Sequence[Features],
    names: Iterable[str],
    styles: Iterable[str | None],
    label_names: Sequence[str] | None = None,
) -> Sequences:
    """Features of motions, which must share a skeleton and a frame rate, labelled by style."""
    rates = {one.frame_rate for one in features}
    if len(rates) > 1:
        raise ValueError(f"the motions have frame rates {sorted(rates)}: give frame_rate to resample them to one")
    return Sequences(
        [one.array for one in features],
        side=styles,
        names=names,
        frame_rate=rates.pop(),
        channel_names=features[0].names,
        label_names=label_names,
    )


def figure(features: Features) -> Figure:
    """The figure whose features these are."""
    return Figure(features.skeleton, features.frame_rate, features.rotation, features.up)
