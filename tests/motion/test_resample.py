import numpy as np
import pytest

from tsbn.motion import Motion, Skeleton, positions, read_amc, resample, walker
from tsbn.motion.rotations import from_exp, to_exp

ARM = Skeleton(("shoulder", "elbow"), (-1, 0), np.array([[0, 0, 0], [0.3, 0, 0]]))


def shaking(hertz: float, rate: float = 120.0, seconds: float = 6.0, size: float = 0.1) -> Motion:
    wave = size * np.sin(2 * np.pi * hertz * np.arange(int(rate * seconds)) / rate)
    vectors = np.zeros((len(wave), 2, 3))
    vectors[:, 1, 2] = wave
    return Motion(ARM, np.stack([wave, wave, wave], axis=-1), from_exp(vectors), rate)


def left(motion: Motion) -> tuple[float, float]:
    """How far root and elbow still move, away from the ends."""
    inner = slice(20, -20)
    return np.abs(motion.translation[inner]).max(), np.abs(to_exp(motion.rotations[inner, 1])).max()


@pytest.mark.parametrize("hertz", [1, 5, 9])
def test_slow_movements_pass_whole(hertz):
    slow = resample(shaking(hertz), 30)
    expected = shaking(hertz, rate=30)
    assert np.abs(slow.translation - expected.translation)[20:-20].max() < 0.001
    assert np.abs(to_exp(slow.rotations) - to_exp(expected.rotations))[20:-20].max() < 0.002


@pytest.mark.parametrize("hertz", [15.5, 21, 29, 31, 44, 59])
def test_movements_too_fast_for_the_new_rate_do_not_come_back_as_slow_ones(hertz):
    assert max(left(Motion(ARM, shaking(hertz).translation[::4], shaking(hertz).rotations[::4], 30))) > 0.02
    assert max(left(resample(shaking(hertz), 30))) < 2e-4


@pytest.mark.parametrize("rate", [30, 60, 50, 100])
def test_a_walk_keeps_its_path_and_its_length(rate):
    walk = walker("normal", frames=601, fps=120, seed=5)
    slow = resample(walk, rate)
    assert slow.frames == int(600 / 120 * rate) + 1
    assert slow.frame_rate == rate
    exact = walker("normal", frames=slow.frames, fps=rate, seed=5)
    assert np.linalg.norm(positions(slow) - positions(exact), axis=-1).mean() < 0.002


def test_going_up_keeps_every_frame_and_fills_in_smoothly():
    walk = walker("normal", frames=120, fps=60, seed=5)
    fast = resample(walk, 120)
    assert np.abs(positions(fast)[::2] - positions(walk)).max() < 1e-9
    exact = walker("normal", frames=fast.frames, fps=120, seed=5)
    assert np.linalg.norm(positions(fast) - positions(exact), axis=-1).max() < 0.01


def test_a_steady_movement_stays_steady_up_to_both_ends():
    time = np.arange(241) / 120
    vectors = np.zeros((241, 2, 3))
    vectors[:, 1, 1] = 2.0 * time
    steady = Motion(ARM, np.stack([time, 2 * time, 0 * time], axis=-1), from_exp(vectors), 120.0)
    slow = resample(steady, 30)
    assert np.abs(slow.translation[:, 0] - np.arange(61) / 30).max() < 1e-9
    assert np.abs(to_exp(slow.rotations)[:40, 1, 1] - 2.0 * np.arange(40) / 30).max() < 1e-6


def test_turning_on_past_half_a_turn_is_no_obstacle():
    time = np.arange(600) / 120
    vectors = np.zeros((600, 2, 3))
    vectors[:, 1, 1] = 4.0 * time
    spinning = resample(Motion(ARM, np.zeros((600, 3)), from_exp(vectors), 120.0), 30)
    expected = np.zeros((150, 3))
    expected[:, 1] = 4.0 * np.arange(150) / 30
    assert np.abs(spinning.rotations[:, 1] - from_exp(expected)).max() < 1e-6


def test_the_same_rate_changes_nothing_and_short_motions_survive():
    walk = walker(frames=5)
    assert resample(walk, 30) is walk
    assert resample(walk, 120).frames == 17
    assert resample(walk, 10).frames == 2
    assert resample(walk[:1], 120).frames == 1
    with pytest.raises(ValueError, match="frame_rate is -1"):
        resample(walk, -1)


def test_a_recording_at_thirty_frames_stays_near_every_fourth_frame(cmu):
    motion = read_amc(cmu / "035" / "35.asf", cmu / "035" / "35_01.amc")
    slow = resample(motion, 30)
    apart = np.linalg.norm(positions(slow) - positions(motion)[::4][: slow.frames], axis=-1)
    assert np.median(apart) < 0.02
