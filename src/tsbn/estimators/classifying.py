"""What a fitted semi-supervised model says about labels."""

import abc
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Self, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from tsbn.arguments import one_of, whole_number
from tsbn.data.side import Label
from tsbn.estimators.base import SequenceModel
from tsbn.estimators.calibration import Calibration, calibrated, log_softmax
from tsbn.estimators.inputs import as_float32
from tsbn.estimators.labels import per_frame, read_labels
from tsbn.estimators.whole_sequences import over_sequences
from tsbn.inference.bounds import elbo
from tsbn.learning.semi.model import LabelModel

By = Literal["classifier", "model", "both"]


class Recogniser(abc.ABC):
    """`predict_labels`, `predict_label_proba`, `score_labels`, `calibrate`."""

    generator_: SequenceModel
    label_model_: LabelModel
    changing_: bool
    calibration_: Calibration

    @abc.abstractmethod
    def _label_model(self) -> LabelModel: ...

    @property
    def labels_(self) -> tuple[Label, ...]:
        """The styles, in the order of the columns of probabilities."""
        self._label_model()
        return self.generator_.side_.labels

    def predict_label_proba(
        self, sequences: Any, *, by: By = "classifier", frames: bool | None = None, samples: int = 20, seed: int = 0
    ) -> Any:
        """Probabilities of the styles `labels_`: `[sequences, styles]`, or (`frames`) a list of `[time, styles]`.

        `by`: "classifier" is q(y | v); "model" is p(y | v) by the bound on log p(v | y) under each style (from so many
        `samples`), for whole sequences; "both" is the product of q(y | v) and such a p(y | v) with heavy tails (see
        `Observation.doubtful`), weighed equally or as held-out labels suggest (see `calibrate`). `frames` is as in
        training by default.
        """
        self._label_model()
        frames = self.changing_ if frames is None else frames
        if one_of("by", by, get_args(By)) != "classifier" and frames:
            raise ValueError(
                f"by is {by!r}, which recognises whole sequences, not frames: by='classifier' does, "
                "and predict_label_proba takes frames=False"
            )
        weights = self.calibration_
        arrays, samples = as_float32(self.generator_._checked(sequences)), whole_number("samples", samples)
        ask = partial(self._asked, arrays=arrays, samples=samples, seed=seed)
        if frames:
            rows = zip(ask(_by_frame), arrays, strict=True)
            return [np.exp(log_softmax(weights.classifier * row[: len(array)])) for row, array in rows]
        match by:
            case "classifier":
                scores = weights.classifier * np.stack(ask(_by_classifier))
            case "model":
                scores = weights.model * np.stack(ask(_by_model))
            case "both":
                a, b = weights.both
                scores = a * np.stack(ask(_by_classifier)) + b * np.stack(ask(_by_doubtful_model))
        return np.exp(log_softmax(scores))

    def calibrate(self, sequences: Any, labels: Any = None, *, samples: int = 20, seed: int = 0) -> Self:
        """Weigh q(y | v) and p(v, y) anew, by the labels of sequences that were not learnt from; for whole sequences.

        The most probable style changes only `by="both"`. `fit` does this with what it held out. Sequences that are
        easier than those to come, say because they overlap with what was learnt from, give the bound too much weight.
        """
        self._label_model()
        if self.changing_:
            raise ValueError("labels change within sequences, expected a model of one label per sequence to calibrate")
        truth = np.concatenate(self.label_codes(sequences, labels, "labels"))
        arrays, samples = as_float32(self.generator_._checked(sequences)), whole_number("samples", samples)
        known = np.flatnonzero(truth >= 0)
        arrays = [arrays[i] for i in known]
        ways = (_by_classifier, _by_model, _by_doubtful_model)
        log_q, log_p, doubtful = (np.stack(self._asked(way, arrays, samples, seed)) for way in ways)
        self.calibration_ = calibrated(log_q, log_p, doubtful, truth[known])
        return self

    def _asked(self, question: Callable, arrays: list[np.ndarray], samples: int, seed: int) -> list[np.ndarray]:
        blank = [np.zeros((1, len(self.labels_)), np.float32)] * len(arrays)
        return over_sequences(question, self.label_model_, arrays, blank, samples, seed)

    def predict_labels(
        self, sequences: Any, *, by: By = "classifier", frames: bool | None = None, seed: int = 0
    ) -> Any:
        """The most probable style of each sequence, or (`frames`) lists of one per frame."""
        found = self.predict_label_proba(sequences, by=by, frames=frames, seed=seed)
        if isinstance(found, list):
            return [[self.labels_[k] for k in rows.argmax(axis=1)] for rows in found]
        return [self.labels_[k] for k in found.argmax(axis=1)]

    def score_labels(self, sequences: Any, truth: Any = None, *, by: By = "classifier", seed: int = 0) -> float:
        """The share of the known labels that are predicted right: of sequences, or of frames where labels change."""
        right, known = [], []
        codes, rows = self.label_codes(sequences, truth), self.predict_label_proba(sequences, by=by, seed=seed)
        for code, row in zip(codes, rows, strict=True):
            found = np.atleast_2d(row).argmax(axis=1)
            right.append((found == code)[code >= 0])
            known.append(code >= 0)
        if not np.concatenate(known).any():
            raise ValueError("truth holds no label at all, expected some to compare with")
        return float(np.concatenate(right).mean())

    def label_codes(self, sequences: Any, truth: Any = None, name: str = "truth") -> list[np.ndarray]:
        """True labels as columns of the probabilities, -1 where unknown: `[1]` per sequence, or `[time]`."""
        given = read_labels(sequences, truth, self.labels_, name)
        rows = given.rows
        if given.changing and not self.changing_:
            raise ValueError(f"{name} changes within sequences, the model was fitted with one label per sequence")
        if self.changing_:
            rows = per_frame(rows, list(given.data))
        return [np.where(np.isnan(row[:, 0]), -1, np.argmax(np.nan_to_num(row), axis=1)) for row in rows]


def _by_frame(model: LabelModel, piece, key, samples):
    return model.log_q(piece, changing=True)


def _by_classifier(model: LabelModel, piece, key, samples):
    return model.log_q(piece, changing=False)[0]


def _by_model(model: LabelModel, piece, key, samples):
    """The bound on log p(v, y) for every label y, all under the same noise."""
    labels = jnp.eye(piece.y.shape[-1], dtype=piece.y.dtype)
    bounds = jax.lax.map(lambda y: elbo(model.conditional, piece._replace(y=y[None]), key, samples), labels)
    return bounds + model.prior.log_prob()


def _by_doubtful_model(model: LabelModel, piece, key, samples):
    """The same where entries far from what a style has shown count little against it."""
    observation = model.network.observation
    return _by_model(eqx.tree_at(lambda m: m.network.observation, model, observation.doubtful), piece, key, samples)
