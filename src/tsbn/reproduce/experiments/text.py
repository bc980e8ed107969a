"""Text in the style of a book and of a mixture of two: samples, and what readers of the books say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import tsbn
from tsbn.atomic import new_file
from tsbn.data import Scaler, Sequences
from tsbn.data.splits import split_by_time
from tsbn.datasets.words import WordVectors
from tsbn.reproduce.experiment import Experiment, Finding, Job
from tsbn.reproduce.ngrams import NGrams
from tsbn.reproduce.predicting import ALGORITHM_1, FACTORS
from tsbn.reproduce.readers import Readers, Text
from tsbn.reproduce.results import Row
from tsbn.reproduce.wording import Wording
from tsbn.styles import blend

ORDER = 15
MIXTURE = ("bible", "law")
TEXTS, LENGTH = 30, 100
TURN = 10
"""Words of each book by turns, where real text of several is mixed."""
SHOWN = 3
PLACES = 500
"""Words at the end of each book's training text from which it is learned how near a word must be to come up."""

Writer = Callable[[Sequence[str], np.random.Generator], Text]
"""Writes `LENGTH` words in the style of the books asked for, all in equal shares."""


@dataclass(frozen=True)
class Shelf:
    """The books: `train` and `written` to learn from, as vectors and as words; `kept` is real text that nobody read."""

    words: WordVectors
    train: Sequences
    written: Mapping[str, Text]
    kept: Mapping[str, Text]
    readers: Readers


@cache
def shelf() -> Shelf:
    """Writers learn from the first six tenths of each book, readers from the next three."""
    parts = tsbn.datasets.load("books", words=90_000, epochs=10)
    assert parts.words is not None
    train, read, kept = split_by_time(parts.train, 0.6, 0.9)
    scaler = Scaler.fit(train)
    written, known, unread = (
        {name: parts.words.decode(part[name]) for name in part.names} for part in (train, read, kept)
    )
    return Shelf(
        # Scaled, since all word vectors point much the same way: angles between them tell little before.
        WordVectors(parts.words.words, scaler.transform(parts.words.vectors).astype(np.float32)),
        scaler.transform(train),
        written,
        unread,
        Readers(known, parts.words.words),
    )


def real(seed: int) -> Writer:
    """Text of the books themselves that neither writers nor readers have seen."""

    def write(asked: Sequence[str], random: np.random.Generator) -> Text:
        texts = [shelf().kept[book] for book in asked]
        starts = [int(random.integers(len(text) - LENGTH)) for text in texts]
        if len(asked) == 1:
            return texts[0][starts[0] : starts[0] + LENGTH]
        turns = [
            word
            for at in range(0, LENGTH, TURN)
            for text, start in zip(texts, starts, strict=True)
            for word in text[start + at : start + at + TURN]
        ]
        return turns[:LENGTH]

    return write


def ngrams(order: int, seed: int) -> Writer:
    """Words drawn one after another from n-grams of what the models learn from."""
    vocabulary = np.array(shelf().words.words)
    models = {book: NGrams(text, shelf().words.words, order) for book, text in shelf().written.items()}

    def write(asked: Sequence[str], random: np.random.Generator) -> Text:
        text: list[str] = []
        while len(text) < LENGTH:
            chances = np.mean([models[book].distribution(text) for book in asked], axis=0)
            text.append(str(random.choice(vocabulary, p=chances)))
        return text

    return write


def clamped(make: Callable[[], Any], seed: int) -> Writer:
    """A model of word vectors; each vector it draws becomes that of the nearest word, as in the paper."""
    words = shelf().words
    return streamed(make().fit(shelf().train, seed=seed), tsbn.Choices(), lambda frame, _: words.snap(frame[None])[0])


def worded(make: Callable[[], Any], seed: int) -> Writer:
    """A model of word vectors; words are drawn by how near they are to its mean and how common in all books.

    The nearest word is a rare one mostly, since most words are rare. What is fitted for this comes from the end of the
    training text, which the model kept for validation; it knows nothing of which book is asked for.
    """
    words, train, written = shelf().words, shelf().train, shelf().written
    fitted = make().fit(train, seed=seed)
    ends = train.pieces((i, slice(-PLACES - ORDER, None)) for i in range(len(train)))
    predicted = np.concatenate([mean[ORDER:] for mean in fitted.predict(ends, seed=seed).mean])
    place = {word: k for k, word in enumerate(words.words)}
    followed = np.array([place[word] for text in written.values() for word in text[-PLACES:]])
    counts = Counter(word for text in written.values() for word in text)
    often = np.array([counts[word] + 0.1 for word in words.words], np.float32)  # some come later in their book only
    wording = Wording.fit(words.vectors, often / often.sum(), predicted.astype(np.float32), followed)
    return streamed(fitted, tsbn.Choices("mean"), lambda frame, random: words.vectors[wording.draw(frame, random)])


