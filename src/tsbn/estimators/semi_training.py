"""Training data of which some have labels: what to hold out, and in which proportion to draw the rest."""

import dataclasses
import numbers
from collections.abc import Iterator
from itertools import groupby

import jax.numpy as jnp
import numpy as np

from tsbn.data.side import Label
from tsbn.estimators.training_data import TrainingData
from tsbn.learning.corpus import Corpus, Places, repeated_last


@dataclasses.dataclass(frozen=True)
class Mixture:
    """How batches are put together: so many of their windows are labelled, styles balanced or as they come."""

    batch: int
    share: float
    balanced: bool

    def labelled(self, data: TrainingData) -> int:
        """How many windows of a batch have labels: at least one, and all where everything is labelled."""
        if all(known for *_, known in _spans(data)):
            return self.batch
        return min(max(round(self.share * self.batch), 1), self.batch - 1)

    def drawn_from(self, corpus: Corpus, data: TrainingData) -> Corpus:
        """The corpus with odds such that evenly spread windows come in these proportions, labelled ones first."""
        spans = sorted(_spans(data), key=lambda span: not span[-1])
        sequence, first, until, style, known = (np.array(column) for column in zip(*spans, strict=True))
        odds = (until - first).astype(float)
        if self.balanced:
            amounts = np.bincount(style[known], weights=odds[known])
            odds[known] /= amounts[style[known]]
        share = self.labelled(data) / self.batch
        odds[known] *= share / odds[known].sum()
        if share < 1:
            odds[~known] *= (1 - share) / odds[~known].sum()
        columns = (jnp.asarray(repeated_last(column), jnp.int32) for column in (sequence, first, until))
        return corpus._replace(odds=jnp.asarray(repeated_last(np.cumsum(odds)), jnp.float32), spans=Places(*columns))


def _spans(data: TrainingData) -> Iterator[tuple[int, int, int, int, bool]]:
    """Stretches to learn from with one label or none: sequence, first frame, end, style, whether it is labelled."""
    for number, (row, length) in enumerate(zip(data.sides, data.lengths, strict=True)):
        if not length:
            continue
        codes = np.where(np.isnan(row[:, 0]), -1, np.argmax(np.nan_to_num(row), axis=1))
        codes = np.broadcast_to(codes, length) if len(codes) == 1 else codes[:length]
        begin = 0
        for code, stretch in groupby(codes.tolist()):
            end = begin + len(list(stretch))
            yield number, begin, end, max(code, 0), code >= 0
            begin = end


def held_out_labels(data: TrainingData) -> tuple[list[np.ndarray], list[Label]]:
    """What was held out of sequences with one label each, and their labels."""
    found = [
        (array[length:], data.encoder.labels[int(np.argmax(row[0]))])
        for array, row, length in zip(data.arrays, data.sides, data.lengths, strict=True)
        if length < len(array) and len(row) == 1 and not np.isnan(row).all()
    ]
    return [array for array, _ in found], [label for _, label in found]


def held_out_lengths(rows: list[np.ndarray], lengths: list[int], share: float, order: int, seed: int) -> list[int]:
    """How much of each sequence to learn from, such that what is held out has labels.

    Whole sequences of every style where each style has two labelled ones at least; otherwise the end of every sequence
    that has labels.
    """
    if not isinstance(share, numbers.Real) or not 0 <= share < 1:
        raise ValueError(f"validation is {share!r:.60}, expected a share from 0 to below 1, or (sequences, labels)")
    if not share:
        return list(lengths)
    labelled = [i for i, row in enumerate(rows) if not np.isnan(row).all()]
    kept = list(lengths)
    if all(len(row) == 1 for row in rows):
        styles: dict[int, list[int]] = {}
        for i in labelled:
            styles.setdefault(int(np.argmax(rows[i][0])), []).append(i)
        if all(len(members) > 1 for members in styles.values()):
            generator = np.random.default_rng(seed)
            for members in styles.values():
                count = min(max(round(share * len(members)), 1), len(members) - 1)
                for i in generator.choice(members, count, replace=False):
                    kept[i] = 0
            return kept
    for i in labelled:
        kept[i] = lengths[i] - int(share * lengths[i])
        end = rows[i] if len(rows[i]) == 1 else rows[i][kept[i] :]
        if kept[i] <= order or not end.size or np.isnan(end).all():
            kept[i] = lengths[i]
    if kept == lengths:
        raise ValueError(
            f"validation is {share}, but no sequence has a labelled end to hold out; "
            "give (sequences, labels) of your own, or 0"
        )
    return kept
