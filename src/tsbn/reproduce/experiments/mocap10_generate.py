"""The paper's generated walks in ten styles, their transitions and blends, judged against real ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import tsbn
from tsbn.data import looped
from tsbn.datasets import Parts
from tsbn.judging import Yardstick
from tsbn.preparation import Preparation
from tsbn.reproduce.experiment import Experiment, Finding, Job
from tsbn.reproduce.generating import judged, shown

ORDER = 12
LOOP = 150  # at least so many frames of a walk before it comes round: its slow changes belong to the style
WALKS = {
    "transition": "normal:90 > drunk:120",
    "failure of the paper": "old man:150",
    "blend": "0.5*cat+0.5*strong:150",
}


@cache
def data() -> tuple[Parts, Yardstick]:
    """The 250 frames a style, 30 a second, that cover the most ground, all to learn from."""
    parts = tsbn.datasets.load("mocap10", fps=30, moving=250, test=0)
    return parts, Yardstick.of(parts.train, parts.figure)


def run(seed: int, folder: Path) -> Iterator[Finding]:
    """Train, generate, judge, and leave videos, pages and BVH files."""
    parts, real = data()
    preparation = Preparation.fit(parts.train, parts.figure, scale=True, opening=ORDER)
    model = tsbn.FCTSBN(order=ORDER, hidden_markov=True)
    model.fit(preparation.transform(looped(parts.train, LOOP)), seed=seed)
    model.preparation_ = preparation
    yield from judged(model, real, opening=ORDER, long=3000)
    shown(model, WALKS, folder, seed)


EXPERIMENT = Experiment(
    name="mocap10-generate",
    summary="Generated walks in ten styles against real ones: 300 frames a style from 12 real ones; transitions.",
    jobs=lambda: [Job("FCTSBN Hidden Markov", run, takes=320.0)],
    notes=(
        "Recognised: share of frames that a classifier trained on real walks gives the asked style. Spread and speed "
        "are relative to the real walks. The recordings are looped for training: what follows their end is not known."
    ),
)
