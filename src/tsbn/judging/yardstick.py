"""Real motion as what generated motion is measured against, prepared once for any number of generators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from tsbn.data import Scaler, Sequences
from tsbn.data.nearest import nearest as nearest_name
from tsbn.datasets import Figure
from tsbn.judging.distances import nearest_elsewhere
from tsbn.judging.generators import Generator
from tsbn.judging.recognition import Recogniser
from tsbn.judging.sliding import points, sliding, travel
from tsbn.styles import Path

Frames = Float[np.ndarray, "time channels"]

# A generator that runs away is judged as if it had stopped this many standard deviations out: figures stay numbers.
FAR = 1e3
# Data without a frame rate: so many frames count as a second.
SECOND = 30


@dataclass(frozen=True, eq=False)
class Yardstick:
    """Real motion by style.

    - `real`: the sequences of each style, scaled to zero mean and unit variance of each channel over all of them;
    - `second`: frames of a second, as far apart as frames must be to be of different stretches;
    - `figure`: whose motions the data are, or None.

    >>> from tsbn import datasets
    >>> parts = datasets.load("walker", styles=["normal", "cat"], frames=120)
    >>> real = Yardstick.of(parts.train, parts.figure)
    >>> real.styles, real.recogniser.accuracy
    (('normal', 'cat'), {'normal': 1.0, 'cat': 1.0})
    """

    real: Mapping[str, Sequence[Frames]]
    scaler: Scaler
    second: int
    figure: Figure | None = None

    @staticmethod
    def of(data: Sequences, figure: Figure | None = None) -> Yardstick:
        """From sequences with one label each and nothing missing, in the units that the figure takes."""
        labels = data.labels
        if not labels or any(label is None or isinstance(label, list) for label in labels):
            raise ValueError("real must have a label for every sequence: motion is judged by style")
        for name, array in zip(data.names, data, strict=True):
            if np.isnan(array).any():
                raise ValueError(f"real has missing values in sequence {name!r}: fill them in, or leave it out")
        scaler = Scaler.fit(data)
        scaled = [scaler.transform(array) for array in data]
        known = [name for name in data.label_names or () if name in labels]
        by_style = {str(name): [a for a, label in zip(scaled, labels, strict=True) if label == name] for name in known}
        return Yardstick(by_style, scaler, round(data.frame_rate or SECOND), figure)

    @property
    def styles(self) -> tuple[str, ...]:
        """The styles, in the order of the data's labels."""
        return tuple(self.real)

    def chosen(self, styles: Sequence[str] | None) -> tuple[str, ...]:
        """The styles that were asked for, all by default."""
        for style in styles or ():
            if style not in self.real:
                raise ValueError(f"style {style!r} is not known: {nearest_name(style, list(self.real))}")
        return self.styles if styles is None else tuple(styles)

    @cached_property
    def recogniser(self) -> Recogniser | None:
        """The classifier of styles; None where there is one style only. Half a second beside a cut is left out."""
        return Recogniser.fit(self.real, gap=self.second // 2) if len(self.real) > 1 else None

    def opening(self, style: str, frames: int) -> Frames:
        """Frames from the middle of the longest real sequence of a style, in the units of the data."""
        longest = max(self.real[style], key=len)
        if len(longest) < frames:
            raise ValueError(f"opening is {frames}: the longest real sequence of {style!r} has {len(longest)} frames")
        first = (len(longest) - frames) // 2
        return self.scaler.inverse(longest[first : first + frames])

    def generated(self, generator: Generator, path: Path, opening: int, seed: int) -> Frames:
        """What a generator makes of a path, scaled like the real motion."""
        given = self.opening(path.styles[0], opening)
        made = np.asarray(generator(path, given, seed), dtype=np.float64)
        if made.shape != (path.frames, given.shape[1]):
            raise ValueError(
                f"the generator gave frames of shape {made.shape}, expected {(path.frames, given.shape[1])}"
            )
        return np.nan_to_num(self.scaler.transform(made), nan=FAR, posinf=FAR, neginf=-FAR).clip(-FAR, FAR)

    def nearest_elsewhere(self, style: str) -> float:
        """How far a real frame of a style is from the nearest real frame of another stretch, of any style."""
        every = [(name, one) for name, sequences in self.real.items() for one in sequences]
        mine = [i for i, (name, _) in enumerate(every) if name == style]
        return nearest_elsewhere([one for _, one in every], mine, self.second)

    def sliding(self, frames: Sequence[Frames]) -> float | None:
        """Foot sliding of scaled sequences; None where the data are not motion."""
        if self.figure is None:
            return None
        places = [points(self.figure, self.scaler.inverse(one)) for one in frames]
        return float(np.mean([sliding(one, self.figure.frame_rate, self.figure.up) for one in places]))

    def travel(self, style: str) -> float:
        """How fast the real figure walks in a style."""
        assert self.figure is not None
        places = [points(self.figure, self.scaler.inverse(one)) for one in self.real[style]]
        return float(np.mean([travel(one, self.figure.frame_rate, self.figure.up) for one in places]))


def yardstick(real: Sequences | Yardstick, figure: Figure | None = None) -> Yardstick:
    """Real motion as it may be given: prepared already, or data with the figure that moves in them."""
    if isinstance(real, Sequences):
        return Yardstick.of(real, figure)
    if figure is not None and figure is not real.figure:
        raise ValueError("figure was given with a Yardstick, which has its own: give it to Yardstick.of")
    return real
