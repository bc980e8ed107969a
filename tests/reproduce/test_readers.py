"""Readers know the book they have read: by its words, and better by their order."""

import numpy as np
import pytest

from tsbn.reproduce.readers import PIECE, Readers

WORDS = tuple("abcdefghij")


def book(seed, length=4000):
    """Both books use nearly the same words, in another order."""
    random = np.random.default_rng(seed)
    following = np.random.default_rng(100 + seed % 2).permuted(np.tile(np.arange(10), (10, 1)), axis=1)[:, :3]
    word, found = 0, []
    for _ in range(length):
        word = following[word, random.integers(3)]
        found.append(WORDS[word])
    return found


@pytest.fixture(scope="module")
def readers():
    return Readers({"even": book(0), "odd": book(1)}, WORDS)


def judged(readers, asked, *texts):
    return {finding.metric: finding.value for finding in readers.findings("any", asked, texts)}


@pytest.mark.parametrize(("name", "seed"), [("even", 2), ("odd", 3)])
def test_new_text_of_a_book_is_recognised_better_than_its_words_in_any_order(readers, name, seed):
    new = book(seed, 2000)
    real = judged(readers, [name], new)
    bag = judged(readers, [name], list(np.random.default_rng(0).permutation(new)))
    assert real["recognised by pairs"] > 0.95
    assert real["recognised by pairs"] > bag["recognised by pairs"] + 0.1
    assert real["log-probability per word"] > bag["log-probability per word"] + 0.5
    assert real["lead over other books"] > bag["lead over other books"] + 0.2
    assert real["recognised"] == pytest.approx(bag["recognised"], abs=0.15)


def test_text_of_the_other_book_is_not_recognised(readers):
    found = judged(readers, ["even"], book(3, 2000))
    assert found["recognised by pairs"] < 0.05
    assert found["lead over other books"] < 0


def test_of_a_mixture_each_share_is_told(readers):
    found = judged(readers, ["even", "odd"], book(2, 600), book(3, 200))
    assert found["recognised by pairs"] == 1
    assert found["recognised by pairs as even"] == pytest.approx(0.75, abs=0.06)
    assert found["recognised by pairs as odd"] == pytest.approx(0.25, abs=0.06)
    assert "lead over other books" not in found


def test_a_text_of_unknown_pairs_is_taken_for_no_book():
    readers = Readers({"sea": ["waves", "wind"] * 40, "land": ["hills", "wind"] * 40}, ["hills", "waves", "wind"])
    for book in ("sea", "land"):
        assert judged(readers, [book], ["hills", "waves"] * PIECE)["recognised by pairs"] == 0


def test_a_text_that_repeats_itself_has_few_distinct_words(readers):
    assert judged(readers, ["even"], ["a"] * PIECE)["distinct words"] == 1 / PIECE


def test_what_cannot_be_judged_is_told(readers):
    with pytest.raises(ValueError, match="nothing to recognise in fewer than two"):
        Readers({"even": book(0)}, WORDS)
    with pytest.raises(ValueError, match="a book has 5 words, expected at least 20"):
        Readers({"even": book(0), "odd": book(1, 5)}, WORDS)
    with pytest.raises(ValueError, match="fewer than 20 words each"):
        judged(readers, ["even"], ["a"] * 19)
