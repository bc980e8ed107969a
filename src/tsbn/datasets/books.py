"""`books`: four books as sequences of word vectors, the book being the style."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from tsbn.data.download import RemoteFile, fetch
from tsbn.data.sequences import Sequences
from tsbn.datasets.registry import DataSet, Parts
from tsbn.datasets.words import learn_word_vectors

VERSE = "<#>"  # stands before every verse of the Bible

_GUTENBERG = "https://www.gutenberg.org"
_FILES = {
    "napoleon": RemoteFile(
        "text/napoleon_the_little_pg20580.txt",
        "5175314ca19218317a1db2d18cf57b971122609b65ebee500a26208ed1f458a2",
        (f"{_GUTENBERG}/files/20580/20580.txt", f"{_GUTENBERG}/cache/epub/20580/pg20580.txt"),
    ),
    "law": RemoteFile(
        "text/the_common_law_pg2449.txt",
        "0e7701fa451e5ebf99587628b90f10fe09fd7d9c6f4f532d006990d4b525ae78",
        (f"{_GUTENBERG}/files/2449/2449.txt", f"{_GUTENBERG}/cache/epub/2449/pg2449.txt"),
    ),
    "mysticism": RemoteFile(
        "text/mysticism_and_logic_pg25447.txt",
        "9df71a387a86adbbcdad2c2ebe547f4f6fc2af9a2417fe4996eb889b2fb388dd",
        (f"{_GUTENBERG}/files/25447/25447-0.txt", f"{_GUTENBERG}/cache/epub/25447/pg25447.txt"),
    ),
    "bible": RemoteFile(
        "text/bible_kjv_debian_4.38.txt",
        "cd45f0c9cedab8e4439bd6486c8952c77cc8b0ecc5d1f6ae3513f2039f47229d",
        ("https://deb.debian.org/debian/pool/main/b/bible-kjv/bible-kjv_4.38.tar.gz",),
        member="bible.rawtext",
    ),
}
_TOKEN = re.compile(rf"{VERSE}|[a-z]+(?:['-][a-z]+)*|[.,;:!?]")
_VERSE_NUMBER = re.compile(r"^(?:\d? ?[A-Z][A-Za-z]*)\d+:\d+ ", re.MULTILINE)
_START = re.compile(r"^\*\*\* ?START OF TH(?:E|IS) PROJECT GUTENBERG EBOOK.*$", re.MULTILINE)
_END = re.compile(
    r"^(?:\*\*\* ?END OF TH(?:E|IS) PROJECT GUTENBERG EBOOK|End of (?:the )?Project Gutenberg)", re.MULTILINE
)
_PRODUCERS = re.compile(r"\A\s*Produced by.*?\n\s*\n", re.DOTALL)


def load(
    dimensions: int = 50,
    min_count: int = 5,
    words: int | None = None,
    window: int = 5,
    epochs: int = 5,
    seed: int = 0,
) -> Parts:
    """Four sequences ``[words, dimensions]``, labelled by book; `Parts.words` decodes them to words.

    - ``min_count``: words with fewer occurrences in all four books are dropped from the text;
    - ``words``: only so many words from the beginning of each book (None: all, the Bible being the longest);
    - ``window``, ``epochs``, ``seed``: of word2vec. The same seed gives the same vectors.
    """
    texts = {book: tokens(read(book))[:words] for book in _FILES}
    vectors = learn_word_vectors(
        list(texts.values()),
        dimensions=dimensions,
        min_count=min_count,
        window=window,
        epochs=epochs,
        seed=seed,
    )
    known = set(vectors.words)
    kept = {book: [word for word in text if word in known] for book, text in texts.items()}
    data = Sequences(
        [vectors.encode(text) for text in kept.values()],
        side=list(kept),
        names=list(kept),
        label_names=list(kept),
    )
    return Parts(data, words=vectors)


def read(book: str) -> str:
    """The text of a book without what its distributors added; the Bible with markers for verse numbers."""
    (path,) = fetch([_FILES[book]])
    text = path.read_text(encoding="utf-8-sig")
    return mark_verses(text) if book == "bible" else strip_gutenberg(text, path)


def mark_verses(text: str) -> str:
    """Markers in place of numbers such as ``Ge1:1``.

    >>> mark_verses("Ge1:1 In the beginning")
    '<#> In the beginning'
    """
    return _VERSE_NUMBER.sub(f"{VERSE} ", text)


def strip_gutenberg(text: str, path: Path | str) -> str:
    """The text between header and footer of a Project Gutenberg file; `path` is for the error message."""
    start = _START.search(text)
    end = _END.search(text, start.end()) if start else None
    if start is None or end is None:
        raise ValueError(f"{path}: no 'START OF' and 'END OF PROJECT GUTENBERG EBOOK' lines, the file is not whole")
    return _PRODUCERS.sub("", text[start.end() : end.start()])


def tokens(text: str) -> list[str]:
    """Words in lower case, punctuation and verse markers; accents, numbers and all else are left out.

    >>> tokens("The defendant's plea, à la mode [12]:")
    ['the', "defendant's", 'plea', ',', 'a', 'la', 'mode', ':']
    """
    plain = unicodedata.normalize("NFKD", text.replace("’", "'").replace("--", " "))
    return _TOKEN.findall("".join(c for c in plain if not unicodedata.combining(c)).lower())


DATASET = DataSet(
    name="books",
    summary="Napoleon the Little, The Common Law, Mysticism and Logic, the Bible: word vectors by word2vec",
    home="https://www.gutenberg.org/ebooks/20580, /2449 and /25447; https://packages.debian.org/bible-kjv",
    terms="Public domain texts. To redistribute them under Project Gutenberg's name, follow its licence.",
    citation=(
        "V. Hugo, Napoleon the Little; O. W. Holmes, The Common Law; "
        "B. Russell, Mysticism and Logic and Other Essays; The Bible, King James Version."
    ),
    load=load,
    files=tuple(_FILES.values()),
    notes=(
        "Project Gutenberg revises its files, and Debian keeps only the versions of current releases: "
        "if a checksum differs, accept the changed file, or put a copy into the folder TSBN_DATA names."
    ),
)
