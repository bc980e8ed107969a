"""Checking single arguments: every error names the argument, what was given and what was expected."""

import difflib
import numbers
import operator
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

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


def seed_number(given: Any) -> int:
    """The given seed. Random keys are made of 32 bits: larger seeds would repeat smaller ones.

    >>> seed_number(-1)
    Traceback (most recent call last):
    ValueError: seed is -1, expected a whole number from 0 to 4294967295
    """
    try:
        if (seed := whole_number("seed", given, least=0)) < 2**32:
            return seed
    except ValueError:
        pass
    raise ValueError(f"seed is {given!r:.60}, expected a whole number from 0 to {2**32 - 1}")


def yes_or_no(name: str, given: Any) -> bool:
    """The given truth value; other things that Python takes for true or false are likely mistakes.

    >>> yes_or_no("hidden_markov", "no")
    Traceback (most recent call last):
    ValueError: hidden_markov is 'no', expected True or False
    """
    if isinstance(given, bool | np.bool_):
        return bool(given)
    raise ValueError(f"{name} is {given!r:.60}, expected True or False")


def number_within(name: str, given: Any, low: float, high: float, expected: str) -> float:
    """The given number, if it lies from `low` to `high`; `expected` says so in words.

    >>> number_within("warm_up", 2, 0, 1, "a share of the steps from 0 to 1")
    Traceback (most recent call last):
    ValueError: warm_up is 2, expected a share of the steps from 0 to 1
    """
    if isinstance(given, numbers.Real) and low <= float(given) <= high:
        return float(given)
    raise ValueError(f"{name} is {given!r:.60}, expected {expected}")
