"""``tsbn train`` and what uses its files: one file is enough, nothing is overwritten, errors take one line."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import tsbn
from tsbn.cli import main
from tsbn.data import load_npz
from tsbn.motion import read_bvh, walker, write_bvh

SMALL = ["--hidden", "4", "--factors", "2", "--steps", "2", "--every", "1", "--batch", "2", "--window", "10"]
WALKS = ["walker", "--options", "styles=normal,cat", "frames=40"]


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """A model of two styles, trained by the command line."""
    import jax

    path = tmp_path_factory.mktemp("models") / "walk.tsbn"
    with jax.numpy_dtype_promotion("standard"):
        assert main(["train", *WALKS, *SMALL, "--save-config", str(path.with_suffix(".toml")), "-o", str(path)]) == 0
    return str(path)


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """A model of a table without styles, in which a column has a name with a space."""
    import jax

    folder = tmp_path_factory.mktemp("tables")
    rows = [[who, t, np.sin(t / 3), np.cos(t / 3)] for who in "ab" for t in range(30)]
    with (folder / "waves.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["who", "t", "the sine", "cosine"], *rows])
    table = [str(folder / "waves.csv"), "--options", "sequence=who", "time=t"]
    with jax.numpy_dtype_promotion("standard"):
        assert main(["train", *table, "--model", "tsbn", *SMALL, "-o", str(folder / "waves.tsbn")]) == 0
    return str(folder / "waves.tsbn")


def test_info_tells_people_and_programs(walk, capsys):
    assert main(["info", walk]) == 0
    assert "styles: normal, cat" in capsys.readouterr().out
    assert main(["info", walk, "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert known["model"] == "FCTSBN"
    assert known["joints"] == 22
    assert known["trained_on"] == {"data": "walker", "options": {"styles": ["normal", "cat"], "frames": 40}}


def test_evaluate_puts_plain_models_beside_it(walk, capsys):
    assert main(["evaluate", walk, "--particles", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["judged_on"] == "the test part of walker"
    assert list(found["one_step_error"]) == ["FCTSBN", "persistence", "linear AR(1)"]
    assert list(found["crps"]) == list(found["coverage"]) == list(found["one_step_error"])
    assert all(0 <= share <= 1 for share in found["coverage"].values())
    assert set(found["by_style"]) == {"normal", "cat"}
    styles = [row["one_step_error"]["persistence"] for row in found["by_style"].values()]
    assert found["one_step_error"]["persistence"] == pytest.approx(np.mean(styles))
    assert found["bound_per_frame"]["elbo"] <= found["bound_per_frame"]["multi_sample"]


def test_evaluate_on_other_data_in_a_table_of_text(walk, tmp_path, capsys):
    for style in ("normal", "cat"):
        (tmp_path / style).mkdir()
        write_bvh(walker(style, frames=30, seed=7), tmp_path / style / "one.bvh")
    assert main(["evaluate", walk, str(tmp_path), "--particles", "2"]) == 0
    shown = capsys.readouterr().out
    assert f"judged on {tmp_path}: 2 sequences, 60 frames" in shown
    assert [line.split()[0] for line in shown.splitlines()[-2:]] == ["cat", "normal"]
    assert "CRPS" in shown


def test_generate_writes_motions_from_the_one_file(walk, tmp_path):
    out = tmp_path / "new.bvh"
    assert main(["generate", walk, "--path", "normal:20 >5> cat:15", "-o", str(out)]) == 0
    motion = read_bvh(out)
    assert (motion.frames, motion.frame_rate) == (35, 30)
    assert main(["generate", walk, "--path", "cat:3", "-o", str(tmp_path / "new.html")]) == 0
    assert "cat:3" in (tmp_path / "new.html").read_text()
    for name in ("new.gif", "new.mp4"):
        assert main(["generate", walk, "--path", "cat:3", "--num", "2", "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_size > 1000


def test_generate_writes_tables_in_the_units_of_the_data(walk, numbers, tmp_path):
    out = tmp_path / "new.npz"
    assert main(["generate", walk, "--path", "normal:6 >2> cat:4", "--num", "2", "-o", str(out)]) == 0
    data = load_npz(out)
    assert (len(data), data.lengths.tolist(), data.channels) == (2, [10, 10], 69)
    assert data.label_names == ("normal", "cat")
    assert not np.array_equal(data[0], data[1])
    np.testing.assert_allclose(data.side[0][[0, -1]], [[1, 0], [0, 1]])
    assert main(["generate", numbers, "--length", "5", "-o", str(tmp_path / "new.csv")]) == 0
    header, *rows = list(csv.reader((tmp_path / "new.csv").read_text().splitlines()))
    assert header == ["sequence", "frame", "the sine", "cosine"]
    assert len(rows) == 5


def test_the_same_seed_gives_the_same_sequence(walk, tmp_path):
    def drawn(name, seed):
        args = ["generate", walk, "--path", "cat:8", "--seed", seed, "-o", str(tmp_path / name)]
        assert main(args) == 0
        return load_npz(tmp_path / name)[0]

    first, again, other = drawn("a.npz", "1"), drawn("b.npz", "1"), drawn("c.npz", "2")
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("what", ["training", "predictions", "hidden", "errors", "path", "stills"])
def test_every_picture_is_drawn(walk, tmp_path, what):
    path = ["--path", "normal:20 >5> cat:15"] if what in ("path", "stills") else []
    assert main(["plot", walk, "--what", what, *path, "-o", str(tmp_path / "picture.png")]) == 0
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_settings_go_to_a_file_and_come_back(walk, tmp_path, capsys, optimising):
    config, other = walk.replace(".tsbn", ".toml"), str(tmp_path / "other.tsbn")
    assert main(["train", "--config", config, "--steps", "1", "--json", "-o", other]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["file"], told["steps"], told["complete"]) == (other, 1, True)
    first, second = tsbn.load(walk), tsbn.load(other)
    assert first.get_params() | {"steps": 1} == second.get_params()
    assert first.preparation_.source == second.preparation_.source


@pytest.mark.parametrize(("code", "torn_down"), [(0, True), (130, False)])
def test_a_stopped_process_says_its_last_words_and_is_gone(code, torn_down):
    """Taken down in good order, the interpreter would crash where XLA is still compiling."""
    program = f"""
