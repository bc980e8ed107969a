"""The style strip: the whole style path as one band of colours, and the captions that go with it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tsbn.data.extras import needs
from tsbn.view.colours import GRID, INK, Colour
from tsbn.view.takes import Take

with needs("matplotlib", "plot", "text in pictures"):
    import matplotlib


@cache
def font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    """The same letters on every machine: the ones that come with matplotlib."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(Path(matplotlib.get_data_path(), "fonts", "ttf", name)), size)


def style_strip(one: Take, colours: dict[str, Colour], width: int, height: int) -> Image.Image:
    """Time runs to the right; at every frame the styles are stacked, each as high as its share."""
    if one.side is None:
        return Image.new("RGB", (width, height), GRID)
    frames = np.minimum((np.arange(width) + 0.5) / width * one.frames, one.frames - 1).astype(int)
    shares = one.side[frames]
    tops = np.cumsum(shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9), axis=1)
    # Which style fills each pixel: the first whose top is above the pixel's middle.
    level = (np.arange(height) + 0.5) / height
    style = np.minimum((tops[:, :, None] <= level).sum(axis=1), len(one.labels) - 1)
    palette = np.array([colours[label] for label in one.labels], dtype=np.uint8)
    strip = Image.fromarray(palette[style.T])
    _write_names(strip, one, shares, colours)
    return strip


def _write_names(strip: Image.Image, one: Take, shares: np.ndarray, colours: dict[str, Colour]) -> None:
    """A style's name in the middle of every stretch it has to itself, if there is room."""
    draw, letters = ImageDraw.Draw(strip), font(round(0.66 * strip.height))
    alone = np.where(shares > 0.97 * shares.sum(axis=1, keepdims=True), np.arange(len(one.labels)), -1).max(axis=1)
    for stretch in np.split(np.arange(len(alone)), np.flatnonzero(np.diff(alone)) + 1):
        style = alone[stretch[0]]
        if style >= 0 and draw.textlength(one.labels[style], letters) + 6 < len(stretch):
            middle = (int(stretch[0] + stretch[-1]) / 2, strip.height / 2)
            draw.text(middle, one.labels[style], readable_on(colours[one.labels[style]]), letters, anchor="mm")


def readable_on(colour: Colour) -> Colour:
    """White or ink, whichever stands out.

    >>> readable_on((0, 0, 0))
    (255, 255, 255)
    """
    red, green, blue = colour
    return (255, 255, 255) if 0.3 * red + 0.59 * green + 0.11 * blue < 135 else INK


def caption(one: Take, frame: int) -> list[tuple[str, str]]:
    """The styles of a frame: each label, and the text to show for it.

    >>> from tsbn.motion import walker
    >>> from tsbn.styles import blend
    >>> from tsbn.view import take
    >>> caption(take(walker(frames=9), styles=blend({"cat": 3, "old man": 1}, 9)), 0)
    [('cat', 'cat 75 %'), ('old man', 'old man 25 %')]
    """
    if one.side is None:
        return []
    shares = one.side[frame] / max(one.side[frame].sum(), 1e-9)
    seen = [n for n in range(len(shares)) if shares[n] >= 0.005]
    if len(seen) == 1:
        return [(one.labels[seen[0]], one.labels[seen[0]])]
    return [(one.labels[n], f"{one.labels[n]} {100 * shares[n]:.0f} %") for n in seen]


def strongest(one: Take, frame: int, most: int = 2) -> list[tuple[str, str]]:
    """As `caption`, but only the styles of the largest shares, largest first."""

    def share(told: tuple[str, str]) -> float:
        return 0.0 if one.side is None else float(one.side[frame, one.labels.index(told[0])])

    return sorted(caption(one, frame), key=share, reverse=True)[:most]
