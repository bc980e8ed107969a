import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsbn.styles import SLIDE, Leg, Path, PathError, blend, hold, parse, sigmoid

STYLES = ["cat", "drunk", "normal", "old man", "strong"]


@st.composite
def paths(draw, names) -> Path:
    """Any path, with names that may hold every character the notation uses."""
    weights = st.floats(1e-300, 1e300)
    legs = []
    for _ in range(draw(st.integers(1, 5))):
        blended = draw(st.dictionaries(names, weights, min_size=1, max_size=3))
        frames = draw(st.integers(1, 200))
        slide = draw(st.sampled_from([0, SLIDE, 1, frames])) if legs else 0
        legs.append(Leg(tuple(blended.items()), frames, min(slide, frames)))
    return Path(tuple(legs))


@given(paths(names=st.text(min_size=1) | st.text(alphabet=':>|+*" 1e.c', min_size=1) | st.sampled_from(STYLES)))
def test_a_path_written_as_text_reads_back_as_the_same_path(path):
    assert parse(str(path)) == path


@given(paths(names=st.sampled_from(STYLES)))
def test_every_frame_is_a_convex_combination_of_the_styles(path):
    y = path.side(STYLES)
    assert y.shape == (path.frames, len(STYLES))
    assert y.dtype == np.float32
    assert (y >= 0).all()
    assert y.sum(axis=1) == pytest.approx(1, abs=1e-6)


@given(paths(names=st.sampled_from(STYLES)), st.permutations(STYLES))
def test_the_columns_follow_the_order_of_the_labels(path, labels):
    assert (path.side(labels) == path.side(STYLES)[:, [STYLES.index(label) for label in labels]]).all()


def test_the_text_of_the_notation_means_what_its_values_mean():
    path = parse("normal:120 > drunk:200 >30> 0.5*cat+0.5*strong:150 | old man:40")
    assert path == (
        hold("normal", 120)
        .slide(hold("drunk", 200))
        .slide(blend({"cat": 0.5, "strong": 0.5}, 150), over=30)
        .cut(hold("old man", 40))
    )
    assert path.frames == len(path) == 510
    assert path.styles == ("normal", "drunk", "cat", "strong", "old man")


def test_spaces_do_not_matter_except_inside_names():
    assert parse("  cat :5>5>old man: 9|  2 * cat + strong:1 ") == parse("cat:5 >5> old man:9 | 2*cat+strong:1")


def test_paths_join_in_any_grouping():
    a, b, c = hold("cat", 70), hold("drunk", 80), blend({"cat": 1, "drunk": 2}, 90)
    assert a.slide(b).slide(c) == a.slide(b.slide(c))
    assert a.cut(b).cut(c) == a.cut(b.cut(c))


def test_a_slide_takes_the_first_frames_of_the_style_it_leads_to():
    y = parse("normal:100 > drunk:200").side(["drunk", "normal"])
    assert (y[:100] == [0, 1]).all()
    assert ((y[100:160] > 0) & (y[100:160] < 1)).all()
    assert (y[160:] == [1, 0]).all()


@given(st.integers(1, 300))
def test_a_slide_is_a_symmetric_sigmoid_that_never_turns_back(frames):
    come = sigmoid(frames)
    assert len(come) == frames
    assert (np.diff(come) > 0).all()
    assert come + come[::-1] == pytest.approx(np.ones(frames))
    assert ((come > 0) & (come < 1)).all()


def test_a_slide_has_no_jump_at_its_ends():
    steps = np.abs(np.diff(parse("normal:100 > drunk:60 > cat:100").side(STYLES), axis=0)).max(axis=1)
    # The steepest frame of the sigmoid is in its middle; everything else changes less.
    assert steps.max() == pytest.approx(np.diff(sigmoid(60)).max(), rel=1e-5)
    assert steps[[99, 159]].max() < 0.01


def test_a_cut_changes_style_from_one_frame_to_the_next():
    y = parse("normal:3 | drunk:2").side(["drunk", "normal"])
    assert y[:, 0].tolist() == [0, 0, 0, 1, 1]


def test_labels_may_be_numbers():
    assert parse("0:1 | 1:1").side([1, 0]).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 0, "name of a style"),
        ("normal", 6, "expected ':'"),
        ("normal:", 7, "number of frames"),
        ("normal:ten", 7, "number of frames"),
        ("normal:0", 7, "one frame at least"),
        ("normal:12.5", 9, "expected '>'"),
        ("normal:120 >", 12, "name of a style"),
        ("normal:120 drunk:10", 11, "expected '>'"),
        ("normal:120 > drunk:30", 11, "does not fit"),
        ("normal:120 > drnk:200", 13, "did you mean 'drunk'"),
        ("0*cat+drunk:100", 0, "positive"),
        ("cat+cat:100", 4, "already"),
        ('"cat:100', 0, "name of a style"),
        ("cat+:100", 4, "name of a style"),
    ],
)
def test_an_error_says_where_it_is_and_what_was_expected(text, position, problem):
    with pytest.raises(PathError, match=problem) as caught:
        parse(text, STYLES)
    assert caught.value.position == position
    *_, shown, caret = str(caught.value).split("\n")
    assert shown == "  " + text
    assert caret.index("^") == 2 + position


def test_a_style_the_model_does_not_know_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="'drnk' is not known: did you mean 'drunk'"):
        hold("drnk", 5).side(STYLES)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: hold("cat", 0), "frames is 0"),
        (lambda: hold("cat", 2.5), "frames is 2.5"),
        (lambda: hold("", 5), "expected one name"),
        (lambda: blend({}, 5), "expected one name"),
        (lambda: blend({"cat": -1.0}, 5), "weight of 'cat' is -1.0"),
        (lambda: blend({"cat": np.nan}, 5), "weight of 'cat' is nan"),
        (lambda: hold("cat", 5).slide(hold("drunk", 5)), "does not fit into the 5 frames of drunk"),
        (lambda: hold("cat", 5).slide(hold("drunk", 5), over=-1), "slide is -1"),
        (lambda: Path(()), "one style at least"),
        (lambda: Path((Leg((("cat", 1.0),), 9, 5),)), "nothing to slide from"),
        (lambda: Leg((("cat", 1.0), ("cat", 2.0)), 9), "twice"),
    ],
)
def test_values_that_make_no_path_are_refused(make, problem):
    with pytest.raises(ValueError, match=problem):
        make()
