"""Checking single arguments: every error names the argument, what was given and what was expected."""

import difflib
import numbers
import operator
from collections.abc import Iterable
from typing import Any, TypeVar

Name = TypeVar("Name", bound=str)


def one_of(name: str, given: Any, known: Iterable[Name]) -> Name:
    """The given name, if it is known.

    >>> one_of("gradient", "nvill", ("nvil", "later"))
    Traceback (most recent call last):
    ValueError: gradient is 'nvill', expected one of 'nvil', 'later'; did you mean 'nvil'?
    """
    known = tuple(known)
    if given in known:
        return given
    close = difflib.get_close_matches(str(given).lower(), known, n=1)
    guess = f"; did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"{name} is {given!r:.60}, expected one of {', '.join(map(repr, known))}{guess}")


def whole_number(name: str, given: Any, least: int = 1) -> int:
    """The given number as an int, whichever library's integer it is.

    >>> whole_number("steps", 0)
    Traceback (most recent call last):
    ValueError: steps is 0, expected a whole number of at least 1
    """
    if not isinstance(given, bool):
        try:
            if (number := operator.index(given)) >= least:
                return number
        except TypeError:
            pass
    raise ValueError(f"{name} is {given!r:.60}, expected a whole number of at least {least}")


def number_within(name: str, given: Any, low: float, high: float, expected: str) -> float:
    """The given number, if it lies from `low` to `high`; `expected` says so in words.

    >>> number_within("warm_up", 2, 0, 1, "a share of the steps from 0 to 1")
    Traceback (most recent call last):
    ValueError: warm_up is 2, expected a share of the steps from 0 to 1
    """
    if isinstance(given, numbers.Real) and low <= float(given) <= high:
        return float(given)
    raise ValueError(f"{name} is {given!r:.60}, expected {expected}")
