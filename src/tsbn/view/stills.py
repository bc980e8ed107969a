"""The still figure: one body at several frames, side by side on one ground."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tsbn.data.extras import needs
from tsbn.motion import Motion
from tsbn.view.camera import fitted
from tsbn.view.colours import INK, PAPER, QUIET, body_colours, css, style_colours
from tsbn.view.shapes import Shape, ground, limbs, shadow
from tsbn.view.strip import strongest
from tsbn.view.takes import Take, all_takes

with needs("matplotlib", "plot", "drawing stills"):
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

FROM_ABOVE = np.deg2rad(14)
# How far the bodies, which walk to the right, are turned towards the camera.
TOWARDS_US = np.deg2rad(25)
# Fingers of neighbours do not touch at this distance, in body heights.
APART = 0.62
DPI = 150


def still_figure(
    motion: Motion | Take,
    frames: int | Sequence[int] = 10,
    *,
    width: float = 10.0,
    height: float | None = None,
) -> Figure:
    """A figure, `width` times `height` inches (as high as the bodies need if not given), of a body at some frames.

    frames: how many, evenly spread, or which. The bodies keep their poses and headings, but stand in a row in the
    order of time, because a motion that turns or stops would hide them behind each other.

    >>> from tsbn.motion import walker
    >>> figure = still_figure(walker("old man", frames=90), frames=[0, 30, 60])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1', '31', '61']
    """
    (one,) = all_takes([motion])
    chosen = _chosen(frames, one.frames)
    row = np.zeros((len(chosen), 3))
    row[:, 0] = APART * (np.arange(len(chosen)) - (len(chosen) - 1) / 2)
    lined = _in_a_row(one, chosen, row)
    target = np.array([0.0, lined.places[..., 1].max() / 2, 0.0])
    letters = 8 * DPI / 72
    span = np.ptp(lined.places.reshape(-1, 3), axis=0)
    tall = DPI * height if height else (width * DPI - 2 * letters) * (span[1] + 0.12) / (span[0] + 0.12) + 7 * letters
    size = (width * DPI, tall)
    top = (3 if one.title else 1) * letters
    box = (letters, top, size[0] - letters, size[1] - 4.6 * letters)
    thickest = float(one.thickness.max(initial=0.0))
    camera = fitted((lined.places - target).reshape(-1, 3), box, 0.0, FROM_ABOVE, size[0], thickest)
    colours = style_colours([one])
    body = body_colours(one, colours)
    shapes = ground(camera, target, radius=float(row[-1, 0]) + 3.0, pixel=1.0)
    order = range(len(chosen))
    shapes += [shape for n in order for shape in shadow(lined, n, camera, target)]
    shapes += [shape for n in order for shape in limbs(lined, n, body[chosen[n]], camera, target)]
    figure, axes = _page(size, shapes)
    feet, _ = camera.see(lined.places, target)
    below = float(feet[..., 1].max()) + 1.2 * letters
    middles, _ = camera.see(row, target)
    for n, frame in enumerate(chosen):
        x = float(middles[n, 0])
        axes.text(x, below, str(frame + 1), color=css(QUIET), size=8, ha="center", va="top")
        told = "\n".join(text.replace(" %", "%") for _, text in strongest(one, frame))
        if told:
            axes.text(x, below + 1.4 * letters, told, color=css(INK), size=7, ha="center", va="top", linespacing=1.0)
    if one.title:
        axes.text(letters, letters, one.title, color=css(INK), size=10, weight="bold", va="top")
    return figure


def _chosen(frames: int | Sequence[int], total: int) -> list[int]:
    if isinstance(frames, int):
        if not 1 <= frames <= total:
            raise ValueError(f"frames is {frames}, expected from 1 to the {total} frames of the motion")
        return np.linspace(0, total - 1, frames).round().astype(int).tolist()
    chosen = [int(frame) for frame in frames]
    if not chosen or min(chosen) < 0 or max(chosen) >= total:
        raise ValueError(f"frames are {chosen}, expected some of 0 to {total - 1}")
    return chosen


def _in_a_row(one: Take, chosen: list[int], row: np.ndarray) -> Take:
    """A take whose frames are the chosen ones, turned to walk along x and moved to their places in the row."""
    places = one.places[chosen] - one.centres()[chosen][:, None] * [1, 0, 1]
    turn = np.pi / 2 - TOWARDS_US - one.direction()
    sine, cosine = np.sin(turn), np.cos(turn)
    about_y = np.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])
    return Take(places @ about_y.T + row[:, None], one.bones, one.sides, one.thickness, one.frame_rate)


def _page(size: tuple[float, float], shapes: list[Shape]):
    figure = Figure(figsize=(size[0] / DPI, size[1] / DPI), dpi=DPI, facecolor=css(PAPER))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, size[0])
    axes.set_ylim(size[1], 0)
    colours = [css(shape.colour) for shape in shapes]
    axes.add_collection(PolyCollection([shape.outline for shape in shapes], facecolors=colours, edgecolors="none"))
    return figure, axes
