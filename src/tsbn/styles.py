"""Style paths: which style, or blend of styles, each frame of a sequence is asked to have.

A path is a small value made of `hold` and `blend`, joined by `slide` and `cut`, and can be written as text:

    normal:120 > drunk:200 | 0.5*cat+0.5*strong:150

- ``name:frames`` holds a style for that many frames.
- ``a > b`` slides from a to b along a sigmoid over 60 frames, ``a >30> b`` over 30; ``a | b`` cuts.
- ``2*cat+strong`` blends; weights are shares, divided by their sum, and 1 where none is written.
- A name with one of ``: > | + * "`` in it stands in double quotes, with a quote inside it doubled.

The frames of a slide are the first ones of the style it leads to, so the counts add up to the length of the path,
and a slide cannot be longer than the style that follows it is held.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import NoReturn

import numpy as np
from jaxtyping import Float

from tsbn.data.nearest import nearest

SLIDE = 60
# Where the sigmoid is cut off on either side; it is stretched to reach exactly 0 and 1 there.
STEEPNESS = 6.0


class PathError(ValueError):
    """A text is not a style path: where, and what was expected."""

    def __init__(self, text: str, position: int, problem: str):
        self.text, self.position, self.problem = text, position, problem
        super().__init__(f"style path, character {position + 1}: {problem}\n  {text}\n  {' ' * position}^")


@dataclass(frozen=True)
class Leg:
    """One style or blend, the frames it lasts, and over how many of them it is slid into (0: a cut)."""

    weights: tuple[tuple[str, float], ...]
    frames: int
    slide: int = 0

    def __post_init__(self) -> None:
        names = [name for name, _ in self.weights]
        if not names or not all(isinstance(name, str) and name for name in names):
            raise ValueError(f"the styles are {names}, expected one name or more")
        if len(set(names)) != len(names):
            raise ValueError(f"a style occurs twice in the blend of {', '.join(names)}")
        for name, weight in self.weights:
            if not (np.isfinite(weight) and weight > 0):
                raise ValueError(f"the weight of {name!r} is {weight}, expected a positive number")
        for field, least in (("frames", 1), ("slide", 0)):
            value = getattr(self, field)
            if not isinstance(value, Integral) or value < least:
                raise ValueError(f"{field} is {value!r}, expected a whole number of at least {least}")
        if self.slide > self.frames:
            raise ValueError(
                f"a slide over {self.slide} frames does not fit into the {self.frames} frames of {_blend(self)}"
            )

    def __str__(self) -> str:
        return f"{_blend(self)}:{self.frames}"


@dataclass(frozen=True)
class Path:
    """A sequence of styles held, slid to, blended and cut to.

    >>> path = hold("normal", 120).slide(hold("drunk", 200)).cut(blend({"cat": 1, "strong": 1}, 150))
    >>> str(path)
    'normal:120 > drunk:200 | cat+strong:150'
    >>> path.frames
    470
    >>> path.side(["cat", "drunk", "normal", "strong"])[-1]
    array([0.5, 0. , 0. , 0.5], dtype=float32)
    """

    legs: tuple[Leg, ...]

    def __post_init__(self) -> None:
        if not self.legs:
            raise ValueError("a style path needs one style at least")
        if self.legs[0].slide:
            raise ValueError(f"the path begins with a slide to {_blend(self.legs[0])}, with nothing to slide from")

    @property
    def frames(self) -> int:
        """The length of the path."""
        return sum(leg.frames for leg in self.legs)

    def __len__(self) -> int:
        return self.frames

    @property
    def styles(self) -> tuple[str, ...]:
        """The styles in the order they first appear."""
        return tuple(dict.fromkeys(name for leg in self.legs for name, _ in leg.weights))

    def slide(self, following: "Path", over: int = SLIDE) -> "Path":
        """This path, then the other, whose first `over` frames are a sigmoid from the last style here."""
        first, *rest = following.legs
        return Path((*self.legs, replace(first, slide=over), *rest))

    def cut(self, following: "Path") -> "Path":
        """This path, then suddenly the other."""
        return self.slide(following, over=0)

    def side(self, labels: Sequence[str | int]) -> Float[np.ndarray, "time styles"]:
        """The side information y of every frame, float32, in the order of the model's labels; rows sum to one."""
        known = [str(label) for label in labels]
        for name in self.styles:
            if name not in known:
                raise ValueError(f"style {name!r} is not known: {nearest(name, known)}")
        vectors = [_shares(leg, known) for leg in self.legs]
        rows = np.repeat(vectors, [leg.frames for leg in self.legs], axis=0)
        start = self.legs[0].frames
        for before, after, leg in zip(vectors, vectors[1:], self.legs[1:], strict=False):
            come = sigmoid(leg.slide)[:, None]
            rows[start : start + leg.slide] = (1 - come) * before + come * after
            start += leg.frames
        return rows.astype(np.float32)

    def __str__(self) -> str:
        joins = {0: " | ", SLIDE: " > "}
        told = [joins.get(leg.slide, f" >{leg.slide}> ") + str(leg) for leg in self.legs[1:]]
        return str(self.legs[0]) + "".join(told)