import atexit
import tsbn.cli
atexit.register(print, "torn down")
tsbn.cli.main = lambda: print("last words") or {code}
tsbn.cli.process()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stdout.splitlines() == ["last words"] + ["torn down"] * torn_down


def test_ctrl_c_keeps_the_best_model_so_far(tmp_path):
    # A process whose parent ignores the signal would inherit that.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from tsbn.cli import process\nprocess()"
    model, checkpoint = tmp_path / "walk.tsbn", tmp_path / "run.checkpoint"
    args = [*WALKS, *SMALL, "--steps", "1000000", "--checkpoint", str(checkpoint), "-o", str(model)]
    run = subprocess.Popen([sys.executable, "-c", code, "train", *args], stdout=subprocess.PIPE, text=True)
    # The checkpoint is written at the start, and again after every validation.
    seen = set()
    while len(seen) < 3 and run.poll() is None:
        time.sleep(0.05)
        seen |= {checkpoint.stat().st_ino} if checkpoint.exists() else set()
    os.kill(run.pid, signal.SIGINT)
    out, _ = run.communicate()
    assert run.returncode == 130
    assert "the best model so far is kept" in out
    assert tsbn.load(model).history_


def test_ctrl_c_before_there_is_a_model_leaves_no_file(tmp_path, monkeypatch, capsys):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(tsbn.FCTSBN, "fit", interrupted)
    assert main(["train", *WALKS, *SMALL, "-o", str(tmp_path / "walk.tsbn")]) == 130
    assert "no model to keep" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_training_that_fails_is_exit_code_1_with_the_reason(tmp_path, capsys, optimising):
    assert main(["train", *WALKS, *SMALL, "--rate", "1e9", "-o", str(tmp_path / "walk.tsbn")]) == 1
    assert "A smaller learning rate" in capsys.readouterr().err


