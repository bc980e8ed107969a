"""Words drawn by nearness come up as often as they should, and follow the vectors that foretell them."""

import numpy as np
import pytest

from tsbn.reproduce.wording import SHARPNESS, Wording


@pytest.fixture(scope="module")
def places():
    """Twelve words, the first ones common; predictions are halfway to the word that follows."""
    random = np.random.default_rng(0)
    vectors = random.standard_normal((12, 6))
    shares = 1 / np.arange(1, 13)
    shares /= shares.sum()
    followed = random.choice(12, size=3000, p=shares)
    return vectors, shares, 0.5 * vectors[followed] + random.standard_normal((3000, 6)), followed


def test_words_come_up_with_their_shares(places):
    vectors, shares, predicted, _ = places
    wording, random = Wording.fit(*places), np.random.default_rng(1)
    drawn = np.bincount([wording.draw(one, random) for one in predicted], minlength=len(vectors)) / len(predicted)
    np.testing.assert_allclose(drawn, shares, atol=0.03)


def test_vectors_that_foretell_words_are_used_and_others_are_not(places):
    vectors, shares, predicted, followed = places
    told = Wording.fit(*places)
    frequency_alone = np.log(shares)[followed].mean()
    assert told.log_probability(predicted, followed) > frequency_alone + 0.2
    shuffled = np.random.default_rng(2).permutation(predicted)
    untold = Wording.fit(vectors, shares, shuffled, followed)
    assert untold.sharpness == min(SHARPNESS) < told.sharpness
    assert untold.log_probability(shuffled, followed) < frequency_alone + 0.05


def test_a_word_without_a_share_is_told(places):
    vectors, shares, *rest = places
    with pytest.raises(ValueError, match="shares has entries that are not positive"):
        Wording.fit(vectors, shares * (np.arange(12) > 0), *rest)
