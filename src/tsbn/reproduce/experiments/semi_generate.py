"""The paper's generated walks and runs of a model that was told the style of one walk and one run only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

import tsbn
from tsbn.data import Sequences, looped
from tsbn.datasets import Parts
from tsbn.judging import Yardstick
from tsbn.preparation import Preparation
from tsbn.reproduce.experiment import Experiment, Finding, Job
from tsbn.reproduce.generating import judged, shown

ORDER = 6
OPENING = 12
LOOPS = (22, 44)  # a run's two steps take about 22 frames, and the shortest recording has 35 of them
WALKS = {"walk": "walk:150", "run": "run:150", "walk to run": "walk:90 > run:120", "run to walk": "run:90 > walk:120"}


@cache
def data() -> tuple[Parts, Yardstick]:
    """The two labelled sequences are those that are elsewhere the test part; the other 31 have no labels."""
    parts = tsbn.datasets.load("mocap2")
    return parts, Yardstick.of(parts.train, parts.figure)


def going_on(walks: Sequences) -> Sequences:
    """Recordings that come round, and round again: the shortest would be at their end most of the time."""
    for frames in LOOPS:
        walks = looped(walks, frames)
    return walks


def run(seed: int, folder: Path) -> Iterator[Finding]:
    """Learn from two labels, recognise the rest, generate both styles and the ways between them."""
    parts, real = data()
    labelled, unlabelled = parts.test, parts.train
    if labelled is None:
        raise ValueError("mocap2 lacks its test part")
    preparation = Preparation.fit(unlabelled, parts.figure, scale=True, opening=OPENING)
    longer = [*preparation.transform(going_on(labelled)), *preparation.transform(going_on(unlabelled))]
    model = tsbn.SemiSupervised(tsbn.FCTSBN(order=ORDER, hidden_markov=True))
    model.fit(longer, [*(labelled.labels or ()), *[None] * len(unlabelled)], validation=0, seed=seed)
    for by in ("classifier", "model"):
        found = model.predict_labels(list(preparation.transform(unlabelled)), by=by, seed=seed)
        right = np.array(found) == np.array(unlabelled.labels)
        yield Finding("unlabelled", f"recognised by {by}", float(right.mean()))
    model.generator_.preparation_ = preparation
    yield from judged(model.generator_, real, opening=OPENING, long=1000)
    shown(model.generator_, WALKS, folder, seed)


EXPERIMENT = Experiment(
    name="semi-generate",
    summary="Walking and running, learnt with the style of one sequence each: 300 new frames a style, transitions.",
    jobs=lambda: [Job("FCTSBN Hidden Markov", run, takes=230.0)],
    notes=(
        "Recognised: share of frames that a classifier trained on real motion gives the asked style; of the unlabelled "
        "sequences, share whose style is found. Spread and speed are relative to the real motion."
    ),
)