def test_nothing_is_overwritten_unless_asked(walk, tmp_path, capsys):
    there = tmp_path / "there.npz"
    there.write_text("precious")
    args = ["generate", walk, "--path", "cat:3", "-o", str(there)]
    assert main(args) == 1
    assert capsys.readouterr().err == f"tsbn: {there} exists already; --overwrite replaces it\n"
    assert there.read_text() == "precious"
    assert main([*args, "--overwrite"]) == 0
    assert load_npz(there).lengths.tolist() == [3]
    assert main(["train", *WALKS, *SMALL, "-o", walk]) == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["trian"], "did you mean 'train'?"),
        (["train"], "give DATA"),
        (["train", "walker"], "give a model file"),
        (["train", "wlaker", "-o", "a.tsbn"], "there is no data set, folder or file 'wlaker': did you mean 'walker'?"),
        (["train", "walker", "-o", "a.npz"], "a.npz ends in '.npz', expected one of .tsbn"),
        (["train", "walker", "--options", "frmes=3", "-o", "a.tsbn"], "did you mean 'frames'?"),
        (["train", "walker", "--options", "frames", "-o", "a.tsbn"], "expected name=value"),
        (
            ["train", "walker", "--options", "frames=few", "-o", "a.tsbn"],
            "walker does not take the options frames='few'",
        ),
        (["train", "balls", "-o", "a.tsbn"], "balls has no styles, which a fctsbn needs: --model tsbn"),
        (["train", "walker", "--modle", "tsbn", "-o", "a.tsbn"], "no option --modle: did you mean '--model'?"),
        (["train", "walker", "--model", "fctsbm", "-o", "a.tsbn"], "did you mean 'fctsbn'?"),
        (["train", "walker", "--gradient=nvill", "-o", "a.tsbn"], "did you mean 'nvil'?"),
        (["train", "walker", "--loop=-3", "-o", "a.tsbn"], "--loop is -3, expected a number of frames"),
        (["data", "list", "--jsno"], "tsbn data list has no option --jsno: did you mean '--json'?"),
        (["generate", "--path", "cat:9", "-o", "a.csv"], "which model?"),
        (["plot", "walk.tsbn"], "where to? give -o"),
        (["train", "walker", "--resume", "-o", "a.tsbn"], "--resume needs --checkpoint"),
    ],
)
def test_what_was_not_meant_is_exit_code_2_with_the_nearest_right_word(args, message, capsys):
    assert main(args) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["generate", "--path", "nrmal:20", "-o", "a.bvh"], "did you mean 'normal'?"),
        (["generate", "--path", "cat", "-o", "a.bvh"], "expected ':' and a number of frames"),
        (["generate", "-o", "a.bvh"], 'give --path, such as "normal:120"'),
        (["generate", "--path", "cat:9", "-o", "a.avi"], "expected one of .mp4, .gif, .html, .bvh, .npz, .csv"),
        (["generate", "--path", "cat:9", "--num", "2", "-o", "a.bvh"], "--num is 2, expected 1 for a .bvh file"),
        (["plot", "--what", "hidden", "--sequence", "5", "-o", "a.png"], "--sequence is 5, expected from 0 to 1"),
    ],
)
def test_what_a_model_cannot_do_is_exit_code_2(walk, args, message, capsys):
    assert main([args[0], walk, *args[1:]]) == 2
    assert message in capsys.readouterr().err


def test_a_model_of_no_motions_says_what_it_can_write(numbers, capsys):
    assert main(["generate", numbers, "--length", "5", "-o", "a.mp4"]) == 2
    assert "was not trained on motions: write .npz or .csv" in capsys.readouterr().err
    assert main(["generate", numbers, "--path", "cat:5", "-o", "a.csv"]) == 2
    assert "give --length" in capsys.readouterr().err


def test_values_of_another_kind_are_exit_code_2(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["train", "walker", "--steps", "many", "-o", "a.tsbn"])
    assert caught.value.code == 2
    assert "--steps" in capsys.readouterr().err


def test_files_that_are_no_models_are_told_in_one_line(tmp_path, capsys):
    assert main(["info", str(tmp_path / "none.tsbn")]) == 1
    (tmp_path / "junk.tsbn").write_text("junk")
    assert main(["info", str(tmp_path / "junk.tsbn")]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"tsbn: there is no file {tmp_path / 'none.tsbn'}"
    assert "is not a model file" in second


@pytest.mark.parametrize(
    ("text", "message"),
    [("stepz = 3", "did you mean 'steps'?"), ("steps = ", "not a TOML file")],
)
def test_a_wrong_config_is_exit_code_2(tmp_path, text, message, capsys):
    (tmp_path / "run.toml").write_text(text)
    assert main(["train", "walker", "--config", str(tmp_path / "run.toml"), "-o", "a.tsbn"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("command", ["train", "info", "evaluate", "forecast", "generate", "plot"])
def test_help_teaches_by_example(command, capsys):
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    assert f"tsbn {command} walk" in capsys.readouterr().out
