"""Model files: whole, plain, and refused with one clear error where they are not what they should be."""

import itertools
import json
import os
import struct
from pathlib import Path

import jax
import numpy as np
import pytest
import safetensors.numpy
from small_models import CASES, QUICK, frames

import tsbn
from tsbn.files import HEADER, read, write

ALSO_SLOW = ("deterministic", "changing side", "gaps")


@pytest.fixture
def saved(fitted, tmp_path) -> Path:
    """A good model file."""
    path = tmp_path / "walk.tsbn"
    fitted("CTSBN").save(path)
    return path


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in ALSO_SLOW else name for name in CASES]
)
def test_a_model_comes_back_as_it_was(name, fitted, tmp_path):
    case, model = CASES[name], fitted(name)
    path = tmp_path / "model.tsbn"
    model.save(path)
    again = tsbn.load(path)
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    assert (again.architecture_, again.side_, again.history_) == (model.architecture_, model.side_, model.history_)
    assert jax.tree.structure(again.model_) == jax.tree.structure(model.model_)
    for x, y in zip(jax.tree.leaves(again.model_), jax.tree.leaves(model.model_), strict=True):
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(again.sample(case.one, 5, 3), model.sample(case.one, 5, 3))


def test_parameters_from_numpy_become_plain(tmp_path):
    settings = QUICK | {"hidden": (np.int64(3),), "steps": np.int64(4), "warm_up": np.float32(0.5)}
    model = tsbn.TSBN(**settings).fit(frames(), validation=0.2, seed=np.int32(1))
    model.save(tmp_path / "model.tsbn")
    again = tsbn.load(tmp_path / "model.tsbn")
    assert (again.hidden, again.steps, again.warm_up) == ((3,), 4, 0.5)
    assert {type(again.hidden[0]), type(again.steps), type(again.warm_up)} == {int, float}


def test_a_parameter_that_cannot_be_stored_is_refused_before_writing(fitted, tmp_path):
    model = tsbn.load(_copy_of(fitted("TSBN"), tmp_path)).set_params(kinds={"W1": object()})
    with pytest.raises(TypeError, match="of type object cannot be stored"):
        model.save(tmp_path / "model.tsbn")
    assert [path.name for path in tmp_path.iterdir()] == ["copy.tsbn"]


def _copy_of(model, folder: Path) -> Path:
    model.save(folder / "copy.tsbn")
    return folder / "copy.tsbn"


@pytest.mark.parametrize("kept", [0, 4, 8, 100, 0.5, -1])
def test_a_truncated_file_is_refused(kept, saved):
    content = saved.read_bytes()
    length = int(kept * len(content)) if isinstance(kept, float) else kept % len(content)
    saved.write_bytes(content[:length])
    refused(saved, "not a model file, or it is truncated")


@pytest.mark.parametrize("content", [b"nonsense" * 50, b"\x80\x04\x95pickle", b"{}", b"PK\x03\x04" + bytes(200)])
def test_bytes_of_something_else_are_refused(content, saved):
    saved.write_bytes(content)
    refused(saved, "not a model file, or it is truncated")


def test_another_version_is_refused(saved):
    rewrite(saved, lambda arrays, header: header.update(version=99))
    refused(saved, "has format version 99, this tsbn reads version 1")


def test_tensors_of_another_program_are_refused(saved):
    safetensors.numpy.save_file({"weight": np.zeros(3)}, saved)
    refused(saved, "is a safetensors file, but not a model file of tsbn")


@pytest.mark.parametrize("header", ["[]", "3", '"model"', "{}", "null", "not JSON"])
def test_headers_of_another_form_are_refused(header, saved):
    safetensors.numpy.save_file({"weight": np.zeros(3)}, saved, metadata={HEADER: header})
    refused(saved, "is a safetensors file, but not a model file of tsbn")


def test_a_checkpoint_is_not_a_model(tmp_path):
    path = tmp_path / "run.checkpoint"
    tsbn.TSBN(**QUICK).fit(frames(), validation=0.2, checkpoint=path)
    refused(path, "is a checkpoint file of tsbn, expected a model file")


DAMAGE = {
    "a missing array": lambda arrays, header: arrays.pop(min(arrays)),
    "another shape": lambda arrays, header: arrays.update({min(arrays): np.zeros((1, 1), np.float32)}),
    "another type": lambda arrays, header: arrays.update({min(arrays): arrays[min(arrays)].astype(np.float64)}),
    "another class": lambda arrays, header: header.update({"class": "Exploit"}),
    "no history": lambda arrays, header: header.pop("history"),
    "no parameters": lambda arrays, header: header.pop("params"),
    "an unknown parameter": lambda arrays, header: header["params"].update(colour="red"),
    "no architecture": lambda arrays, header: header.update(architecture=None),
    "an impossible architecture": lambda arrays, header: header["architecture"].update(order=0),
    "a larger architecture": lambda arrays, header: header["architecture"].update(hidden=[300]),
    "an unknown observation": lambda arrays, header: header["architecture"].update(observation="x"),
    "no side": lambda arrays, header: header.pop("side"),
    "side of another size": lambda arrays, header: header["side"].update(given=5),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_model_is_refused(damage, saved):
    rewrite(saved, DAMAGE[damage])
    refused(saved, "is a damaged model file")


def test_a_file_must_be_there(tmp_path):
    for path in (tmp_path / "none.tsbn", tmp_path):
        with pytest.raises(FileNotFoundError, match=path.name):
            tsbn.load(path)


def test_an_existing_file_is_replaced_only_if_asked(fitted, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("precious")
    with pytest.raises(FileExistsError, match=r"notes\.txt exists already; pass overwrite=True"):
        fitted("TSBN").save(path)
    assert path.read_text() == "precious"
    fitted("TSBN").save(path, overwrite=True)
    assert type(tsbn.load(path)) is tsbn.TSBN


def test_a_folder_is_not_replaced_by_a_model(fitted, tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder, expected the name of a file"):
        fitted("TSBN").save(tmp_path, overwrite=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("broken", ["write", "replace"])
def test_a_save_that_fails_harms_nothing(broken, fitted, saved, monkeypatch):
    before = saved.read_bytes()

    def half_written(path, content):
        with path.open("wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    def no_replace(*paths):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        if broken == "write":
            patched.setattr(Path, "write_bytes", half_written)
        else:
            patched.setattr(os, "replace", no_replace)
        with pytest.raises(OSError, match=r"No space left|Input/output"):
            fitted("TSBN").save(saved, overwrite=True)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_model_file_is_a_header_and_numbers(saved):
    content = saved.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    described = header.pop("__metadata__")
    assert set(described) == {HEADER}
    sizes = sorted(entry["data_offsets"] for entry in header.values())
    assert all(entry["dtype"] == "F32" for entry in header.values())
    assert sizes[0][0] == 0
    assert all(end == begin for (_, end), (begin, _) in itertools.pairwise(sizes))
    assert 8 + length + sizes[-1][1] == len(content)


def refused(path: Path, reason: str):
    with pytest.raises(tsbn.FileFormatError, match=reason) as error:
        tsbn.load(path)
    assert str(path) in str(error.value)


def rewrite(path: Path, change):
    """Change the arrays or the header of a model file in place."""
    arrays, header = read(path, "model", 1)
    change(arrays, header)
    write(path, arrays, header, overwrite=True)