def streamed(
    fitted: Any, choices: tsbn.Choices, snap: Callable[[np.ndarray, np.random.Generator], np.ndarray]
) -> Writer:
    """Each vector becomes that of a word before the next one follows. The first words have no full past: left out."""
    words = shelf().words

    def write(asked: Sequence[str], random: np.random.Generator) -> Text:
        side = blend(dict.fromkeys(asked, 1.0), 1).side(fitted.side_.labels)[0]
        stream = fitted.stream(
            side, seed=int(random.integers(2**31)), choices=choices, snap=lambda frame: snap(frame, random)
        )
        return words.decode(np.stack([stream.next() for _ in range(ORDER + LENGTH)])[ORDER:])

    return write


def judged(name: str, writer: Callable[[int], Writer]) -> Job:
    """The job of a writer: texts for each book and for the mixture, the first of them left in the folder."""

    def run(seed: int, folder: Path) -> Iterator[Finding]:
        write, random = writer(seed), np.random.default_rng(seed)
        shown = [f"## {name}, seed {seed}\n"]
        for setting, asked in settings().items():
            texts = [write(asked, random) for _ in range(TEXTS)]
            shown += [f"**{setting}**\n", *(f"> {' '.join(text[:40])} …\n" for text in texts[:SHOWN])]
            yield from shelf().readers.findings(setting, asked, texts)
        with new_file(_samples(folder) / f"{name.replace(' ', '_')}.{seed}.md", overwrite=True) as temporary:
            temporary.write_text("\n".join(shown).replace("<#>", "\\<#\\>"))

    return Job(name, run)


def settings() -> dict[str, Sequence[str]]:
    """Which books are asked for: each by itself, and the paper's mixture."""
    return {**{book: (book,) for book in shelf().written}, "mixture": MIXTURE}


def gather(rows: list[Row], folder: Path) -> None:
    """All samples in one file."""
    pages = [page.read_text() for page in sorted(_samples(folder).glob("*.md"))]
    with new_file(folder / "samples.md", overwrite=True) as temporary:
        temporary.write_text("\n".join(["# Samples\n", *pages]))


def _samples(folder: Path) -> Path:
    return folder / "samples"


def jobs() -> list[Job]:
    """What real text and mere frequencies reach, n-grams, and ours."""
    size: dict[str, Any] = {"order": ORDER, "hidden": (100,), "window": 60, "steps": 800, **ALGORITHM_1}
    writers: dict[str, Callable[[int], Writer]] = {
        "real text": real,
        "unigrams": partial(ngrams, 1),
        "trigrams": partial(ngrams, 3),
        "CTSBN": partial(clamped, partial(tsbn.CTSBN, **size)),
        "FCTSBN": partial(clamped, partial(tsbn.FCTSBN, factors=FACTORS, **size)),
        "FCTSBN softmax": partial(worded, partial(tsbn.FCTSBN, factors=FACTORS, **size)),
    }
    return [judged(name, writer) for name, writer in writers.items()]


EXPERIMENT = Experiment(
    name="text",
    summary="Four books as word vectors: text in the style of each, and of the Bible and The Common Law mixed evenly.",
    jobs=jobs,
    figures=gather,
    notes=(
        "Writers learn from the first six tenths of (at most 90 000 words of) each book, readers from the next three, "
        "real text is the last tenth. Recognised: share of pieces of 20 words taken for the book asked for, of a "
        "mixture for either of its books. Logarithms are natural; the lead is over the mean of the readers of other "
        "books. CTSBN and FCTSBN clamp each vector to the nearest word, as the paper does; FCTSBN softmax draws words "
        "by nearness and frequency, and repeats one word without end where its distinct words are few. Word vectors "
        "were learned on all of the text, readers' part included. Verse markers give the Bible away."
    ),
)
