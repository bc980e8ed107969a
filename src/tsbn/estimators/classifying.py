"""What a fitted semi-supervised model says about labels."""

import abc
from typing import Any, Literal, get_args

import jax
import jax.numpy as jnp
import numpy as np

from tsbn.arguments import one_of, whole_number
from tsbn.data.side import Label
from tsbn.estimators.base import SequenceModel
from tsbn.estimators.inputs import as_float32
from tsbn.estimators.labels import per_frame, read_labels
from tsbn.estimators.whole_sequences import over_sequences
from tsbn.inference.bounds import elbo
from tsbn.learning.semi.model import LabelModel

By = Literal["classifier", "model", "both"]


class Recogniser(abc.ABC):
    """`predict_labels`, `predict_label_proba`, `score_labels`."""

    generator_: SequenceModel
    label_model_: LabelModel
    changing_: bool

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
        """Probabilities of the styles: `[sequences, styles]`, or (`frames`) a list of `[time, styles]`.

        `by`: "classifier" is q(y | v); "model" is p(y | v) by the bound on log p(v | y) under each style (from so many
        `samples`), for whole sequences; "both" is their normalised product. `frames` is as in training by default.
        """
        model = self._label_model()
        frames = self.changing_ if frames is None else frames
        if one_of("by", by, get_args(By)) != "classifier" and frames:
            raise ValueError(f"by is {by!r}, which is for whole sequences: pass frames=False, or by='classifier'")
        arrays = as_float32(self.generator_._checked(sequences))
        blank = [np.zeros((1, len(self.labels_)), np.float32)] * len(arrays)
        question = {"classifier": _by_frame if frames else _by_classifier, "model": _by_model, "both": _by_both}[by]
        found = over_sequences(question, model, arrays, blank, whole_number("samples", samples), seed)
        if frames:
            return [rows[: len(array)] for rows, array in zip(found, arrays, strict=True)]
        return np.stack(found)

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

    def label_codes(self, sequences: Any, truth: Any = None) -> list[np.ndarray]:
        """True labels as columns of the probabilities, -1 where unknown: `[1]` per sequence, or `[time]`."""
        given = read_labels(sequences, truth, self.labels_, "truth")
        rows = given.rows
        if given.changing and not self.changing_:
            raise ValueError("truth changes within sequences, the model was fitted with one label per sequence")
        if self.changing_:
            rows = per_frame(rows, list(given.data))
        return [np.where(np.isnan(row[:, 0]), -1, np.argmax(np.nan_to_num(row), axis=1)) for row in rows]


def _by_frame(model: LabelModel, piece, key, samples):
    return jnp.exp(model.log_q(piece, changing=True))


def _by_classifier(model: LabelModel, piece, key, samples):
    return jnp.exp(model.log_q(piece, changing=False)[0])


def _by_model(model: LabelModel, piece, key, samples):
    return jax.nn.softmax(_joint(model, piece, key, samples))


def _by_both(model: LabelModel, piece, key, samples):
    return jax.nn.softmax(model.log_q(piece, changing=False)[0] + _joint(model, piece, key, samples))


def _joint(model: LabelModel, piece, key, samples):
    """The bound on log p(v, y) for every label y, all under the same noise."""
    labels = jnp.eye(piece.y.shape[-1], dtype=piece.y.dtype)
    bounds = jax.lax.map(lambda y: elbo(model.conditional, piece._replace(y=y[None]), key, samples), labels)
    return bounds + model.prior.log_prob()
