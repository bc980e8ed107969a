"""A run that was interrupted, in whatever way, goes on as if it had never stopped."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import jax
import numpy as np
import pytest

import tsbn
from tsbn.files import read, write
from tsbn.learning import checkpoint as checkpoints
from tsbn.learning.engine import Report

SETTINGS = {"hidden": (3,), "steps": 12, "every": 2, "batch": 2, "warm_up": 0, "rate": 0.05}
DATA = [np.random.default_rng(seed).normal(size=(12, 2)) for seed in range(4)]


def fit(checkpoint=None, *, seed=0, data=DATA, model=None, **arguments) -> tsbn.SequenceModel:
    model = model or tsbn.TSBN(**SETTINGS)
    with jax.numpy_dtype_promotion("standard"):
        return model.fit(data, validation=0.2, seed=seed, checkpoint=checkpoint, **arguments)


def rows(model) -> list[dict[str, float]]:
    """The history without the clock."""
    return [{name: cell for name, cell in row.items() if name != "seconds"} for row in model.history_]


def assert_same_run(a, b):
    for x, y in zip(jax.tree.leaves(a.model_), jax.tree.leaves(b.model_), strict=True):
        np.testing.assert_array_equal(x, y)
    assert rows(a) == rows(b)


@pytest.fixture(scope="module")
def uninterrupted():
    return fit()


@pytest.mark.parametrize("stop", [2, 6, 10])
def test_a_run_goes_on_bit_for_bit(stop, uninterrupted, tmp_path):
    path = tmp_path / "run.checkpoint"
    fit(path, callbacks=[lambda report: report.row["step"] == stop])
    resumed = fit(path, resume=True)
    assert_same_run(resumed, uninterrupted)
    assert_same_run(fit(path, resume=True), uninterrupted)  # nothing is left to do


def test_the_whole_state_goes_on_not_only_the_best_model(tmp_path):
    """The optimiser, the baselines and the last parameters are in the file too."""
    ends = {}

    def fit_to_the_end(name, **arguments):
        fit(callbacks=[lambda report: ends.update({name: report.progress.state})], **arguments)

    fit_to_the_end("whole")
    fit(tmp_path / "run", callbacks=[lambda report: report.row["step"] == 4])
    fit_to_the_end("resumed", checkpoint=tmp_path / "run", resume=True)
    for x, y in zip(jax.tree.leaves(ends["whole"]), jax.tree.leaves(ends["resumed"]), strict=True):
        np.testing.assert_array_equal(x, y)


def test_resuming_without_a_file_starts_the_run(uninterrupted, tmp_path):
    assert_same_run(fit(tmp_path / "run", resume=True), uninterrupted)


def test_an_existing_checkpoint_is_not_overwritten(tmp_path):
    path = tmp_path / "run"
    path.write_text("precious")
    with pytest.raises(FileExistsError, match=r"run exists already; pass resume=True"):
        fit(path)
    assert path.read_text() == "precious"


@pytest.fixture(scope="module")
def stopped(tmp_path_factory) -> Path:
    """The checkpoint of a run that was stopped."""
    path = tmp_path_factory.mktemp("stopped") / "run"
    fit(path, callbacks=[lambda report: True])
    return path


OTHER_RUNS = {
    "other data": ({"data": [array + 1 for array in DATA]}, "data was"),
    "fewer data": ({"data": DATA[:3]}, "data was"),
    "another seed": ({"seed": 1}, "seed was 0, now 1"),
    "another rate": ({"model": tsbn.TSBN(**SETTINGS | {"rate": 0.1})}, "rate was 0.05, now 0.1"),
    "more steps": ({"model": tsbn.TSBN(**SETTINGS | {"steps": 14})}, "steps was 12, now 14"),
    "more units": ({"model": tsbn.TSBN(**SETTINGS | {"hidden": (4,)})}, r"hidden was \[3\], now \[4\]"),
    "a hidden Markov model": (
        {"model": tsbn.TSBN(**SETTINGS, hidden_markov=True)},
        "hidden_markov was False, now True",
    ),
    "other weights": ({"model": tsbn.CTSBN(**SETTINGS)}, "weights was 'shared', now 'tensor'"),
}


@pytest.mark.parametrize("other", OTHER_RUNS)
def test_another_run_is_not_continued(other, stopped):
    arguments, reason = OTHER_RUNS[other]
    before = stopped.read_bytes()
    with pytest.raises(ValueError, match=f"{stopped.name} is of another run: .*{reason}"):
        fit(stopped, resume=True, **arguments)
    assert stopped.read_bytes() == before


def test_a_checkpoint_from_before_a_setting_existed_is_of_another_run(stopped, tmp_path):
    arrays, header = read(stopped, checkpoints.KIND, checkpoints.VERSION)
    del header["run"]["silent_start"]
    write(tmp_path / "older", arrays, header, overwrite=False)
    with pytest.raises(ValueError, match="older is of another run: silent_start was None, now False"):
        fit(tmp_path / "older", resume=True)


@pytest.mark.parametrize("kept", [0, 7, 500, -1])
def test_a_damaged_checkpoint_is_refused(kept, stopped, tmp_path):
    path = tmp_path / "run"
    path.write_bytes(stopped.read_bytes()[:kept])
    with pytest.raises(tsbn.FileFormatError, match="run is not a checkpoint file, or it is truncated"):
        fit(path, resume=True)


def test_a_model_is_not_a_checkpoint(uninterrupted, tmp_path):
    uninterrupted.save(tmp_path / "model.tsbn")
    with pytest.raises(tsbn.FileFormatError, match=r"model\.tsbn is a model file of tsbn, expected a checkpoint"):
        fit(tmp_path / "model.tsbn", resume=True)


def test_a_checkpoint_that_cannot_be_written_is_found_before_training(tmp_path, monkeypatch):
    monkeypatch.setattr("tsbn.learning.engine.epoch", lambda *_: pytest.fail("training started"))
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(OSError, match="file"):
        fit(tmp_path / "file" / "run")


def test_a_crash_while_writing_leaves_the_previous_checkpoint(uninterrupted, tmp_path, monkeypatch):
    path = tmp_path / "run"

    def crash(temporary, content):
        with temporary.open("wb") as file:
            file.write(content[:100])
        raise OSError(28, "No space left on device")

    def break_the_disk(report: Report):
        if report.row["step"] == 6:
            monkeypatch.setattr(Path, "write_bytes", crash)

    with pytest.raises(OSError, match="No space left"):
        fit(path, callbacks=[break_the_disk])
    monkeypatch.undo()
    assert len(read(path, checkpoints.KIND, checkpoints.VERSION)[1]["history"]) == 3
    assert_same_run(fit(path, resume=True), uninterrupted)


PROGRAM = """
    import sys
    sys.path += [{here!r}, {tests!r}]
    import conftest  # the same settings of JAX
    import test_resume
    test_resume.fit({path!r}, callbacks=[lambda report: print(report.row["step"], flush=True) or {then}])
