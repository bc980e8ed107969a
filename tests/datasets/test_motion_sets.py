"""Motion data sets: the trials of their literature, as features that become motions again."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import tsbn
from tsbn import datasets
from tsbn.data import Scaler, Sequences, cut_windows, split_by_time
from tsbn.data.download import find
from tsbn.datasets.mocap10 import furthest
from tsbn.motion import Motion, encode, read_amc, read_asf, walker, write_bvh


def amc_channels(path):
    """Frames of an AMC file by channel name, read in the plainest way."""
    frames, names = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if line[0] in "#:":
            continue
        if len(words) == 1:
            frames.append([])
            names = []
        else:
            frames[-1] += [float(word) for word in words[1:]]
            names += [words[0]] * (len(words) - 1)
    return np.array(frames), names


def test_the_matlab_layout_is_every_fourth_frame_of_the_amc_files(real_data):
    parts = datasets.load("mocap2", layout="mat")
    files = {file.path.split("/")[-1]: file for file in datasets.about("mocap2").files}
    for part in (parts.train, parts.test):
        for name, frames in zip(part.names, part, strict=True):
            recorded, bones = amc_channels(find(files[f"{name}.amc"]))
            order = [i for bone in dict.fromkeys(c.split(".")[0] for c in part.channel_names) for i in _at(bone, bones)]
            np.testing.assert_allclose(recorded[::4][:, order], frames, atol=1e-9)


def _at(bone, bones):
    return [i for i, name in enumerate(bones) if name == bone]


def test_mocap2_as_features_has_the_same_split(real_data):
    mat, parts = datasets.load("mocap2", layout="mat"), datasets.load("mocap2")
    for ours, theirs in ((parts.train, mat.train), (parts.test, mat.test)):
        assert ours.names == theirs.names
        assert ours.labels == theirs.labels
        assert ours.lengths.tolist() == theirs.lengths.tolist()
    assert parts.train.frame_rate == 30


def test_mocap2_layouts_refuse_what_they_do_not_have(real_data):
    with pytest.raises(ValueError, match="fps and rotation go with layout 'features'"):
        datasets.load("mocap2", layout="mat", fps=60)
    with pytest.raises(ValueError, match="layout is 'csv'"):
        datasets.load("mocap2", layout="csv")


def test_features_become_the_recorded_motion_again(real_data):
    parts = datasets.load("mocap10", fps=120, test=0)
    asf, trial = (next(f for f in datasets.about("mocap10").files if f.path.endswith(e)) for e in (".asf", "_29.amc"))
    recorded = read_amc(read_asf(find(asf)), find(trial))
    again = parts.figure.motion(parts.train["normal"])
    np.testing.assert_allclose(again.rotations[:, 1:], recorded.rotations[:, 1:], atol=1e-9)
    np.testing.assert_allclose(again.translation[:, 1], recorded.translation[:, 1], atol=1e-9)


def test_mocap10_has_ten_styles_at_the_rate_asked_for(real_data):
    parts = datasets.load("mocap10", fps=30, test=0.1)
    assert len(parts.train) == len(set(parts.train.labels)) == 10
    assert parts.train.frame_rate == parts.test.frame_rate == 30
    share = parts.test.lengths / (parts.train.lengths + parts.test.lengths)
    np.testing.assert_allclose(share, 0.1, atol=0.01)


def test_the_frames_that_go_furthest_are_found():
    motion = walker("normal", frames=50)
    still = np.repeat(motion.translation[:1], 20, axis=0)
    place = np.concatenate([still, motion.translation, np.repeat(motion.translation[-1:], 30, axis=0)])
    turns = np.concatenate([motion.rotations[:1]] * 20 + [motion.rotations] + [motion.rotations[-1:]] * 30)
    found = furthest(Motion(motion.skeleton, place, turns, 30.0), 50)
    np.testing.assert_array_equal(found.translation, motion.translation)
    with pytest.raises(ValueError, match="expected 2 to 50"):
        furthest(motion, 51)


def test_nearest_neighbours_tell_styles_apart_as_measured_before(real_data):
    data = datasets.load("mocap10", moving=500, test=0).train
    assert data.lengths.tolist() == [500] * 10
    accuracy = []
    for known, asked in (split_by_time(data, 400), reversed(split_by_time(data, 100))):
        scaler = Scaler.fit(known)
        known, asked = (cut_windows(scaler.transform(part), 7, hop=1) for part in (known, asked))
        # The first quarter of every style's windows is labelled.
        quarter = [np.flatnonzero(known.origin == style)[: sum(known.origin == style) // 4] for style in range(10)]
        rows = np.concatenate(quarter)
        flat = known.array.reshape(len(known), -1)
        model = KNeighborsClassifier(10).fit(flat[rows], known.origin[rows])
        accuracy.append(100 * model.score(asked.array.reshape(len(asked), -1), asked.origin))
    assert accuracy == pytest.approx([68, 80], abs=2.5)


def test_walkers_walk_in_ten_styles():
    parts = datasets.load("walker", frames=40, walkers=2, test=1)
    assert len(parts.train) == 20
    assert len(parts.test) == 10
    assert len(parts.train.label_names) == 10
    assert datasets.load("walker", frames=40, walkers=2, test=1).train == parts.train
    assert parts.figure.motion(parts.train[0]).frames == 40
    some = datasets.load("walker", frames=40, styles=["drunk", "cat"], test=0)
    assert some.train.labels == ["drunk", "cat"]
    assert some.test is None


def test_walkers_refuse_what_they_cannot_do():
    with pytest.raises(ValueError, match="style is 'moonwalk'"):
        datasets.load("walker", styles=["moonwalk"])
    with pytest.raises(ValueError, match="walkers is 0"):
        datasets.load("walker", walkers=0)


@pytest.fixture
def folder(tmp_path):
    for style in ("cat", "normal"):
        (tmp_path / style).mkdir()
        for seed in range(2):
            write_bvh(walker(style, frames=30, seed=seed), tmp_path / style / f"{seed}.bvh")
    return tmp_path


def test_a_folder_of_motion_files_becomes_a_training_set(folder):
    parts = tsbn.load_motion(folder)
    assert isinstance(parts.train, Sequences)
    assert parts.train.names == ("cat/0", "cat/1", "normal/0", "normal/1")
    assert parts.train.labels == ["cat", "cat", "normal", "normal"]
    np.testing.assert_allclose(parts.train["cat/1"], encode(walker("cat", frames=30, seed=1)).array, atol=1e-4)
    assert parts.figure.motion(parts.train[0]).frames == 30


def test_a_table_can_name_the_styles(folder):
    (folder / "styles.csv").write_text("file,style\ncat/0,sneaky\nnormal/1.bvh,plain\n")
    parts = tsbn.load_motion(folder, styles=folder / "styles.csv")
    assert parts.train.labels == ["sneaky", "plain"]


def test_files_of_different_rates_need_one_to_agree_on(folder):
    write_bvh(walker("cat", frames=60, fps=60), folder / "cat" / "fast.bvh")
    with pytest.raises(ValueError, match=r"frame rates \[30.*60.*give frame_rate"):
        tsbn.load_motion(folder)
    assert tsbn.load_motion(folder, frame_rate=30).train.frame_rate == 30
