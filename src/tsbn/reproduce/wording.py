"""From a vector to a word, by how near words are and how common: a softmax with fitted sharpness and biases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

SHARPNESS = (0.1, 0.2, 0.3, 0.4, 0.55, 0.7, 1.0)
ROUNDS = 15


@dataclass(frozen=True, eq=False)
class Wording:
    """Chances of words given a predicted vector `m`, in proportion to `exp(sharpness * vector . m + bias)`."""

    vectors: Float[np.ndarray, "words dimensions"]
    sharpness: float
    biases: Float[np.ndarray, " words"]

    @staticmethod
    def fit(
        vectors: Float[np.ndarray, "words dimensions"],
        shares: Float[np.ndarray, " words"],
        predicted: Float[np.ndarray, "time dimensions"],
        followed: Int[np.ndarray, " time"],
    ) -> Wording:
        """From vectors predicted at some places, and the words that followed there.

        For each sharpness the biases are such that, over all places, words come up with their `shares`; the sharpness
        is the one under which the words that followed are most probable.
        """
        if not (shares > 0).all():
            raise ValueError("shares has entries that are not positive: a word that never comes up has no bias")
        nearness = predicted @ vectors.T
        fitted = [Wording(vectors, sharpness, _biases(sharpness * nearness, shares)) for sharpness in SHARPNESS]
        return max(fitted, key=lambda one: one.log_probability(predicted, followed))

    def log_probability(
        self, predicted: Float[np.ndarray, "time dimensions"], followed: Int[np.ndarray, " time"]
    ) -> float:
        """Of the words that followed, in nats per word."""
        logs = _log_softmax(self.sharpness * (predicted @ self.vectors.T) + self.biases)
        return float(logs[np.arange(len(followed)), followed].mean())

    def draw(self, predicted: Float[np.ndarray, " dimensions"], random: np.random.Generator) -> int:
        """The place of a word in the vocabulary."""
        logits = self.sharpness * (self.vectors @ predicted) + self.biases
        return int(np.argmax(logits + random.gumbel(size=len(logits))))


def _biases(
    logits: Float[np.ndarray, "time words"], shares: Float[np.ndarray, " words"]
) -> Float[np.ndarray, " words"]:
    """Proportional fitting: what comes up too often is made rarer by the factor it is too common by."""
    biases = np.log(shares)
    for _ in range(ROUNDS):
        biases = biases + np.log(shares) - np.log(np.exp(_log_softmax(logits + biases)).mean(axis=0) + 1e-12)
    return biases


def _log_softmax(logits: Float[np.ndarray, "time words"]) -> Float[np.ndarray, "time words"]:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
