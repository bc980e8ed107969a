"""Words as vectors, and vectors as the nearest word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

from tsbn.data.extras import needs
from tsbn.progress import bars

_CHUNK = 1024  # vectors decoded at a time: keeps the table of similarities small


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A vocabulary with a vector for each word.

    >>> words = WordVectors(("up", "left"), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    >>> words.decode(np.array([[0.1, 5.0], [-3.0, 1.0]]))
    ['up', 'left']
    """

    words: tuple[str, ...]
    vectors: Float[np.ndarray, "words dimensions"]

    def encode(self, words: Iterable[str]) -> Float[np.ndarray, "time dimensions"]:
        """The vectors of the words; a word that is not in the vocabulary is an error."""
        row_of = {word: i for i, word in enumerate(self.words)}
        words = list(words)
        if unknown := [word for word in words if word not in row_of]:
            raise KeyError(f"{len(unknown)} words are not in the vocabulary, such as {unknown[0]!r}")
        return self.vectors[[row_of[word] for word in words]]

    def decode(self, vectors: Float[np.ndarray, "time dimensions"]) -> list[str]:
        """The nearest word of each vector, by the cosine of the angle between them."""
        return [self.words[k] for k in self._nearest(vectors)]

    def snap(self, vectors: Float[np.ndarray, "time dimensions"]) -> Float[np.ndarray, "time dimensions"]:
        """The vector of the nearest word in place of each.

        >>> WordVectors(("up", "left"), np.array([[0.0, 1.0], [-1.0, 0.0]])).snap(np.array([[0.1, 5.0]]))
        array([[0., 1.]])
        """
        return self.vectors[self._nearest(vectors)]

    @cached_property
    def _unit(self) -> Float[np.ndarray, "words dimensions"]:
        return self.vectors / np.linalg.norm(self.vectors, axis=1, keepdims=True)

    def _nearest(self, vectors: Float[np.ndarray, "time dimensions"]) -> Int[np.ndarray, " time"]:
        vectors = np.asarray(vectors)
        if vectors.ndim != 2 or vectors.shape[1] != self.vectors.shape[1] or not np.isfinite(vectors).all():
            raise ValueError(
                f"vectors has shape {vectors.shape}: expected finite numbers [time, {self.vectors.shape[1]}]"
            )
        best = [np.argmax(vectors[i : i + _CHUNK] @ self._unit.T, axis=1) for i in range(0, len(vectors), _CHUNK)]
        return np.concatenate(best) if best else np.empty(0, int)


def learn_word_vectors(
    texts: Sequence[Sequence[str]], *, dimensions: int, min_count: int, window: int, epochs: int, seed: int
) -> WordVectors:
    """Word vectors by word2vec (skip-gram), the same for the same seed; rare words are left out."""
    with needs("gensim", "text", "word2vec"):
        from gensim.models import Word2Vec
        from gensim.models.callbacks import CallbackAny2Vec

    class Bar(CallbackAny2Vec):
        def on_epoch_end(self, model: Word2Vec) -> None:
            shown.advance(task)

    # One thread: with more, the order of updates and so the result would differ from run to run.
    with bars(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()) as shown:
        task = shown.add_task("learning word vectors", total=epochs)
        model = Word2Vec(
            sentences=[text[i : i + 1000] for text in texts for i in range(0, len(text), 1000)],
            vector_size=dimensions,
            window=window,
            min_count=min_count,
            sg=1,
            epochs=epochs,
            seed=seed,
            workers=1,
            callbacks=[Bar()],
        )
    return WordVectors(tuple(str(word) for word in model.wv.index_to_key), np.asarray(model.wv.vectors))
