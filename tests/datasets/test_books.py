"""Four books become words, words become vectors, and vectors become words again."""

import numpy as np
import pytest

from tsbn import datasets
from tsbn.datasets.books import mark_verses, read, strip_gutenberg, tokens
from tsbn.datasets.words import WordVectors

FEW = {"words": 4000, "dimensions": 16, "epochs": 1}


def test_headers_and_footers_are_stripped(real_data):
    for book in ("napoleon", "law", "mysticism"):
        text = read(book)
        assert "Gutenberg" not in text
        assert "Produced by" not in text
        assert len(text) > 300_000
    assert "LOUIS BONAPARTE" in read("napoleon").upper()


def test_every_verse_of_the_bible_has_its_marker(real_data):
    text = read("bible")
    assert text.startswith("<#> In the beginning God created")
    assert text.count("<#>") == 31102
    assert not any(character.isdigit() for character in text)


def test_a_header_without_an_end_is_refused():
    with pytest.raises(ValueError, match=r"a.txt: no 'START OF'"):
        strip_gutenberg("*** START OF THE PROJECT GUTENBERG EBOOK X ***\ntext", "a.txt")


def test_old_and_new_headers_are_known():
    for article in ("THE", "THIS"):
        text = (
            f"about\n*** START OF {article} PROJECT GUTENBERG EBOOK X ***\n"
            "\nProduced by someone\n and others\n\n"
            f"The text.\n*** END OF {article} PROJECT GUTENBERG EBOOK X ***\nlicence"
        )
        assert strip_gutenberg(text, "a.txt").strip() == "The text."


def test_verses_of_numbered_books_are_marked():
    assert mark_verses("1Sa2:3 Talk\n2Ki10:1 And") == "<#> Talk\n<#> And"


def test_tokens_are_words_punctuation_and_markers():
    assert tokens("<#> Well-known men--and _God's_ day [245]; 1848!") == [
        *("<#>", "well-known", "men", "and", "god's", "day", ";", "!"),
    ]


def test_the_nearest_word_is_the_word(real_data):
    parts = datasets.load("books", **FEW)
    assert parts.train.labels == ["napoleon", "law", "mysticism", "bible"]
    words = parts.words.decode(parts.train["bible"][:7])
    # "beginning" is too rare in so few words.
    assert words == ["<#>", "in", "the", "god", "created", "the", "heaven"]


def test_rare_words_are_dropped(real_data):
    common, every = (datasets.load("books", **FEW, min_count=n) for n in (20, 1))
    assert len(common.words.words) < len(every.words.words)
    assert common.train.lengths.sum() < every.train.lengths.sum() == 4 * 4000


def test_the_seed_decides(real_data):
    first, again, other = (datasets.load("books", **FEW, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.words.vectors, again.words.vectors)
    assert not np.array_equal(first.words.vectors, other.words.vectors)


def test_only_the_direction_of_a_vector_counts():
    words = WordVectors(("a", "b", "c"), np.array([[1.0, 0], [0, 1], [-1, -1]]))
    assert words.decode(np.array([[100.0, 1], [0.1, 0.2], [-1e-6, -1e-6]])) == ["a", "b", "c"]
    assert words.decode(np.zeros((0, 2))) == []
    with pytest.raises(ValueError, match=r"expected finite numbers \[time, 2\]"):
        words.decode(np.zeros((3, 5)))
    with pytest.raises(KeyError, match="such as 'z'"):
        words.encode(["a", "z"])


@pytest.mark.slow
def test_words_of_the_whole_books_lie_near_words_they_go_with(real_data):
    parts = datasets.load("books")
    vector = dict(zip(parts.words.words, parts.words.vectors, strict=True))

    def likeness(a, b):
        return vector[a] @ vector[b] / np.linalg.norm(vector[a]) / np.linalg.norm(vector[b])

    assert likeness("mother", "daughter") > likeness("mother", "law")
    assert likeness("plaintiff", "defendant") > likeness("plaintiff", "heaven")
    assert parts.train.lengths.sum() > 1_000_000
