"""How far log q(y | v) and the bounds on log p(v, y) are to be trusted, by themselves and together.

alone       softmax(a log q(y | v))   or   softmax(b log p(v, y))
together    softmax(a log q(y | v) + b log p'(v, y))          p': with heavy tails, see `Observation.doubtful`
"""

from typing import Any, NamedTuple, Self

import numpy as np
from jaxtyping import Float, Int

Scores = Float[np.ndarray, "cases styles"]
TEMPERED = tuple((2.0 ** np.arange(-14, 1)).tolist())
"""None above 1: a few held-out cases that are all recognised would ask for certainty."""


class Calibration(NamedTuple):
    """Weights for every way to recognise; these, unless held-out labels have told better."""

    classifier: float = 1.0
    model: float = 1.0
    both: tuple[float, float] = (1.0, 1.0)

    @classmethod
    def read(cls, told: dict[str, Any]) -> Self:
        """From what `_asdict` gave, after a stay in a file."""
        if not told:
            return cls()
        a, b = told["both"]
        return cls(told["classifier"], told["model"], (a, b))


def calibrated(log_q: Scores, log_p: Scores, doubtful_log_p: Scores, truth: Int[np.ndarray, " cases"]) -> Calibration:
    """The weights with the highest log-probability of the true styles, for each way by itself.

    >>> sure = np.log(np.array([[0.99, 0.01]] * 4))
    >>> calibrated(sure, sure, sure, np.array([0, 0, 0, 1])).classifier
    0.25
    """
    cases = np.arange(len(truth))

    def worth(scores: Scores) -> float:
        return float(np.mean(log_softmax(scores)[cases, truth]))

    pairs = [(a, b) for a in TEMPERED for b in (0.0, *TEMPERED)]
    return Calibration(
        classifier=max(TEMPERED, key=lambda a: worth(a * log_q)),
        model=max(TEMPERED, key=lambda b: worth(b * log_p)),
        both=max(pairs, key=lambda pair: worth(pair[0] * log_q + pair[1] * doubtful_log_p)),
    )


def log_softmax(scores: Scores) -> Scores:
    """Log-probabilities along the last axis."""
    scores = scores - scores.max(axis=-1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
