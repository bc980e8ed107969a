"""From an estimator's settings to the architecture they describe."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, get_args

import numpy as np

from tsbn.arguments import one_of, whole_number, yes_or_no
from tsbn.estimators.training_data import TrainingData
from tsbn.learning.gradients.foresight import refuse_future
from tsbn.model.architecture import GENERATIVE_MAPS, RECOGNITION_MAPS, Architecture, MapKind, kinds_of
from tsbn.model.observations import ObservationName

if TYPE_CHECKING:
    from tsbn.estimators.base import SequenceModel


def architecture_of(model: SequenceModel, data: TrainingData | None = None) -> Architecture:
    """The architecture for given data, or, before there are any, the smallest one of these settings."""
    architecture = Architecture(
        visible=1,
        hidden=_layers(model.hidden),
        order=whole_number("order", model.order),
        observation=one_of("observation", model.observation, get_args(ObservationName)),
        weights=model.weights,
        kinds=tuple(sorted((model.default_kinds | _kinds(model.kinds)).items())),
        factors=whole_number("factors", getattr(model, "factors", 1)),
        hidden_markov=yes_or_no("hidden_markov", model.hidden_markov),
        deterministic=yes_or_no("deterministic", model.deterministic),
        future=whole_number("future", model.future, least=0),
        total=1,
    )
    if model.foresight:
        refuse_future(architecture.future > 0)
    if data is None:
        return architecture
    totals = [np.nansum(array, axis=1).mean() for array in data.arrays]
    return dataclasses.replace(
        architecture,
        visible=data.arrays[0].shape[1],
        side=data.encoder.columns,
        constant=data.encoder.kind == "real",
        total=max(round(float(np.mean(totals))), 1) if architecture.observation == "counts" else 1,
    )


def _layers(hidden: Iterable[int] | int) -> tuple[int, ...]:
    if isinstance(hidden, str) or not isinstance(hidden, Iterable):
        raise ValueError(f"hidden is {hidden!r:.60}, expected one size per layer, e.g. (100,)")
    return tuple(whole_number(f"hidden[{i}]", size) for i, size in enumerate(hidden))


def _kinds(kinds: dict[str, MapKind] | None) -> dict[str, MapKind]:
    if not isinstance(kinds, dict | None):
        raise ValueError(f"kinds is {kinds!r:.60}, expected a dict such as {{'W2': 'factored'}}")
    for letter, kind in (kinds or {}).items():
        one_of("a map in kinds", letter, GENERATIVE_MAPS + RECOGNITION_MAPS)
        one_of(f"kinds[{letter!r}]", kind, kinds_of(letter))
    return kinds or {}
