import numpy as np
import pytest

from tsbn.motion import Motion, Skeleton, positions, read_motion_folder, walker, write_bvh


def make(folder, files: dict[str, Motion]) -> None:
    for name, motion in files.items():
        path = folder / f"{name}.bvh"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bvh(motion, path)


def test_the_style_of_a_file_is_its_sub_folder(tmp_path):
    make(
        tmp_path,
        {"cat/a": walker("cat", 40), "cat/b": walker("cat", 50, seed=1), "drunk/a": walker("drunk", 60)},
    )
    (tmp_path / "notes.txt").write_text("not a motion")
    walks = read_motion_folder(tmp_path)
    assert walks.names == ("cat/a", "cat/b", "drunk/a")
    assert walks.styles == ("cat", "cat", "drunk")
    assert [features.array.shape for features in walks.features] == [(40, 69), (50, 69), (60, 69)]
    assert np.abs(positions(walks.motions[2]) - positions(walker("drunk", 60))).max() < 1e-4


def test_files_at_the_top_have_no_style(tmp_path):
    make(tmp_path, {"a": walker(frames=30)})
    assert read_motion_folder(tmp_path).styles == (None,)


def test_a_table_names_styles_and_chooses_files(tmp_path):
    make(tmp_path, {"x/a": walker("cat", 40), "x/b": walker("cat", 40, seed=1), "y/c": walker("drunk", 40)})
    table = tmp_path / "styles.csv"
    table.write_text("file,style\nx/b.bvh,sneaky\nc,wobbly\n")
    walks = read_motion_folder(tmp_path, styles=table)
    assert (walks.names, walks.styles) == (("x/b", "y/c"), ("sneaky", "wobbly"))
    table.write_text("file,style\nd,wobbly\n")
    with pytest.raises(ValueError, match=r"styles\.csv, line 2: 'd': no such file"):
        read_motion_folder(tmp_path, styles=table)
    table.write_text("a,sneaky\nb\n")
    with pytest.raises(ValueError, match="line 2: 'b', expected a file and its style"):
        read_motion_folder(tmp_path, styles=table)


def test_files_with_another_skeleton_are_listed_with_where_they_differ(tmp_path):
    walk = walker(frames=30)
    body = walk.skeleton
    longer = body.offsets.copy()
    longer[body.names.index("LeftLeg")] *= 1.2
    giant = Motion(
        Skeleton(body.names, body.parents, longer, body.end_parents, body.ends),
        walk.translation,
        walk.rotations,
        30.0,
    )
    stump = Motion(Skeleton(("Hips",), (-1,), np.zeros((1, 3))), walk.translation, walk.rotations[:, :1], 30.0)
    make(tmp_path, {"a": walk, "b": giant, "c": walk, "d": stump})
    with pytest.raises(ValueError, match="2 files have another skeleton than") as error:
        read_motion_folder(tmp_path)
    lines = str(error.value).splitlines()
    assert "b.bvh: joint 'LeftLeg' has offset (0, -0.516, 0) instead of (0, -0.43, 0)" in lines[1]
    assert "d.bvh: joint 'LeftUpLeg' is missing" in lines[2]
    assert "and 18 more" in lines[2]


def test_frames_can_be_left_out_and_resampled(tmp_path):
    make(tmp_path, {"a": walker(frames=121, fps=120)})
    walks = read_motion_folder(tmp_path, skip=1, frame_rate=30)
    assert walks.motions[0].frames == 30
    assert walks.features[0].frame_rate == 30


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(NotADirectoryError, match="nowhere"):
        read_motion_folder(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"holds no \.bvh or \.amc files"):
        read_motion_folder(tmp_path)
    (tmp_path / "a.amc").write_text("1\nroot 0 0 0 0 0 0\n")
    with pytest.raises(FileNotFoundError, match=r"a\.amc: no \.asf file next to it"):
        read_motion_folder(tmp_path)
    (tmp_path / "a.amc").unlink()
    make(tmp_path, {"short": walker(frames=2)})
    with pytest.raises(ValueError, match=r"short\.bvh has 2 frames, expected at least 3"):
        read_motion_folder(tmp_path, skip=1)


def test_the_walks_of_a_subject_become_one_training_set(cmu):
    walks = read_motion_folder(cmu / "137", frame_rate=30)
    assert len(walks.names) == 10
    assert {features.array.shape[1] for features in walks.features} == {96}
    assert sum(motion.frames for motion in walks.motions) == pytest.approx(18565 / 4, abs=10)


def test_two_subjects_in_one_folder_are_refused(cmu):
    with pytest.raises(ValueError, match=r"another skeleton than .*035"):
        read_motion_folder(cmu)
