import itertools

import numpy as np
import pytest

from tsbn.motion import STYLES, encode, global_rotations, positions, read_amc, read_asf, walker
from tsbn.motion.walker_body import BALL, HEEL, SHANK, THIGH, body

NAMES = ["cat", "chicken", "dinosaur", "drunk", "gangly", "graceful", "normal", "old man", "sexy", "strong"]
BALL_THICKNESS = 0.02


def soles(motion) -> np.ndarray:
    """Heel, ball and tip of the toes of both feet where they meet the ground: `[time, foot, point, 3]`."""
    names, places, turned = motion.skeleton.names, positions(motion, ends=True), global_rotations(motion)
    feet = []
    for tip, side in enumerate(("Left", "Right")):
        foot, ball = names.index(f"{side}Foot"), names.index(f"{side}ToeBase")
        heel = places[:, foot] + turned[foot] @ HEEL
        under = places[:, ball] - np.array([0, BALL_THICKNESS, 0])
        feet.append(np.stack([heel, under, places[:, motion.skeleton.joints + tip]], axis=1))
    return np.stack(feet, axis=1)


def test_there_are_ten_styles():
    assert sorted(STYLES) == sorted(NAMES)


def test_the_body_has_the_proportions_of_a_person():
    skeleton = body()
    assert skeleton.joints >= 20
    rest = np.zeros((skeleton.joints, 3))
    for joint, parent in enumerate(skeleton.parents[1:], start=1):
        rest[joint] = rest[parent] + skeleton.offsets[joint]
    tips = rest[list(skeleton.end_parents)] + skeleton.ends
    height = tips[:, 1].max() - (rest[skeleton.names.index("LeftFoot")] + HEEL)[1]
    span = np.ptp(tips[:, 0])
    assert 1.6 < height < 1.9
    assert 0.95 < span / height < 1.08
    assert 0.44 < (THIGH + SHANK) / height < 0.52
    assert rest[skeleton.names.index("LeftToeBase")][1] - BALL[1] == rest[skeleton.names.index("LeftFoot")][1]


@pytest.mark.parametrize("style", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_feet_stay_on_the_ground_and_never_go_below(style, seed):
    walk = walker(style, frames=600, fps=60, seed=seed)
    heights = soles(walk)[..., 1]
    assert heights.min() > -0.001
    # While walking, one foot or the other is always down.
    assert heights.min(axis=(1, 2)).max() < 0.002


@pytest.mark.parametrize("style", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_foot_on_the_ground_does_not_slide(style, seed):
    walk = walker(style, frames=1200, fps=120, seed=seed)
    points = soles(walk)
    step = np.linalg.norm(np.diff(points[..., [0, 2]], axis=0), axis=-1)
    down = np.maximum(points[1:, ..., 1], points[:-1, ..., 1]) < 5e-4
    assert down.any(axis=2).mean() > 0.5
    # At most a millimetre or two as a point arrives or leaves, and nothing at all on average.
    assert step[down].max() < 0.003
    assert step[down].mean() * 120 < 0.01


def skating(places: np.ndarray, toe: int, rate: float) -> float:
    """Mean speed of the ball of the foot near the ground (m/s), the nearer the more it counts."""
    height = places[:-1, toe, 1] - np.quantile(places[:, toe, 1], 0.02)
    speed = np.linalg.norm(np.diff(places[:, toe][:, [0, 2]], axis=0), axis=-1) * rate
    weight = np.clip(2 - 2 ** (np.clip(height, 0, None) / 0.025), 0, None)
    walking = np.linalg.norm(np.diff(places[:, 0][:, [0, 2]], axis=0), axis=-1).mean() * rate
    return float((speed * weight).sum() / weight.sum() / walking)


def test_the_normal_walk_skates_little_compared_with_a_recorded_walk(cmu):
    asf = read_asf(cmu / "035" / "35.asf")
    recorded = read_amc(asf, cmu / "035" / "35_01.amc")
    ball = recorded.skeleton.names.index("ltoes")
    walk = walker("normal", frames=1200, fps=120)
    ours = skating(positions(walk), walk.skeleton.names.index("LeftToeBase"), 120)
    assert ours < 1.5 * skating(positions(recorded) * asf.metres, ball, 120)


@pytest.mark.parametrize("style", NAMES)
def test_bones_keep_their_length_and_joints_move_smoothly(style):
    walk = walker(style, frames=600, fps=60, seed=3)
    places = positions(walk, ends=True)
    feet = [walk.skeleton.names.index(f"{side}Foot") for side in ("Left", "Right")]
    hips = [walk.skeleton.names.index(f"{side}UpLeg") for side in ("Left", "Right")]
    legs = np.linalg.norm(places[:, feet] - places[:, hips], axis=-1)
    assert legs.max() < THIGH + SHANK
    speed = np.linalg.norm(np.diff(places, axis=0), axis=-1) * 60
    assert speed.max() < 8
    turn = np.abs(np.diff(encode(walk).array[:, 6:], axis=0)).max() * 60
    assert turn < 15


def test_the_same_seed_gives_the_same_walk_at_every_rate_and_length():
    fast = walker("gangly", frames=480, fps=120, seed=9)
    for fps in (30, 60, 120):
        walk = walker("gangly", frames=fps, fps=fps, seed=9)
        assert walk.frame_rate == fps
        assert np.allclose(positions(walk), positions(fast)[: 120 : 120 // fps], atol=1e-9)


def test_seeds_and_styles_give_different_walks():
    walks = [positions(walker(style, 90, 30, seed)) for style in NAMES for seed in (0, 1)]
    walks = [walk - walk[:, :1] for walk in walks]
    assert min(np.abs(a - b).max() for a, b in itertools.combinations(walks, 2)) > 0.02


def test_the_styles_are_far_apart_compared_with_the_people_who_walk_them():
    """Mean and spread of the features tell the style of a walker not seen before."""

    def summary(style: str, seed: int) -> np.ndarray:
        array = encode(walker(style, 300, 30, seed)).array
        return np.concatenate([array.mean(axis=0), array.std(axis=0)])

    known = {style: np.mean([summary(style, seed) for seed in range(4)], axis=0) for style in NAMES}
    for style, seed in itertools.product(NAMES, range(10, 13)):
        unseen = summary(style, seed)
        assert min(known, key=lambda name: np.linalg.norm(known[name] - unseen)) == style


def test_speeds_are_those_of_people():
    speed = {style: encode(walker(style, 600, 30)).array[:, 0].mean() for style in NAMES}
    assert 1.1 < speed["normal"] < 1.5
    assert 0.3 < speed["old man"] < 0.7
    assert speed["old man"] == min(speed.values())
    assert max(speed.values()) < 1.6


def test_one_frame_is_enough_and_wrong_arguments_are_named():
    assert walker(frames=1).frames == 1
    with pytest.raises(ValueError, match="style is 'moonwalk', expected one of cat, chicken"):
        walker("moonwalk")
    with pytest.raises(ValueError, match="frames is 0"):
        walker(frames=0)
    with pytest.raises(ValueError, match="fps is 0"):
        walker(fps=0)
