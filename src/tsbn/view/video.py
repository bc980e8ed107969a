"""Videos of motions, mp4 or gif: one body or several side by side, each on its ground and with its styles."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from tsbn.atomic import new_file
from tsbn.data.extras import needs
from tsbn.progress import bars
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
    if fps is None and ending == ".gif":
        fps = min(all_takes(takes)[0].frame_rate, GIF_RATE)
    screen = _Screen(takes, size, fps)
    write = _write_gif if ending == ".gif" else _write_mp4
    with new_file(path, overwrite=overwrite) as temporary, bars() as progress:
        numbers = progress.track(range(screen.pictures), description=f"drawing {Path(path).name}")
        write(temporary, screen, map(screen.draw, numbers))


def render(
    takes: Takes, *, size: tuple[int, int] | None = None, fps: float | None = None
) -> Iterator[UInt8[np.ndarray, "height width 3"]]:
    """The pictures of a video, one after the other; arguments as for `write_video`.

    >>> from tsbn.motion import walker
    >>> [picture.shape for picture in render(walker(frames=2), size=(160, 120))]
    [(120, 160, 3), (120, 160, 3)]
    """
    screen = _Screen(takes, size, fps)
    return (np.asarray(screen.draw(number)) for number in range(screen.pictures))


class _Screen:
    """Panels that share a picture, and how many pictures there are."""

    def __init__(self, takes: Takes, size: tuple[int, int] | None, fps: float | None):
        shown = all_takes(takes)
        self.rate = shown[0].frame_rate
        self.fps = self.rate if fps is None else fps
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise ValueError(f"fps is {fps}, expected a positive number of pictures per second")
        # Enough pictures to show the longest motion to its end.
        self.pictures = int(np.ceil(max(one.frames for one in shown) / self.rate * self.fps - 1e-6))
        rows = -(-len(shown) // 5)
        columns = -(-len(shown) // rows)
        self.size = width, height = size or (960 if columns == 1 else 480 * columns, 540 * rows)
        if width % 2 or height % 2 or width // columns < 64 or height // rows < 64:
            raise ValueError(f"size is {self.size}, expected even numbers of at least 64 pixels for each motion")
        colours = style_colours(shown)
        x = [width * n // columns for n in range(columns + 1)]
        y = [height * n // rows for n in range(rows + 1)]
        self.panels: dict[tuple[int, int], Panel] = {}
        for one, (row, column) in zip(shown, itertools.product(range(rows), range(columns)), strict=False):
            room = (x[column + 1] - x[column], y[row + 1] - y[row])
            self.panels[x[column], y[row]] = Panel(one, room, colours)
        # Bodies are as large beside each other as they are: the farthest camera is far enough for all.
        farthest = max(panel.camera.distance for panel in self.panels.values())
        for panel in self.panels.values():
            panel.camera = replace(panel.camera, distance=farthest)

    def draw(self, number: int) -> Image.Image:
        whole = Image.new("RGB", self.size, "white")
        for corner, panel in self.panels.items():
            whole.paste(panel.draw(int(number * self.rate / self.fps)), corner)
        return whole


def _write_mp4(path: Path, screen: _Screen, pictures: Iterator[Image.Image]) -> None:
    with needs("imageio-ffmpeg", "plot", "writing mp4"):
        from imageio_ffmpeg import get_ffmpeg_exe

    width, height = screen.size
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{screen.fps}", "-i", "-"]
    # The settings every player understands; bitexact leaves the encoder's version and the date out of the file.
    wanted = ["-an", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-preset", "veryfast"]
    wanted += ["-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
    command = [get_ffmpeg_exe(), "-y", "-v", "error", *given, *wanted, str(path)]
    # Started here because imageio-ffmpeg forks, which is unsafe (and warned of) next to the threads of JAX. In a group
    # of its own, Ctrl-C ends the drawing first and the encoder after it.
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0) as encoder:
        assert encoder.stdin is not None
        assert encoder.stderr is not None
        try:
            for picture in pictures:
                encoder.stdin.write(picture.tobytes())
            encoder.stdin.close()
        except BrokenPipeError:
            pass  # the encoder gave up, and says why below
        complaint = encoder.stderr.read().decode(errors="replace").strip()
    if encoder.returncode:
        raise OSError(f"{path.name} could not be encoded: {complaint or f'exit code {encoder.returncode}'}")


def _write_gif(path: Path, screen: _Screen, pictures: Iterator[Image.Image]) -> None:
    # One palette for all, from pictures spread over the motion, since its colours change with its styles.
    spread = np.unique(np.linspace(0, screen.pictures - 1, 8).astype(int)).tolist()
    width, height = screen.size
    sample = Image.new("RGB", (width, height * len(spread)))
    for n, number in enumerate(spread):
        sample.paste(screen.draw(number), (0, height * n))
    palette = sample.quantize(256, dither=Image.Dither.NONE)
    images = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
    # A gif tells times in hundredths of a second: rounded so that the error does not add up.
    stamps = (np.arange(screen.pictures + 1) / screen.fps * 100).round().astype(int)
    durations = (10 * np.diff(stamps)).tolist()
    next(images).save(path, save_all=True, append_images=images, duration=durations, loop=0, optimize=False)
