"""`sotu`: State of the Union addresses 1945 to 2006 as counts of words, a frame an address."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np

from tsbn.data.download import RemoteFile, fetch
from tsbn.data.sequences import Sequences
from tsbn.datasets.registry import DataSet, Parts

_FILE = RemoteFile(
    "sotu/nltk_state_union.zip",
    "366c1dc82b2abf896f42b2ec50ba802a0141a29f75d29ca48a7a243ce5bfbe8d",
    ("https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora/state_union.zip",),
)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def load(min_count: int = 10, max_share: float = 1.0) -> Parts:
    """Counts ``[65 addresses, vocabulary]``; `channel_names` are the words, the labels the presidents.

    Left out are words with fewer than ``min_count`` occurrences in all, and those that more than
    ``max_share`` of the addresses use (such as "the").
    """
    (path,) = fetch([_FILE])
    addresses = _addresses(path)
    counts = [Counter(_WORD.findall(text.lower())) for text in addresses.values()]
    total, used = sum(counts, Counter()), Counter(word for count in counts for word in count)
    vocabulary = sorted(word for word, n in total.items() if n >= min_count and used[word] <= max_share * len(counts))
    if not vocabulary:
        raise ValueError(f"no word is left with min_count {min_count} and max_share {max_share}")
    table = np.array([[count[word] for word in vocabulary] for count in counts], dtype=np.float32)
    presidents = [name.split("-")[1] for name in addresses]
    return Parts(Sequences([table], side=[presidents], names=["1945-2006"], channel_names=vocabulary))


def _addresses(path: Path) -> dict[str, str]:
    """Texts by name, such as ``1961-Kennedy``, in order of year."""
    with zipfile.ZipFile(path) as archive:
        names = sorted((name for name in archive.namelist() if name.endswith(".txt")), key=_order)
        return {Path(name).stem: archive.read(name).decode("cp1252", errors="replace") for name in names}


def _order(name: str) -> tuple[str, bool, str]:
    # 1963 has two presidents, and the alphabet puts the later one first.
    return name.split("-")[0], "1963-Johnson" in name, name


DATASET = DataSet(
    name="sotu",
    summary="State of the Union addresses 1945-2006: counts of words, a frame an address",
    home="https://www.nltk.org/nltk_data/",
    terms="Public domain (works of the United States government).",
    citation="C-Span State of the Union Address Corpus, compiled by K. Ahrens, distributed with NLTK.",
    load=load,
    files=(_FILE,),
)
