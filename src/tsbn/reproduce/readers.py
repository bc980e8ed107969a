"""Readers of books, who say which book a text is like: word n-grams, and classifiers of words and of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from tsbn.data.extras import needs
from tsbn.reproduce.experiment import Finding
from tsbn.reproduce.ngrams import NGrams

Text = Sequence[str]

PIECE = 20
"""Words that are recognised at a time: so few that real text is not always recognised either."""

RECOGNISED = {1: "recognised", 2: "recognised by pairs"}
"""By single words, which a bag of the right words passes, and by pairs of neighbours, which it does not."""


class Readers:
    """Judges that have each read some text of every book, the same number of words of each.

    >>> books = {"sea": ["waves", "wind"] * 40, "land": ["hills", "wind"] * 40}
    >>> readers = Readers(books, vocabulary=["hills", "waves", "wind"])
    >>> findings = readers.findings("sea", asked=["sea"], texts=[["wind", "waves"] * 20])
    >>> found = {finding.metric: finding.value for finding in findings}
    >>> found["recognised"], found["lead over other books"] > 0
    (1.0, True)
    """

    def __init__(self, books: Mapping[str, Text], vocabulary: Sequence[str]):
        if len(books) < 2:
            raise ValueError(f"books are {list(books)}: there is nothing to recognise in fewer than two")
        length = min(map(len, books.values()))
        if length < PIECE:
            raise ValueError(f"a book has {length} words, expected at least {PIECE}")
        same = {book: text[:length] for book, text in books.items()}
        self.ngrams = {book: NGrams(text, vocabulary) for book, text in same.items()}
        self.classifiers = {size: _classifier(same, size) for size in RECOGNISED}

    def findings(self, setting: str, asked: Sequence[str], texts: Sequence[Text]) -> Iterator[Finding]:
        """Of texts that were asked to be like one book, or like a mixture of several.

        - `recognised`: share of pieces taken for (one of) the books asked for; of a mixture also for which;
        - `log-probability per word` in nats, to the reader of the book asked for (of a mixture: their mean), and its
          lead over the mean of the readers of other books;
        - `distinct words`: their share of all words, in pieces; text that repeats itself has few.
        """
        pieces = [piece for text in texts for piece in cut(text, PIECE)]
        if not pieces:
            raise ValueError(f"the texts have fewer than {PIECE} words each: there is nothing to recognise")
        for size, metric in RECOGNISED.items():
            taken_for = _recognised(self.classifiers[size], pieces)
            yield Finding(setting, metric, float(np.isin(taken_for, list(asked)).mean()))
            if len(asked) > 1:
                for book in asked:
                    yield Finding(setting, f"{metric} as {book}", float((taken_for == book).mean()))
        logs = {book: fmean(model.log_probability(text) for text in texts) for book, model in self.ngrams.items()}
        to_asked = fmean(logs[book] for book in asked)
        yield Finding(setting, "log-probability per word", to_asked)
        if others := [logs[book] for book in logs if book not in asked]:
            yield Finding(setting, "lead over other books", to_asked - fmean(others))
        yield Finding(setting, "distinct words", fmean(len(set(piece)) / len(piece) for piece in pieces))


def cut(text: Text, size: int) -> list[Text]:
    """Pieces of this many words one after another; what is left at the end is left out.

    >>> cut("to be or not to".split(), 2)
    [['to', 'be'], ['or', 'not']]
    """
    return [text[start : start + size] for start in range(0, len(text) - size + 1, size)]


def _classifier(books: Mapping[str, Text], size: int) -> Any:
    """Naive Bayes on counts of `size` words in a row."""
    with needs("scikit-learn", "judging", "recognising books"):
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.naive_bayes import MultinomialNB
        from sklearn.pipeline import make_pipeline
    counter = CountVectorizer(token_pattern=r"\S+", lowercase=False, ngram_range=(size, size))
    pieces = {book: cut(text, PIECE) for book, text in books.items()}
    labels = [book for book, of_it in pieces.items() for _ in of_it]
    every = [piece for of_it in pieces.values() for piece in of_it]
    return make_pipeline(counter, MultinomialNB(alpha=0.1)).fit(_documents(every), labels)


def _recognised(classifier: Any, pieces: Sequence[Text]) -> np.ndarray:
    """The book each piece is taken for; "" where nothing in it is known, which says nothing of any book."""
    counter, bayes = classifier[0], classifier[1]
    counts = counter.transform(_documents(pieces))
    return np.where(np.asarray(counts.sum(axis=1)).ravel() > 0, bayes.predict(counts), "")


def _documents(pieces: Sequence[Text]) -> list[str]:
    return [" ".join(piece) for piece in pieces]
