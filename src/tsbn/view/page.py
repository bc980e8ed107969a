"""A page that plays motions in 3-D in any browser: one file that needs no network and no other file."""

from __future__ import annotations

import base64
import html
import json
import os
import zlib
from importlib.resources import files
from typing import Any

import numpy as np
from jaxtyping import Float

from tsbn.atomic import new_file
from tsbn.view.colours import style_colours
from tsbn.view.takes import Take, Takes, all_takes

# Positions are rounded to this part of the body's height: under half a millimetre of a person.
STEPS = 4096
FROM_THE_SIDE = np.deg2rad(52)


def write_page(takes: Takes, path: str | os.PathLike, *, title: str = "", overwrite: bool = False) -> None:
    """Writes an HTML page: drag to turn, scroll to zoom, space to play, arrows to step; `#120` opens at frame 120.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from tsbn.motion import walker
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(walker("cat", frames=300), Path(folder, "cat.html"))
    ...     Path(folder, "cat.html").stat().st_size < 80_000
    True
    """
    with new_file(path, overwrite=overwrite) as temporary:
        temporary.write_text(page_text(takes, title=title), encoding="utf-8")


def page_text(takes: Takes, *, title: str = "") -> str:
    """The text of the page.

    >>> from tsbn.motion import walker
    >>> page_text(walker(frames=9), title="A walk").splitlines()[5]
    '<title>A walk</title>'
    """
    shown = all_takes(takes)
    data = {
        "rate": shown[0].frame_rate,
        "azimuth": shown[0].direction() + FROM_THE_SIDE,
        "colours": style_colours(shown),
        "takes": [_told(one) for one in shown],
    }
    # Inside a script, "<" could end it or begin a comment; JSON has another way to write it.
    told = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    template = files("tsbn.view").joinpath("page.html").read_text(encoding="utf-8")
    before, between = template.split("@TITLE@")
    between, after = between.split("@DATA@")
    named = title or ", ".join(one.title for one in shown if one.title) or "Motion"
    return before + html.escape(named) + between + told + after


def _told(one: Take) -> dict[str, Any]:
    # The place the camera looks at travels along as one more point.
    places = np.concatenate([one.places, one.centres()[:, None]], axis=1)
    step = max(1 / STEPS, float(np.abs(places).max()) / 2**28)
    shares = None if one.side is None else _packed((one.side / max(float(one.side.max()), 1e-9) * 255).round())
    return {
        "title": one.title,
        "frames": one.frames,
        "points": places.shape[1],
        "step": step,
        "places": _packed_places(places, step),
        "bones": one.bones.tolist(),
        "sides": one.sides.tolist(),
        "thickness": one.thickness.tolist(),
        "labels": list(one.labels),
        "side": shares,
    }


def _packed_places(places: Float[np.ndarray, "time points 3"], step: float) -> str:
    """Differences of differences from frame to frame, in whole steps: small numbers, which pack well."""
    whole = (places / step).round().astype(np.int32).reshape(len(places), -1)
    change = np.diff(np.diff(whole, axis=0, prepend=0), axis=0, prepend=0)
    # Folded so that small negative numbers have small bytes too, and equal bytes of all numbers put together.
    folded = ((change << 1) ^ (change >> 31)).astype("<u4").ravel()
    return _packed(folded.view(np.uint8).reshape(-1, 4).T)


def _packed(numbers: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(numbers.astype(np.uint8).tobytes(), 9)).decode()
