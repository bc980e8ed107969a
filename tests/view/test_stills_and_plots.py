import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image
from scenes import PATH, differs_from_paper, walk

from tsbn.motion import walker
from tsbn.view import (
    confusion_matrix,
    hidden_activity,
    predictions,
    reliability_plot,
    save,
    still_figure,
    style_errors,
    style_path,
    training_curves,
)

HISTORY = [
    {"step": 100 * n, "bound": -9.0 / n, "validation": -9.5 / n - 0.1 * n, "divergence": 1.0 * n, "active": 5.0 * n}
    for n in range(1, 20)
]
WAVES = np.sin(np.arange(80)[:, None] / np.arange(3, 12))


def drawn(figure) -> np.ndarray:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]


FIGURES = {
    "stills": lambda: still_figure(walk(), 5, width=6),
    "training": lambda: training_curves(HISTORY),
    "predictions": lambda: predictions(WAVES, WAVES + 0.1, np.full_like(WAVES, 0.2), frame_rate=30),
    "hidden": lambda: hidden_activity(WAVES > 0),
    "style path": lambda: style_path(PATH),
    "errors": lambda: style_errors({"a": {"cat": [1.0, 2.0], "old man": [2.0, 2.5]}, "b": {"cat": 3.0}}),
}


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_is_cut_off_nor_lies_on_another(name):
    figure = FIGURES[name]()
    drawn(figure)
    for axes in figure.axes:
        low, high = axes.get_xlim()
        ticks = [tick for tick in axes.get_xticklabels() if axes.axison and low <= tick.get_position()[0] <= high]
        texts = [text for text in (*axes.texts, *ticks, axes.xaxis.label, axes.yaxis.label) if text.get_text()]
        boxes = [text.get_window_extent() for text in texts]
        assert all(figure.bbox.contains(*corner) for box in boxes for corner in (box.p0, box.p1))
        assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_the_same_figure_is_the_same_file(name, ending, tmp_path):
    for copy in ("a", "b"):
        save(FIGURES[name](), tmp_path / f"{copy}.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
    if ending == "png":
        with Image.open(tmp_path / "a.png") as picture:
            assert picture.size[0] > 500


def test_a_figure_is_not_saved_over_a_file_nor_in_an_unknown_format(tmp_path):
    figure = style_path(PATH)
    save(figure, tmp_path / "path.png")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        save(figure, tmp_path / "path.png")
    with pytest.raises(ValueError, match=r"ends in '\.bmpp', expected one of .*\.png"):
        save(figure, tmp_path / "path.bmpp")
    assert [file.name for file in tmp_path.iterdir()] == ["path.png"]


def test_stills_show_every_body_apart_from_the_others():
    picture = drawn(still_figure(walk(), [0, 20, 40, 59], width=8))
    texts = round(0.3 * picture.shape[0])
    columns = differs_from_paper(picture[:-texts]).any(axis=0)
    starts = np.flatnonzero(np.diff(np.concatenate([[0], columns.astype(int)])) == 1)
    assert len(starts) >= 4
    assert not columns[:3].any()
    assert not columns[-3:].any()


def test_stills_name_the_strongest_styles_of_each_frame():
    texts = [text.get_text() for text in still_figure(walk(), [0, 44, 59]).axes[0].texts]
    assert texts == ["1", "normal", "45", "old man", "60", "cat 50%\nstrong 50%", "a walk"]


@pytest.mark.parametrize("frames", [0, 61, [], [60], [-1]])
def test_stills_of_frames_that_do_not_exist_are_refused(frames):
    with pytest.raises(ValueError, match="expected"):
        still_figure(walk(), frames)


def test_training_curves_show_what_was_watched():
    assert [axes.get_ylabel() for axes in training_curves(HISTORY).axes] == [
        "bound per frame",
        "divergence",
        "active units",
    ]
    without = [{"step": row["step"], "bound": row["bound"]} for row in HISTORY]
    assert len(training_curves(without).axes) == 1
    best = max(HISTORY, key=lambda row: row["validation"])
    labels = [text.get_text() for text in training_curves(HISTORY).legends[0].get_texts()]
    assert labels[-1] == f"best, {best['validation']:.4g} at step {best['step']}"


def test_the_interval_has_the_width_its_level_asks_for():
    figure = predictions(np.zeros((50, 1)), np.zeros((50, 1)), np.ones((50, 1)), level=0.95)
    band = figure.axes[0].collections[0].get_paths()[0].vertices
    assert np.abs(band[:, 1]).max() == pytest.approx(1.95996, abs=1e-4)


def test_the_channels_that_vary_most_are_shown():
    waves = WAVES * np.array([1, 9, 2, 8, 3, 7, 4, 6, 5])
    titles = [axes.get_title(loc="left") for axes in predictions(waves, waves).axes]
    assert titles == [f"channel {n}" for n in (1, 3, 5, 6, 7, 8)]


def test_the_raster_puts_the_most_active_units_first():
    states = np.zeros((10, 3))
    states[:2, 0], states[:9, 1], states[:5, 2] = 1, 1, 1
    shown = hidden_activity(states).axes[0].images[0].get_array()
    assert shown.sum(axis=1).tolist() == [9, 5, 2]
    assert hidden_activity(states, ordered=False).axes[0].images[0].get_array().sum(axis=1).tolist() == [2, 9, 5]


def test_the_style_path_is_drawn_as_it_is():
    axes = style_path(PATH).axes[0]
    side = PATH.side(PATH.styles)
    assert (np.stack([line.get_ydata() for line in axes.lines], axis=1) == side).all()


def test_bars_are_means_and_their_lines_standard_deviations():
    axes = style_errors({"a": {"cat": [1.0, 3.0], "drunk": [5.0]}}).axes[0]
    assert [bar.get_height() for bar in axes.patches] == [2.0, 5.0]
    (segment,) = axes.collections[0].get_segments()
    assert segment[:, 1] == pytest.approx([2 - np.sqrt(2), 2 + np.sqrt(2)])


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: training_curves([]), "history has no rows"),
        (lambda: training_curves([{"bound": 1.0}]), "history has no rows"),
        (lambda: predictions(WAVES, WAVES[1:]), "mean has shape"),
        (lambda: predictions(WAVES, WAVES, WAVES[:, 1:]), "std has shape"),
        (lambda: predictions(WAVES, WAVES, level=90), "level is 90"),
        (lambda: hidden_activity(np.ones(4)), "expected .time, units."),
        (lambda: hidden_activity(2 * np.ones((4, 4))), "outside 0 to 1"),
        (lambda: style_path(np.ones((4, 2)), ["cat"]), "expected .time, 1."),
        (lambda: style_errors({}), "errors is empty"),
    ],
)
def test_what_cannot_be_plotted_is_refused_with_a_reason(make, problem):
    with pytest.raises(ValueError, match=problem):
        make()


