"""One take drawn frame by frame: ground, shadow, body, title, styles and frame counter."""

from __future__ import annotations

import numpy as np

from tsbn.data.extras import needs
from tsbn.view.camera import fitted
from tsbn.view.colours import INK, PAPER, QUIET, Colour, body_colours
from tsbn.view.shapes import Shape, ground, limbs, shadow
from tsbn.view.takes import Take

with needs("Pillow", "plot", "drawing motions"):
    from PIL import Image, ImageDraw

from tsbn.view.strip import caption, font, style_strip

# Edges are smoothed by drawing everything twice as large.
FINE = 2
FROM_THE_SIDE, FROM_ABOVE = np.deg2rad(52), np.deg2rad(11)


class Panel:
    """Draws any frame of a take; the camera follows, as near as the widest pose of all frames allows."""

    def __init__(self, one: Take, size: tuple[int, int], colours: dict[str, Colour]):
        self.take, self.size, self.colours = one, size, colours
        width, height = size
        self.margin = max(round(0.026 * height), 6)
        self.text = max(round(0.027 * height), 9)
        self.targets = one.centres()
        self.body = body_colours(one, colours)
        strip = round(1.35 * self.text)
        self.strip = style_strip(one, colours, width - 2 * self.margin, strip)
        self.strip_top = height - self.margin - strip
        head = self.margin + (3.6 * self.text if one.title or one.labels else self.text)
        left, right, foot = 2 * self.margin, width - 2 * self.margin, self.strip_top - 2.6 * self.text
        box = (FINE * left, FINE * head, FINE * right, FINE * foot)
        around = (one.places - self.targets[:, None]).reshape(-1, 3)
        thickest = float(one.thickness.max(initial=0.0))
        self.camera = fitted(around, box, one.direction() + FROM_THE_SIDE, FROM_ABOVE, FINE * height, thickest)

    def draw(self, frame: int) -> Image.Image:
        """The picture of a frame; after the last one the body stands still."""
        frame = min(frame, self.take.frames - 1)
        width, height = self.size
        large = Image.new("RGB", (FINE * width, FINE * height), PAPER)
        brush = ImageDraw.Draw(large)
        target = self.targets[frame]
        _fill(brush, ground(self.camera, target, pixel=FINE))
        _fill(brush, shadow(self.take, frame, self.camera, target))
        _fill(brush, limbs(self.take, frame, self.body[frame], self.camera, target))
        picture = large.reduce(FINE)
        self._write(picture, frame)
        return picture

    def _write(self, picture: Image.Image, frame: int) -> None:
        brush = ImageDraw.Draw(picture)
        width, _ = self.size
        margin, text = self.margin, self.text
        below = margin
        if self.take.title:
            brush.text((margin, below), self.take.title, INK, font(round(1.15 * text), bold=True))
            below += round(1.75 * text)
        self._write_styles(brush, frame, below)
        when = f"frame {frame + 1} / {self.take.frames} · {frame / self.take.frame_rate:.1f} s"
        brush.text((width - margin, self.strip_top - 0.5 * text), when, QUIET, font(text), anchor="rs")
        picture.paste(self.strip, (margin, self.strip_top))
        # The hand of the clock: a line through the strip that stands out on any of its colours.
        x = margin + (frame + 0.5) / self.take.frames * self.strip.width
        bottom = self.strip_top + self.strip.height
        brush.rectangle((x - 2, self.strip_top - 4, x + 1, bottom + 3), (255, 255, 255))
        brush.rectangle((x - 1, self.strip_top - 4, x, bottom + 3), INK)

    def _write_styles(self, brush: ImageDraw.ImageDraw, frame: int, top: float) -> None:
        text, x = self.text, float(self.margin)
        letters = font(text)
        for label, told in caption(self.take, frame):
            middle = top + 0.62 * text
            brush.text((x, middle), "●", self.colours[label], letters, anchor="lm")
            x += 1.05 * text
            brush.text((x, middle), told, INK, letters, anchor="lm")
            x += brush.textlength(told, letters) + 1.2 * text


def _fill(brush: ImageDraw.ImageDraw, shapes: list[Shape]) -> None:
    for outline, colour in shapes:
        brush.polygon(outline.ravel().tolist(), fill=colour)