"""


def killed(path: Path, after: int, then: str = "None") -> None:
    """Fit in another process, and kill it once it has reported a step."""
    here = Path(__file__).parent
    source = textwrap.dedent(PROGRAM).format(here=str(here), tests=str(here.parent), path=str(path), then=then)
    process = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == str(after):
            break
    os.kill(process.pid, signal.SIGKILL)
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL


def test_a_killed_process_is_resumed_bit_for_bit(uninterrupted, tmp_path):
    path = tmp_path / "run"
    killed(path, after=4, then="__import__('time').sleep(0.2)")
    assert 2 <= len(read(path, checkpoints.KIND, checkpoints.VERSION)[1]["history"]) < 6
    assert_same_run(fit(path, resume=True), uninterrupted)


WRITER = """
    import sys
    from pathlib import Path
    import numpy as np
    from tsbn.files import write
    print("ready", flush=True)
    for number in range(10**9):
        write({path!r}, {{"a": np.full(300_000, number, np.float32)}},
              {{"kind": "checkpoint", "version": 1, "number": number}}, overwrite=True)
"""


def test_a_file_is_whole_whenever_its_writer_is_killed(tmp_path):
    path = tmp_path / "run"
    source = textwrap.dedent(WRITER).format(path=str(path))
    process = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    seen = set()
    while len(seen) < 20:
        if path.exists():
            arrays, header = read(path, "checkpoint", 1)
            assert (arrays["a"] == header["number"]).all()
            seen.add(header["number"])
        time.sleep(0.003)
    os.kill(process.pid, signal.SIGKILL)
    process.stdout.close()
    process.wait()
    arrays, header = read(path, "checkpoint", 1)
    assert (arrays["a"] == header["number"]).all()
