"""The data a model is judged on, and those the plain models beside it learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tsbn.cli import UsageError
from tsbn.cli.sources import Source
from tsbn.data import Sequences
from tsbn.preparation import Preparation


@dataclass(frozen=True)
class Judged:
    """Prepared data: to judge on, and what the model was trained on (None if that is not here any more).

    `own` is what to judge on in the units it came in, with channels that the model does not see.
    """

    test: Sequences
    own: Sequences
    train: Sequences | None
    told: str


def judged_data(preparation: Preparation, data: str = "", options: Sequence[str] = ()) -> Judged:
    """The test part of the given data (all of them if there are no parts), or of those the model was trained on."""
    trained_on = _trained_on(preparation)
    chosen = chosen_source(preparation, data, options)
    parts = chosen.load()
    if parts.test is not None:
        test, told = parts.test, f"the test part of {chosen.data}"
    else:
        same = trained_on is not None and chosen.data == trained_on.data
        test, told = parts.train, f"{chosen.data}, which it was trained on" if same else chosen.data
    train = _training_part(preparation, trained_on) if data else preparation.transform(parts.train)
    return Judged(preparation.transform(test), test, train, told)


def chosen_source(preparation: Preparation, data: str = "", options: Sequence[str] = ()) -> Source:
    """The data that were named, or those the model was trained on."""
    if data:
        return Source.parse(data, options)
    if options:
        raise UsageError("--options needs DATA, whose options they are")
    trained_on = _trained_on(preparation)
    if trained_on is None:
        raise UsageError("the model file does not say what it was trained on: give DATA to judge it on")
    return trained_on


def by_style(data: Sequences) -> dict[str, list[int]]:
    """Which sequences have which style; nothing where styles change on the way, or there are none."""
    labels = data.labels
    if not labels or any(label is None or isinstance(label, list) for label in labels):
        return {}
    return {str(style): [n for n, one in enumerate(labels) if one == style] for style in dict.fromkeys(labels)}


def _trained_on(preparation: Preparation) -> Source | None:
    known = preparation.source
    return Source(known["data"], known["options"]) if known else None


def _training_part(preparation: Preparation, source: Source | None) -> Sequences | None:
    """What the model was trained on, if it is still there and still has the same channels."""
    try:
        return None if source is None else preparation.transform(source.load().train)
    except (OSError, UsageError, ValueError):
        return None
