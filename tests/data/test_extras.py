"""Optional libraries that are not installed are asked for by name, with the command that brings them."""

import sys

import numpy as np
import pytest

from tsbn import datasets
from tsbn.cli import main
from tsbn.data import from_parquet
from tsbn.data.download import RemoteFile, fetch
from tsbn.datasets.words import learn_word_vectors


@pytest.fixture
def without(monkeypatch, tmp_path):
    monkeypatch.delenv("TSBN_DATA", raising=False)
    monkeypatch.setenv("TSBN_CACHE", str(tmp_path))
    return lambda *names: [monkeypatch.setitem(sys.modules, name, None) for name in names]


def test_parquet_needs_pyarrow(without):
    without("pyarrow", "pyarrow.parquet")
    with pytest.raises(ModuleNotFoundError, match=r"reading Parquet files needs pyarrow.*pip install 'tsbn\[data\]'"):
        from_parquet("a.parquet")


def test_fetching_needs_pooch_but_what_is_built_in_does_not(without):
    without("pooch")
    with pytest.raises(ModuleNotFoundError, match=r"fetching data sets needs pooch.*tsbn\[data\]"):
        fetch([RemoteFile("a", "0" * 64, ("http://127.0.0.1:9/a",))])
    assert len(datasets.load("balls", sequences=1, test=0, frames=2, size=4).train) == 1


def test_a_folder_of_the_user_needs_no_pooch(without, monkeypatch, tmp_path):
    without("pooch")
    monkeypatch.setenv("TSBN_DATA", str(tmp_path))
    (tmp_path / "a").write_bytes(b"")
    assert fetch([RemoteFile("a", "0" * 64, ("http://127.0.0.1:9/a",))]) == [tmp_path / "a"]


def test_word_vectors_need_gensim(without):
    without("gensim", "gensim.models")
    with pytest.raises(ModuleNotFoundError, match=r"word2vec needs gensim.*tsbn\[text\]"):
        learn_word_vectors([["a"]], dimensions=2, min_count=1, window=1, epochs=1, seed=0)


def test_tables_need_neither_pandas_nor_polars(without, tmp_path):
    without("pandas", "polars", "pyarrow")
    from tsbn.data import from_csv

    (tmp_path / "a.csv").write_text("x\n1\n2\n")
    np.testing.assert_array_equal(from_csv(tmp_path / "a.csv")[0], [[1], [2]])


def test_the_command_line_needs_tyro(without, capsys):
    without("tyro")
    assert main(["data", "list"]) == 1
    assert "pip install 'tsbn[cli]'" in capsys.readouterr().err
