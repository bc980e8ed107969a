"""How probable a text is to a reader of another: Kneser-Ney n-grams of words, after Chen and Goodman (1999)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

DISCOUNT = 0.75
"""Taken off every count, for what was not seen. Any value up to 1 gives probabilities; this is the usual one."""


class NGrams:
    """The next word given those before it, learned from one text.

    The longest contexts hold counts of words; a shorter one counts in how many different contexts, one word longer,
    each word was seen. Every context hands what is taken off its counts to the next shorter one, and the shortest to
    all words of the vocabulary alike: no word is impossible.

    >>> model = NGrams("the cat sat on the mat".split(), vocabulary=["cat", "mat", "on", "sat", "the"], order=2)
    >>> model.probability("cat", ["the"]) > model.probability("on", ["the"]) > 0
    True
    """

    def __init__(self, text: Sequence[str], vocabulary: Sequence[str], order: int = 3):
        self.place = {word: k for k, word in enumerate(vocabulary)}
        if unknown := set(text) - set(self.place):
            raise ValueError(f"text has {len(unknown)} words that are not in the vocabulary, such as {min(unknown)!r}")
        if not 1 <= order <= len(text):
            raise ValueError(f"order is {order}, expected a number from 1 to the length of the text, {len(text)}")
        self.order = order
        whole = Counter(zip(*(text[k:] for k in range(order)), strict=False))
        self.counts = [_by_context(whole)]
        for _ in range(order - 1):
            whole = Counter(gram[1:] for gram in whole)
            self.counts.insert(0, _by_context(whole))

    def probability(self, word: str, before: Sequence[str] = ()) -> float:
        """Of a word after others, of which the last `order - 1` matter."""
        if word not in self.place:
            raise ValueError(f"word {word!r} is not in the vocabulary")
        found = 1 / len(self.place)
        for seen in self._seen(before):
            total = seen.total()
            found = (max(seen[word] - DISCOUNT, 0) + DISCOUNT * len(seen) * found) / total
        return found

    def distribution(self, before: Sequence[str] = ()) -> Float[np.ndarray, " vocabulary"]:
        """Probabilities of all words of the vocabulary, in its order."""
        found = np.full(len(self.place), 1 / len(self.place))
        for seen in self._seen(before):
            found *= DISCOUNT * len(seen)
            found[[self.place[word] for word in seen]] += np.fromiter(seen.values(), float) - DISCOUNT
            found /= seen.total()
        return found

    def log_probability(self, text: Sequence[str]) -> float:
        """Of a text that begins anywhere, in nats per word."""
        if not text:
            raise ValueError("text has no words")
        reach = self.order - 1
        logs = [math.log(self.probability(word, text[max(k - reach, 0) : k])) for k, word in enumerate(text)]
        return math.fsum(logs) / len(logs)

    def _seen(self, before: Sequence[str]) -> list[Counter[str]]:
        """What followed the words before, the shortest context first, as long as they were seen together."""
        tails = [tuple(before[len(before) - n :]) for n in range(min(self.order - 1, len(before)) + 1)]
        found = []
        for table, tail in zip(self.counts, tails, strict=False):
            if tail not in table:
                break
            found.append(table[tail])
        return found


def _by_context(grams: Counter[tuple[str, ...]]) -> dict[tuple[str, ...], Counter[str]]:
    table: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for (*context, word), count in grams.items():
        table[tuple(context)][word] = count
    return dict(table)
