"""What readers and writers of motion files share: errors with file and line, numbers, files written whole."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float

from tsbn.atomic import new_file

Words = Sequence[bytes | str]


class MotionFileError(ValueError):
    """A motion file that cannot be read: which file, which line, what was there, what was expected."""

    def __init__(self, path: str | os.PathLike[str], line: int, problem: str):
        super().__init__(f"{os.fspath(path)}, line {line}: {problem}")
        self.path = os.fspath(path)
        self.line = line


def shown(text: str | bytes, limit: int = 40) -> str:
    """A piece of a file, quoted and cut so that a megabyte of junk does not end up in an error message."""
    if isinstance(text, bytes):
        text = text[: 4 * limit].decode("utf-8", "replace")
    return repr(text if len(text) <= limit else text[:limit] + "…")


def parse_numbers(words: Words) -> Float[np.ndarray, " numbers"] | None:
    """All words as numbers at once, or None when some word is not a finite number."""
    try:
        # float() reads a word several times faster than a NumPy string array converts it.
        numbers = np.fromiter(map(float, words), dtype=float, count=len(words))
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def number_problem(words: Words) -> str | None:
    """What is wrong with the first word that is not a finite number."""
    for column, word in enumerate(words, start=1):
        if parse_numbers([word]) is None:
            text = word.decode("utf-8", "replace") if isinstance(word, bytes) else word
            hint = ", with a decimal point instead of a comma" if "," in text else ""
            return f"value {column} is {shown(text)}, expected a finite number{hint}"
    return None


def expect_numbers(words: Words, count: int, what: str, path: Path, line: int) -> Float[np.ndarray, " count"]:
    """Exactly `count` numbers, or an error that says what they should have been."""
    if len(words) != count:
        raise MotionFileError(path, line, f"{what} has {len(words)} values, expected {count}")
    numbers = parse_numbers(words)
    if numbers is None:
        raise MotionFileError(path, line, f"{what}: {number_problem(words)}")
    return numbers


def read_bytes(path: Path) -> bytes:
    """The whole file without a byte order mark."""
    return path.read_bytes().removeprefix(b"\xef\xbb\xbf")


def decode(text: bytes) -> str:
    """Text of a file in any encoding that contains ASCII: unknown bytes survive being written again."""
    return text.decode("utf-8", "surrogateescape")


def write_whole(path: str | os.PathLike[str], text: str, overwrite: bool) -> None:
    """Writes a file that appears complete or not at all, and replaces another only when asked to."""
    with new_file(path, overwrite=overwrite) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="surrogateescape", newline="\n")