def hold(style: str, frames: int) -> Path:
    """One style for some frames.

    >>> hold("old man", 2).side(["normal", "old man"])
    array([[0., 1.],
           [0., 1.]], dtype=float32)
    """
    return blend({style: 1.0}, frames)


def blend(weights: Mapping[str, float], frames: int) -> Path:
    """Several styles at once, each by its share of the weights' sum.

    >>> blend({"cat": 1, "strong": 3}, 1).side(["cat", "strong"])
    array([[0.25, 0.75]], dtype=float32)
    """
    return Path((Leg(tuple((name, float(weight)) for name, weight in weights.items()), frames),))


def sigmoid(frames: int) -> Float[np.ndarray, " frames"]:
    """How far a slide has come at each of its frames; the frame before would be 0, the one after is 1.

    >>> sigmoid(3).round(3)
    array([0.045, 0.5  , 0.955])
    """
    along = np.arange(1, frames + 1) / (frames + 1)
    end = np.tanh(STEEPNESS / 2)
    return 0.5 + 0.5 * np.tanh(STEEPNESS * (along - 0.5)) / end


def parse(text: str, labels: Sequence[str | int] | None = None) -> Path:
    """The path that a text tells; with `labels`, a style that is none of them is an error.

    >>> path = parse("normal:120 >30> old man:200", labels=["normal", "old man"])
    >>> path.legs[1]
    Leg(weights=(('old man', 1.0),), frames=200, slide=30)
    """
    return _Reader(text, None if labels is None else [str(label) for label in labels]).path()


_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_WEIGHT = re.compile(rf"({_NUMBER})\s*\*\s*")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"\s*')
_PLAIN = re.compile(r'[^:>|+*"]+')
_FRAMES = re.compile(r"(\d+)\s*")
_JOIN = re.compile(r">\s*(\d+)\s*>\s*|(>)\s*|\|\s*")
# Plain names that no reader, nor this one, could take for anything else; others are written in quotes.
_SAFE = re.compile(r"[^\W\d_](?:[\w .'-]*[\w.'-])?")


class _Reader:
    """Reads a text from left to right, and knows where it is when something is wrong."""

    def __init__(self, text: str, labels: list[str] | None):
        self.text, self.labels, self.at = text, labels, 0

    def path(self) -> Path:
        self._take(re.compile(r"\s*"))
        legs = [self._leg(slide=0)]
        while self.at < len(self.text):
            where = self.at
            join = self._take(_JOIN) or self._fail("expected '>' (slide), '>30>' (slide over 30 frames) or '|' (cut)")
            slide = int(join[1]) if join[1] else SLIDE if join[2] else 0
            legs.append(self._leg(slide, where))
        return Path(tuple(legs))

    def _leg(self, slide: int, where: int = 0) -> Leg:
        weights = dict([self._term()])
        while self._take(re.compile(r"\+\s*")):
            start = self.at
            name, weight = self._term()
            if name in weights:
                self._fail(f"style {name!r} is in this blend already", start)
            weights[name] = weight
        if not self._take(re.compile(r":\s*")):
            self._fail("expected ':' and a number of frames, as in 'normal:120'")
        start = self.at
        frames = int((self._take(_FRAMES) or self._fail("expected a whole number of frames"))[1])
        if not frames:
            self._fail("a style lasts one frame at least", start)
        if slide > frames:
            self._fail(
                f"a slide over {slide} frames does not fit into the {frames} frames of the style it leads to; "
                f"hold that longer, or slide over fewer frames: '>{min(frames, 30)}>'",
                where,
            )
        return Leg(tuple(weights.items()), frames, slide)

    def _term(self) -> tuple[str, float]:
        start = self.at
        number = self._take(_WEIGHT)
        weight = float(number[1]) if number else 1.0
        if not (np.isfinite(weight) and weight > 0):
            self._fail("a weight must be a positive number", start)
        start = self.at
        if quoted := self._take(_QUOTED):
            name = quoted[1].replace('""', '"')
        else:
            plain = self._take(_PLAIN)
            name = plain[0].strip() if plain else ""
        if not name:
            self._fail("expected the name of a style", start)
        if self.labels is not None and name not in self.labels:
            self._fail(f"style {name!r} is not known: {nearest(name, self.labels)}", start)
        return name, weight

    def _take(self, pattern: re.Pattern) -> re.Match | None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def _fail(self, problem: str, position: int | None = None) -> NoReturn:
        raise PathError(self.text, self.at if position is None else position, problem)


def _shares(leg: Leg, labels: list[str]) -> Float[np.ndarray, " styles"]:
    vector = np.zeros(len(labels))
    for name, weight in leg.weights:
        vector[labels.index(name)] = weight
    # Divided by the largest first: the sum of two huge weights may be infinite.
    vector /= vector.max()
    return vector / vector.sum()


def _blend(leg: Leg) -> str:
    return "+".join(("" if weight == 1 else f"{_number(weight)}*") + _name(name) for name, weight in leg.weights)


def _number(weight: float) -> str:
    short = f"{weight:g}"
    return short if float(short) == weight else repr(float(weight))


def _name(name: str) -> str:
    return name if _SAFE.fullmatch(name) else '"' + name.replace('"', '""') + '"'
