"""What can be judged: anything that makes frames for a path of styles, going on from real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from jaxtyping import Float

from tsbn.choices import AS_THE_MODEL, Choices
from tsbn.data import Scaler, Sequences
from tsbn.styles import Path

if TYPE_CHECKING:
    from tsbn.estimators.sampling import Sampler

Frames = Float[np.ndarray, "time channels"]


class Generator(Protocol):
    """Makes a sequence of motion, in the units of the data.

    `path` says the style of every frame and how many there are; `opening` are real frames in its first style, which
    are not part of the result. The same seed gives the same frames.
    """

    def __call__(self, path: Path, opening: Frames, seed: int) -> Frames: ...


def by_model(model: Sampler, scaler: Scaler | None = None, choices: Choices = AS_THE_MODEL) -> Generator:
    """A fitted model as a generator.

    Data are scaled on the way in and out by `scaler`, by default the one of the model's own preparation; a model
    without either takes numbers as they are.

    >>> import tsbn
    >>> parts = tsbn.datasets.load("walker", styles=["normal", "cat"], frames=60)
    >>> scaler = Scaler.fit(parts.train)
    >>> model = tsbn.FCTSBN(hidden=(4,), factors=2, steps=2).fit(scaler.transform(parts.train))
    >>> by_model(model, scaler)(tsbn.styles.parse("normal:20"), parts.train[0][:12], 0).shape
    (20, 69)
    """
    if scaler is None and model.preparation_ is not None:
        scaler = model.preparation_.scaler

    def generator(path: Path, opening: Frames, seed: int) -> Frames:
        begin = opening if scaler is None else scaler.transform(opening)
        drawn = model.sample(path, opening=begin, seed=seed, choices=choices)
        return drawn if scaler is None else scaler.inverse(drawn)

    return generator


def replay(data: Sequences) -> Generator:
    """Real motion as a generator: each seed plays another stretch of its sequences of the style asked for.

    Judged like any other, motion that was held out shows what can be reached.

    >>> waves = Sequences([np.arange(9.0)[:, None], np.arange(20.0, 29.0)[:, None]], ["low", "high"])
    >>> from tsbn.styles import hold
    >>> replay(waves)(hold("high", 3), np.zeros((1, 1)), 0).ravel()
    array([20., 21., 22.])
    """
    labels = [str(label) for label in data.labels or ()]

    def generator(path: Path, opening: Frames, seed: int) -> Frames:
        style, *others = path.styles
        if others:
            raise ValueError(f"the path asks for {', '.join(path.styles)}: real motion has one style from end to end")
        mine = [one for one, label in zip(data, labels, strict=True) if label == style]
        long = [one for one in mine if len(one) >= path.frames]
        if not long:
            longest = max(map(len, mine), default=0)
            raise ValueError(f"the real {style!r} has {longest} frames at most, expected {path.frames}")
        one, turn = long[seed % len(long)], seed // len(long)
        # Golden sections put any number of starts far from one another.
        start = round((turn * 0.618034 % 1) * (len(one) - path.frames))
        return one[start : start + path.frames]

    return generator
