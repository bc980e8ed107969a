"""Writers write what was asked for, and readers tell real text from words in any order."""

import numpy as np
import pytest

import tsbn
from tsbn.data import Sequences
from tsbn.datasets.words import WordVectors
from tsbn.reproduce.experiments import text
from tsbn.reproduce.readers import Readers

VOCABULARY = tuple("abcdefghij")
FOLLOWING = {"bible": (1, 3), "law": (7, 9)}  # how far in the alphabet the next word is


def written(book, seed, length=1500):
    steps = np.random.default_rng(seed).choice(FOLLOWING[book], size=length)
    return [VOCABULARY[k] for k in np.cumsum(steps) % len(VOCABULARY)]


@pytest.fixture
def shelf(monkeypatch):
    vectors = np.random.default_rng(0).standard_normal((len(VOCABULARY), 4)).astype(np.float32)
    words = WordVectors(VOCABULARY, vectors)
    texts = [{book: written(book, seed) for book in FOLLOWING} for seed in (0, 1, 2)]
    train = Sequences([words.encode(one) for one in texts[0].values()], side=list(FOLLOWING), names=list(FOLLOWING))
    shelf = text.Shelf(words, train, texts[0], texts[2], Readers(texts[1], VOCABULARY))
    monkeypatch.setattr(text, "shelf", lambda: shelf)
    return shelf


def found(job, folder):
    return {(finding.setting, finding.metric): finding.value for finding in job.run(0, folder)}


def small():
    return tsbn.FCTSBN(order=2, hidden=(3,), factors=2, steps=20, window=20)


@pytest.mark.parametrize("book", FOLLOWING)
def test_real_text_is_recognised_better_than_trigrams_and_those_better_than_unigrams(shelf, tmp_path, book):
    real, three, one = (
        found(text.judged(name, writer), tmp_path)
        for name, writer in (
            ("real", text.real),
            ("three", lambda seed: text.ngrams(3, seed)),
            ("one", lambda seed: text.ngrams(1, seed)),
        )
    )
    assert real[book, "recognised by pairs"] > 0.95
    assert three[book, "recognised by pairs"] > one[book, "recognised by pairs"] + 0.2
    assert real[book, "log-probability per word"] > one[book, "log-probability per word"] + 0.5


def test_a_real_mixture_holds_both_books_by_turns(shelf):
    mixed = text.real(0)(("bible", "law"), np.random.default_rng(0))
    assert len(mixed) == text.LENGTH
    jumps = [np.diff([VOCABULARY.index(word) for word in mixed[k : k + 10]]) % 10 for k in range(0, 40, 10)]
    assert all(set(jump) <= set(FOLLOWING[book]) for jump, book in zip(jumps, ["bible", "law"] * 2, strict=True))


@pytest.mark.parametrize("writer", [pytest.param(text.clamped, marks=pytest.mark.slow), text.worded])
def test_models_write_words_for_every_book_and_the_mixture(shelf, tmp_path, writer, optimising):
    job = text.judged("ours", lambda seed: writer(small, seed))
    told = found(job, tmp_path)
    assert {setting for setting, _ in told} == {"bible", "law", "mixture"}
    assert np.isfinite(list(told.values())).all()
    text.gather([], tmp_path)
    samples = (tmp_path / "samples.md").read_text()
    assert samples.count("**mixture**") == 1
    shown = [line for line in samples.splitlines() if line.startswith("> ")]
    assert len(shown) == 3 * text.SHOWN
    assert set(shown[0].split()) <= {">", "…", *VOCABULARY}
