"""Colours that people who see colours differently can also tell apart; names are always written beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from tsbn.view.takes import LEFT, RIGHT, Take

Colour = tuple[int, int, int]

PAPER: Colour = (248, 249, 251)
INK: Colour = (38, 44, 54)
QUIET: Colour = (118, 126, 138)
GRID: Colour = (205, 210, 218)
SHADOW: Colour = (226, 229, 234)
BODY: Colour = (70, 84, 104)
# Hues a quarter of the wheel apart follow each other, dark and light in turn.
STYLE_COLOURS: tuple[Colour, ...] = (
    (0, 107, 164),
    (200, 82, 0),
    (45, 140, 118),
    (140, 60, 140),
    (188, 145, 20),
    (88, 168, 216),
    (168, 40, 60),
    (120, 134, 60),
    (226, 130, 150),
    (90, 90, 100),
)


def style_colours(takes: Sequence[Take]) -> dict[str, Colour]:
    """A colour for every style of any of the takes.

    >>> from tsbn.motion import walker
    >>> from tsbn.view import take
    >>> style_colours([take(walker("cat", 9), styles="cat"), take(walker("drunk", 9), styles="drunk")])
    {'cat': (0, 107, 164), 'drunk': (200, 82, 0)}
    """
    labels = dict.fromkeys(label for one in takes for label in one.labels)
    return {label: STYLE_COLOURS[n % len(STYLE_COLOURS)] for n, label in enumerate(labels)}


def body_colours(one: Take, colours: dict[str, Colour]) -> Float[np.ndarray, "time 3"]:
    """The colour of the body at every frame: its styles' colours, mixed as the styles are."""
    if one.side is None:
        return np.tile(np.array(BODY, dtype=float), (one.frames, 1))
    mixed = one.side @ np.array([colours[label] for label in one.labels], dtype=float)
    return mixed / np.maximum(one.side.sum(axis=1, keepdims=True), 1e-9)


def toned(colour: Float[np.ndarray, " 3"], side: int) -> Colour:
    """The left side of a body is darker and its right side lighter, so that legs that cross stay apart."""
    if side == LEFT:
        return mix(colour, (20, 24, 32), 0.38)
    return mix(colour, (255, 255, 255), 0.30) if side == RIGHT else mix(colour, colour, 0.0)


def mix(one, other, share: float) -> Colour:
    """`share` of the other colour, the rest of the one.

    >>> mix((0, 0, 0), (200, 100, 50), 0.5)
    (100, 50, 25)
    """
    red, green, blue = (round((1 - share) * float(a) + share * float(b)) for a, b in zip(one, other, strict=True))
    return red, green, blue


def css(colour: Colour) -> str:
    """As other tools write it.

    >>> css((255, 0, 16))
    '#ff0010'
    """
    return "#{:02x}{:02x}{:02x}".format(*colour)
