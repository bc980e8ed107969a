import re
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scenes import differs_from_paper, walk

from tsbn.motion import walker
from tsbn.view import render, take, write_video
from tsbn.view.camera import fitted
from tsbn.view.colours import style_colours
from tsbn.view.panel import Panel
from tsbn.view.shapes import capsules

SMALL = (240, 180)


def decoded(path) -> tuple[str, np.ndarray]:
    """What ffmpeg says of a video, and all its frames."""
    told = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    found = subprocess.run(told, capture_output=True, check=True)
    return found.stderr.decode(), np.frombuffer(found.stdout, np.uint8).reshape(-1, SMALL[1], SMALL[0], 3)


def test_an_mp4_has_every_frame_at_the_speed_of_the_motion(tmp_path):
    write_video(walk(), tmp_path / "walk.mp4", size=SMALL)
    told, frames = decoded(tmp_path / "walk.mp4")
    assert re.search(r"Video: h264 .*yuv420p.* 240x180.* 30 fps", told)
    assert "Duration: 00:00:02.00" in told
    assert len(frames) == 60
    drawn = np.stack(list(render(walk(), size=SMALL)))
    assert np.abs(frames.astype(int) - drawn).mean() < 4


def test_a_gif_plays_as_long_as_the_motion(tmp_path):
    write_video(walk(), tmp_path / "walk.gif", size=SMALL)
    with Image.open(tmp_path / "walk.gif") as gif:
        lasted = []
        for frame in range(gif.n_frames):
            gif.seek(frame)
            lasted.append(gif.info["duration"])
        assert gif.size == SMALL
        assert gif.n_frames == 50
        assert gif.info["loop"] == 0
    assert sum(lasted) == 2000


def test_a_gif_keeps_the_colours_of_styles_that_come_late(tmp_path):
    write_video(walk(), tmp_path / "walk.gif", size=SMALL, fps=30)
    *_, last = render(walk(), size=SMALL)
    with Image.open(tmp_path / "walk.gif") as gif:
        gif.seek(gif.n_frames - 1)
        assert np.abs(np.asarray(gif.convert("RGB")).astype(int) - last).mean() < 1.5


@pytest.mark.parametrize("fps", [10, 30, 60])
def test_other_rates_keep_the_speed(fps):
    assert sum(1 for _ in render(walker(frames=60), size=(64, 64), fps=fps)) == 2 * fps


@pytest.mark.parametrize("ending", ["mp4", "gif"])
def test_the_same_motion_makes_the_same_file(ending, tmp_path):
    for name in ("a", "b"):
        write_video(walk(), tmp_path / f"{name}.{ending}", size=SMALL)
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


@pytest.mark.parametrize("style", ["normal", "graceful", "old man"])
def test_the_body_is_in_the_picture_at_every_frame_and_cut_nowhere(style):
    one = take(walker(style, frames=150, seed=3))
    panel = Panel(one, SMALL, {})
    bottom = panel.strip_top - panel.text
    sizes = []
    for frame in range(0, one.frames, 7):
        body = differs_from_paper(np.asarray(panel.draw(frame)))[: int(bottom - 2 * panel.text)]
        sizes.append(body.sum())
        rows, columns = np.nonzero(body)
        assert 2 < columns.min() < columns.max() < SMALL[0] - 3
        assert rows.min() > 2
        assert rows.max() - rows.min() > 0.45 * SMALL[1]
    assert min(sizes) > 300


def test_the_body_takes_the_colour_of_its_style():
    one = walk()
    colours = style_colours([one])
    panel = Panel(one, SMALL, colours)
    for frame, style in ((0, "normal"), (40, "old man")):
        picture = np.asarray(panel.draw(frame))[40 : panel.strip_top - 30]
        of = {name: (np.abs(picture.astype(int) - colour).max(axis=-1) < 6).sum() for name, colour in colours.items()}
        assert max(of, key=of.__getitem__) == style


def test_motions_side_by_side_share_the_picture_and_wait_for_the_longest():
    short, long = take(walker("cat", frames=5)), take(walker("cat", frames=9))
    pictures = list(render([short, long], size=(320, 160)))
    assert len(pictures) == 9
    left = [picture[:, :160] for picture in pictures]
    assert (left[4] == left[8]).all()
    assert not (left[3] == left[4]).all()
    assert all(differs_from_paper(picture[:, 160:]).any() for picture in pictures)


def test_many_motions_fill_rows():
    walks = [take(walker(style, frames=1), styles=style) for style in ["cat", "drunk", "normal"] * 2]
    (picture,) = render(walks)
    assert picture.shape == (1080, 1440, 3)


def test_letters_of_many_scripts_have_glyphs():
    one = take(walker(frames=1), styles="größe ходьба", title="περπάτημα")
    assert len(list(render(one, size=SMALL))) == 1


def test_an_existing_file_is_kept_unless_asked(tmp_path):
    path = tmp_path / "walk.gif"
    path.write_bytes(b"precious")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        write_video(walker(frames=2), path, size=(64, 64))
    assert path.read_bytes() == b"precious"
    write_video(walker(frames=2), path, size=(64, 64), overwrite=True)
    assert path.read_bytes() != b"precious"
    assert [file.name for file in tmp_path.iterdir()] == ["walk.gif"]


@pytest.mark.parametrize(
    ("takes", "name", "settings", "problem"),
    [
        (walker(frames=2), "walk.avi", {}, "expected '.mp4' or '.gif'"),
        (walker(frames=2), "walk.mp4", {"size": (101, 64)}, "even numbers"),
        (walker(frames=2), "walk.mp4", {"size": (64, 20)}, "at least 64"),
        (walker(frames=2), "walk.mp4", {"fps": 0}, "fps is 0"),
        ([], "walk.mp4", {}, "nothing to show"),
        ([walker(frames=2), walker(frames=2, fps=60)], "walk.mp4", {}, r"frame rates \[30.0, 60.0\]"),
    ],
)
def test_wrong_arguments_are_refused_and_leave_no_file(takes, name, settings, problem, tmp_path):
    with pytest.raises(ValueError, match=problem):
        write_video(takes, tmp_path / name, **settings)
    assert not list(tmp_path.iterdir())


@given(st.integers(0, 10**6), st.floats(-7, 7), st.floats(-0.5, 1.5))
def test_a_fitted_camera_sees_every_point_inside_its_box(seed, azimuth, elevation):
    points = np.random.default_rng(seed).normal(size=(20, 3))
    left, top, right, bottom = box = (10.0, 20.0, 300.0, 150.0)
    pixels, depth = fitted(points, box, azimuth, elevation, 200).see(points, np.zeros(3))
    assert (depth > 0).all()
    assert (pixels >= np.array([left, top]) - 1e-6).all()
    assert (pixels <= np.array([right, bottom]) + 1e-6).all()


@given(st.integers(0, 10**6))
def test_an_outline_goes_round_both_circles_and_nothing_else(seed):
    rng = np.random.default_rng(seed)
    start, end = rng.uniform(-5, 5, size=(2, 1, 2))
    radii = rng.uniform(0.1, 1, size=2)
    outline = capsules(start, end, radii[:1], radii[1:])[0]
    away = np.stack([np.linalg.norm(outline - centre, axis=1) for centre in (start, end)])
    assert np.abs(away - radii[:, None]).min(axis=0).max() < 1e-9
    assert (away >= radii[:, None] - 1e-9).any(axis=0).all()
