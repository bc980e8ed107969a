"""Word n-grams are a probability distribution at every place, and prefer the text they were learned from."""

import itertools

import numpy as np
import pytest

from tsbn.reproduce.ngrams import NGrams

WORDS = tuple("abcdefgh")


def text(seed, length=300):
    """Each word leads to one of two others, which two depends on the seed."""
    random = np.random.default_rng(seed)
    following = random.integers(len(WORDS), size=(len(WORDS), 2))
    word, found = 0, []
    for _ in range(length):
        word = following[word, random.integers(2)] if random.random() < 0.8 else random.integers(len(WORDS))
        found.append(WORDS[word])
    return found


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("before", [[], ["a"], ["c", "b"], ["b", "b", "b", "b"], ["never", "seen"]])
def test_probabilities_of_all_words_sum_to_one(order, before):
    model = NGrams(text(0), (*WORDS, "unseen"), order)
    one_by_one = [model.probability(word, before) for word in (*WORDS, "unseen")]
    assert sum(one_by_one) == pytest.approx(1)
    assert min(one_by_one) > 0
    np.testing.assert_allclose(model.distribution(before), one_by_one)


@pytest.mark.parametrize("order", [2, 3])
def test_a_model_prefers_new_text_of_its_own_kind(order):
    own, other = (NGrams(text(seed)[:200], WORDS, order) for seed in (0, 1))
    new = text(0)[200:]
    assert own.log_probability(new) > other.log_probability(new) + 0.2


def test_pairs_are_counted_by_hand():
    """After "the", two words of three pairs; "cat" follows one word only, "the" two, of six different pairs in all."""
    words = ["the", "cat", "sat", "on", "the", "mat", "by", "the", "cat"]
    model = NGrams(words, sorted(set(words)), order=2)
    pairs = len(set(itertools.pairwise(words)))
    alone = (1 - 0.75 + 0.75 * 6 / 6) / pairs  # "cat": one predecessor; six words were seen behind another
    assert pairs == 7
    assert model.probability("cat") == pytest.approx(alone)
    assert model.probability("cat", ["the"]) == pytest.approx((2 - 0.75 + 0.75 * 2 * alone) / 3)


def test_the_order_of_words_matters():
    model = NGrams(text(0), WORDS)
    shuffled = list(np.random.default_rng(0).permutation(text(0)))
    assert model.log_probability(text(0)) > model.log_probability(shuffled) + 0.5


def test_what_cannot_be_read_is_told():
    with pytest.raises(ValueError, match="text has 1 words that are not in the vocabulary, such as 'z'"):
        NGrams(["a", "z"], WORDS, 1)
    with pytest.raises(ValueError, match="order is 0, expected a number from 1 to the length of the text, 2"):
        NGrams(["a", "b"], WORDS, 0)
    with pytest.raises(ValueError, match="word 'z' is not in the vocabulary"):
        NGrams(["a", "b"], WORDS, 1).probability("z")
