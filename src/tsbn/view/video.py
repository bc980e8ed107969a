"""Videos of motions, mp4 or gif: one body or several side by side, each on its ground and with its styles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt8

from tsbn.atomic import new_file
from tsbn.data.extras import needs
from tsbn.data.progress import bars
from tsbn.view.colours import style_colours
from tsbn.view.takes import Takes, all_takes

with needs("Pillow", "plot", "making videos"):
    from PIL import Image

from tsbn.view.panel import Panel

# Browsers show gifs that are asked for more than 50 frames/s at 10; half of that also keeps the files small.
GIF_RATE = 25


def write_video(
    takes: Takes,
    path: str | os.PathLike,
    *,
    size: tuple[int, int] | None = None,
    fps: float | None = None,
    overwrite: bool = False,
) -> None:
    """Writes an mp4 or a gif, as the ending of `path` says, that plays at the speed of the motion.

    size: width and height of the picture, both even; chosen by the number of motions if not given.
    fps: pictures per second; by default one per frame (in a gif 25 at most). Frames are left out or shown again to
    keep the speed. Motions that end early stand still until the longest ends.

    >>> import tempfile
    >>> from tsbn.motion import walker
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_video(walker("cat", frames=3), Path(folder, "cat.gif"), size=(160, 120))
    ...     Path(folder, "cat.gif").read_bytes()[:6]
    b'GIF89a'
    """
    ending = Path(path).suffix.lower()
    if ending not in (".mp4", ".gif"):
        raise ValueError(f"{path} ends in {ending!r}, expected '.mp4' or '.gif'")
    rate = all_takes(takes)[0].frame_rate
    if fps is None:
        fps = min(rate, GIF_RATE) if ending == ".gif" else rate
    pictures = render(takes, size=size, fps=fps)
    first = next(pictures)
    total = _count(takes, fps)
    with new_file(path, overwrite=overwrite) as temporary, bars() as progress:
        write = _write_gif if ending == ".gif" else _write_mp4
        shown = progress.track(_after(first, pictures), total=total, description=f"drawing {Path(path).name}")
        write(temporary, shown, first.shape[1::-1], fps)


def render(
    takes: Takes, *, size: tuple[int, int] | None = None, fps: float | None = None
) -> Iterator[UInt8[np.ndarray, "height width 3"]]:
    """The pictures of a video, one after the other; arguments as for `write_video`.

    >>> from tsbn.motion import walker
    >>> [picture.shape for picture in render(walker(frames=2), size=(160, 120))]
    [(120, 160, 3), (120, 160, 3)]
    """
    shown = all_takes(takes)
    rate = shown[0].frame_rate
    fps = rate if fps is None else fps
    if not (np.isfinite(fps) and fps > 0):
        raise ValueError(f"fps is {fps}, expected a positive number of pictures per second")
    rows = -(-len(shown) // 5)
    columns = -(-len(shown) // rows)
    width, height = size or (960 if columns == 1 else 480 * columns, 540 * rows)
    if width % 2 or height % 2 or width // columns < 64 or height // rows < 64:
        raise ValueError(f"size is {(width, height)}, expected even numbers of at least 64 pixels for each motion")
    colours = style_colours(shown)
    edges = np.linspace(0, width, columns + 1).round().astype(int)
    floors = np.linspace(0, height, rows + 1).round().astype(int)
    places = [(n % columns, n // columns) for n in range(len(shown))]
    panels = [
        Panel(one, (int(edges[x + 1] - edges[x]), int(floors[y + 1] - floors[y])), colours)
        for one, (x, y) in zip(shown, places, strict=True)
    ]
    # Bodies are as large beside each other as they are: the farthest camera is far enough for all.
    farthest = max(panel.camera.distance for panel in panels)
    for panel in panels:
        panel.camera = replace(panel.camera, distance=farthest)
    for picture in range(_count(takes, fps)):
        whole = Image.new("RGB", (width, height), "white")
        frame = int(picture * rate / fps)
        for panel, (x, y) in zip(panels, places, strict=True):
            whole.paste(panel.draw(frame), (int(edges[x]), int(floors[y])))
        yield np.asarray(whole)


def _count(takes: Takes, fps: float) -> int:
    """Enough pictures to show the longest motion to its end."""
    shown = all_takes(takes)
    return int(np.ceil(max(one.frames for one in shown) / shown[0].frame_rate * fps - 1e-6))


def _after(first: np.ndarray, rest: Iterator[np.ndarray]) -> Iterator[np.ndarray]:
    yield first
    yield from rest


def _write_mp4(path: Path, pictures, size: tuple[int, int], fps: float) -> None:
    with needs("imageio-ffmpeg", "plot", "writing mp4"):
        from imageio_ffmpeg import write_frames

    # The settings every player understands; bitexact leaves the encoder's version and the date out of the file.
    params = ["-crf", "20", "-preset", "veryfast", "-movflags", "+faststart", "-fflags", "+bitexact"]
    settings: dict[str, Any] = {"fps": fps, "codec": "libx264", "quality": None, "macro_block_size": 2}
    encoder = write_frames(str(path), size, **settings, output_params=params)
    encoder.send(None)
    try:
        for picture in pictures:
            encoder.send(np.ascontiguousarray(picture))
    finally:
        encoder.close()


def _write_gif(path: Path, pictures, size: tuple[int, int], fps: float) -> None:
    images = (Image.fromarray(picture) for picture in pictures)
    first = next(images)
    palette = first.quantize(256, dither=Image.Dither.NONE)
    # A gif tells times in hundredths of a second: rounded so that the error does not add up.
    rest = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    stamps = (np.arange(len(rest) + 2) / fps * 100).round().astype(int)
    durations = (10 * np.diff(stamps)).tolist()
    palette.save(path, save_all=True, append_images=rest, duration=durations, loop=0, optimize=False)
