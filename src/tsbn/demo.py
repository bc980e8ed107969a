"""A demonstration: learn ten ways to walk, judge the predictions, and make new walks that change style on the way.

Run by `make demo`, or by `python -m tsbn.demo` wherever tsbn[plot] is installed; a few minutes on two cores.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from tsbn import datasets, view
from tsbn.baselines import one_step_errors, squared_errors
from tsbn.data import Sequences
from tsbn.estimators import FCTSBN, SequenceModel
from tsbn.preparation import Preparation
from tsbn.showing import write_walk

ORDER = 6
WALKS = {"transition": "normal:120 > drunk:180 > strong:150", "blend": "cat:90 > cat+strong:180"}


def demo(
    folder: Path,
    *,
    walkers: int = 6,
    frames: int = 300,
    steps: int = 2000,
    hidden: int = 100,
    walks: Mapping[str, str] = WALKS,
    seed: int = 0,
) -> None:
    """Writes models, videos, pages, BVH files and plots to a folder, in place of what an earlier run left there.

    `walkers` people walk in each style for `frames` frames to learn from, and one more to be judged on. The new
    walks follow the style paths `walks`, by name.
    """
    options = {"walkers": walkers, "frames": frames}
    parts = datasets.load("walker", **options)
    assert parts.test is not None
    source = {"data": "walker", "options": options}
    preparation = Preparation.fit(parts.train, parts.figure, source=source)
    train, test = preparation.transform(parts.train), preparation.transform(parts.test)
    print(f"{len(train)} walks to learn from, {len(test)} of other people to be judged on, {frames} frames each.\n")

    def trained(name: str, **settings) -> SequenceModel:
        # Fewer factors than by default: quicker, and enough for walks that a formula makes.
        model = FCTSBN(hidden=(hidden,), factors=50, **settings).fit(train, seed=seed, progress=True)
        model.preparation_ = preparation
        model.save(folder / name, overwrite=True)
        return model

    print("An FCTSBN of order 1, to predict:")
    predictor = trained("next.tsbn", order=1, steps=steps * 3 // 4)
    print(f"A Hidden Markov FCTSBN of order {ORDER}, to walk:")
    walker = trained("walk.tsbn", order=ORDER, hidden_markov=True, steps=steps)

    errors = one_step_errors(predictor, train, test, ORDER, seed=seed)
    markov = squared_errors(test, walker.predict(test, seed=seed).mean, ORDER)
    Console().print(_table({**errors, "Hidden Markov FCTSBN": markov}))
    print(verdict(errors))
    _plots(predictor, walker, test, errors, folder)
    for name, text in walks.items():
        print(f"drawing the {name}: {text}")
        write_walk(walker, text, folder / name, seed=seed)
    print(_what_to_open(folder, walks))


def _table(errors: Mapping[str, np.ndarray]) -> Table:
    table = Table(title="one-step prediction of people never seen", title_justify="left")
    table.add_column("model")
    table.add_column("squared error per frame", justify="right")
    for name, found in sorted(errors.items(), key=lambda pair: pair[1].mean()):
        table.add_row(name, f"{found.mean():.3f}")
    return table


def verdict(errors: Mapping[str, np.ndarray]) -> str:
    """In a sentence or two, what the first model predicts better and worse than."""
    (model, own), *others = ((name, float(found.mean())) for name, found in errors.items())
    beaten = " and ".join(name for name, error in others if own < error)
    winners = [name for name, error in others if own >= error]
    told = [f"The {model} predicts better than {beaten}."] if beaten else []
    if winners:
        told.append(f"On these smooth walks it is beaten by {' and '.join(winners)}, without styles to steer by.")
    return " ".join(told)


def _plots(
    predictor: SequenceModel, walker: SequenceModel, test: Sequences, errors: Mapping[str, np.ndarray], folder: Path
) -> None:
    one, rate = test[:1], test.frame_rate
    predicted = predictor.predict(one)
    shown = slice(ORDER, ORDER + 120)
    styles = test.labels or []
    figures = {
        "training": view.training_curves(walker.history_),
        "predictions": view.predictions(
            one[0][shown], predicted.mean[0][shown], predicted.std[0][shown], names=test.channel_names, frame_rate=rate
        ),
        "hidden": view.hidden_activity(walker.infer(one)[0].samples[0][0], frame_rate=rate),
        "errors": view.style_errors(
            {name: dict(zip(styles, found.tolist(), strict=True)) for name, found in errors.items()},
            ylabel="squared error per frame",
        ),
    }
    for name, figure in figures.items():
        view.save(figure, folder / f"{name}.png", overwrite=True)


def _what_to_open(folder: Path, walks: Mapping[str, str]) -> str:
    first = next(iter(walks))
    lines = {
        f"{first}.html": "turn the new walk in 3-D, in any browser",
        f"{first}.mp4": "the same as a video",
        f"{first}.bvh": "the same for animation programs",
        f"{first}_stills.png": "the same on one page",
        "training.png": "how the bound rose",
        "predictions.png": "one-step predictions of a person never seen, with 90% intervals",
        "errors.png": "their errors in each style",
        "hidden.png": "which hidden units are on",
        "walk.tsbn": "the model, for new walks:",
    }
    told = [f"  {folder / name!s:<28} {what}" for name, what in lines.items()]
    others = ", ".join(f"{name}.*" for name in walks if name != first)
    told += [f'    tsbn generate {folder / "walk.tsbn"} --path "cat:120 > old man:200" -o new.mp4']
    return "\n".join(["Open:", *told, *([f"  and the same of: {others}"] if others else [])])


if __name__ == "__main__":
    demo(Path("demo"))
