"""Motions to show, and what can be said of pictures without looking."""

import numpy as np

from tsbn.motion import Motion, positions, walker
from tsbn.styles import parse
from tsbn.view import Take, take
from tsbn.view.colours import PAPER

PATH = parse("normal:20 >10> old man:25 | 0.5*cat+0.5*strong:15")


def walk() -> Take:
    """A walk of 60 frames, asked to change its style."""
    return take(walker("normal", frames=60), styles=PATH, title="a walk")


def turned(motion: Motion) -> np.ndarray:
    """Positions with z up in place of y."""
    return np.roll(positions(motion), 1, axis=-1)


def differs_from_paper(picture: np.ndarray) -> np.ndarray:
    """Which pixels are clearly darker or more colourful than paper, grid and shadow are."""
    return np.abs(picture.astype(int) - PAPER).max(axis=-1) > 60