def test_a_motion_needs_no_styles_to_be_shown():
    assert len(still_figure(walker(frames=9), 3).axes[0].texts) == 3


def test_curves_of_a_model_that_learns_labels_show_the_held_out_bound_and_the_share_of_labels_that_is_right():
    rows = [
        {"step": step, "bound": -3.0, "validation": label, "held_out_bound": -4.0 - label, "accuracy": 0.5}
        for step, label in ((10, -0.9), (20, -0.1), (30, -0.4))
    ]
    bounds, accuracy = training_curves(rows).axes
    assert bounds.lines[1].get_ydata() == pytest.approx([-3.1, -3.9, -3.6])
    assert bounds.lines[2].get_xdata() == pytest.approx([20]), "the best by labels"
    assert accuracy.get_ylabel() == "labels right"


def test_a_confusion_matrix_counts_and_a_reliability_plot_says_the_calibration_error():
    truth, guess = np.array([0, 0, 1, 2, 2, -1]), np.array([0, 1, 1, 2, 0, 0])
    figure = confusion_matrix(truth, guess, ["a", "b", "c"])
    assert [text.get_text() for text in figure.axes[0].texts] == ["1", "1", "0", "0", "1", "0", "1", "0", "1"]
    assert figure.axes[0].get_title(loc="left") == "60.0% of 5 right"
    plot = reliability_plot(np.array([[0.8, 0.2], [0.8, 0.2]]), np.array([0, 1]))
    assert plot.axes[0].get_title(loc="left") == "expected calibration error 0.300"
