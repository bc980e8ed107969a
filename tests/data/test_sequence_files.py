"""CSV, Parquet and npz files: read as they are in the world, with file and line where something is wrong."""

import numpy as np
import pandas as pd
import pytest
from any_sequences import any_sequences
from hypothesis import HealthCheck, given, settings

from tsbn.data import Sequences, from_csv, from_parquet, load_npz, save_npz, to_columns

in_one_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@in_one_folder
@given(data=any_sequences())
def test_npz_gives_back_exactly_what_was_saved(tmp_path, data):
    save_npz(tmp_path / "data.npz", data, overwrite=True)
    assert load_npz(tmp_path / "data.npz") == data


@in_one_folder
@given(data=any_sequences())
def test_csv_and_parquet_written_by_pandas_are_read(tmp_path, data):
    table = pd.DataFrame(to_columns(data))
    table.to_csv(tmp_path / "data.csv", index=False)
    table.to_parquet(tmp_path / "data.parquet", index=False)
    roles = {"sequence": "sequence", "time": "frame", "columns": data.channel_names}
    for read in (from_csv(tmp_path / "data.csv", **roles), from_parquet(tmp_path / "data.parquet", **roles)):
        assert read.names == data.names
        for before, after in zip(data, read, strict=True):
            np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("id,t,x,gait\na,0,1.5,run\na,1,,run\nb,0,2.5,\n", {}),
        ("id,t,x,gait\r\na,0,1.5,run\r\na,1,NaN,run\r\nb,0,2.5,NA\r\n", {}),
        ("\ufeffid;t;x;gait\na;0;1,5;run\na;1;;run\n\nb;0;2,5;\n", {"delimiter": ";", "decimal": ","}),
        ('id,t,x,gait\n"a",0,"1.5", run \n"a",1,null,run\n"b",0, 2.5,\n', {}),
    ],
    ids=["plain", "windows line endings", "byte order mark and decimal commas", "quotes and spaces"],
)
def test_csv_comes_in_many_ways(tmp_path, content, options):
    (tmp_path / "data.csv").write_text(content, encoding="utf-8", newline="")
    data = from_csv(tmp_path / "data.csv", sequence="id", time="t", side="gait", **options)
    assert data.names == ("a", "b")
    assert data.labels == ["run", None]
    np.testing.assert_array_equal(data["a"], [[1.5], [np.nan]])
    np.testing.assert_array_equal(data["b"], [[2.5]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("x,y\n1,2\n3\n", "line 3: 1 cells, the header has 2 columns"),
        ("x,x\n1,2\n", "line 1: column names are not unique"),
        ("x,y\n1,2\n3,four\n", "line 3: column 'y' has 'four', expected a number"),
        ("x,y\n1,2\n3,4,5\n", "line 3: 3 cells"),
        ("x\n1\n", "no column 'y'"),
        ("x,y\n", "no rows"),
    ],
)
def test_what_is_wrong_with_a_csv_file_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "broken.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=message) as caught:
        from_csv(path, columns=["x", "y"])
    assert str(path) in str(caught.value)


def test_bytes_that_are_no_text_are_named(tmp_path):
    (tmp_path / "junk.csv").write_bytes(b"x,y\n\xff\xfe\x00\x81\n")
    with pytest.raises(ValueError, match=r"junk.csv line 2: not text in utf-8-sig"):
        from_csv(tmp_path / "junk.csv")


def test_ten_megabytes_of_junk_are_refused(tmp_path):
    (tmp_path / "junk.csv").write_bytes(b"junk" * 2_500_000)
    with pytest.raises(ValueError, match=r"junk.csv line 1: field larger"):
        from_csv(tmp_path / "junk.csv")


def test_files_that_are_something_else_are_named(tmp_path):
    junk = tmp_path / "junk"
    junk.write_bytes(b"junk" * 1000)
    with pytest.raises(ValueError, match="junk: not a Parquet file"):
        from_parquet(junk)
    with pytest.raises(ValueError, match="junk: not a file of sequences"):
        load_npz(junk)
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(ValueError, match=r"other.npz: not a file of sequences"):
        load_npz(tmp_path / "other.npz")


def test_a_saved_file_is_not_overwritten_unasked(tmp_path):
    data = Sequences([np.zeros((2, 1))])
    save_npz(tmp_path / "data.npz", data)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        save_npz(tmp_path / "data.npz", data)


def test_a_file_that_could_not_be_written_leaves_the_old_one_and_no_other(tmp_path, monkeypatch):
    data = Sequences([np.zeros((2, 1))])
    save_npz(tmp_path / "data.npz", data)

    def fails(stream, **arrays):
        stream.write(b"half a file")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fails)
    with pytest.raises(OSError, match="disk full"):
        save_npz(tmp_path / "data.npz", data.replace(frame_rate=3), overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["data.npz"]
    assert load_npz(tmp_path / "data.npz") == data


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (["1_11", "11_1"], ("1_11", "11_1")),
        (["001", "1"], ("001", "1")),
        (["12345678901234567", "12345678901234568"], ("12345678901234567", "12345678901234568")),
        (["1.10", "1.1"], ("1.10", "1.1")),
        (["100", "200"], ("100", "200")),
        (["100.0", "200.0"], ("100", "200")),
    ],
)
def test_sequence_ids_are_what_the_file_says(tmp_path, ids, names):
    (tmp_path / "data.csv").write_text("who,x\n" + "".join(f"{one},{n}\n" for n, one in enumerate(ids)))
    assert from_csv(tmp_path / "data.csv", sequence="who").names == names


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["1", "2"], [1, 2]),
        (["1", ""], [1, None]),
        (["1_0", "10"], ["1_0", "10"]),
        (["07", "7"], ["07", "7"]),
        (["true", "false"], ["true", "false"]),
    ],
)
def test_labels_are_what_the_file_says(tmp_path, labels, found):
    (tmp_path / "data.csv").write_text("who,x,y\n" + "".join(f"{n},{n},{one}\n" for n, one in enumerate(labels)))
    assert from_csv(tmp_path / "data.csv", sequence="who", side="y").labels == found


def test_truth_values_are_numbers(tmp_path):
    (tmp_path / "data.csv").write_text("x,open\n1,True\n2,FALSE\n3,\n")
    np.testing.assert_array_equal(from_csv(tmp_path / "data.csv")[0], [[1, 1], [2, 0], [3, np.nan]])


def test_a_typing_error_does_not_cost_a_column(tmp_path):
    (tmp_path / "data.csv").write_text("x,y,note\n1,2,fine\n3,?,odd\n5,6,fine\n")
    with pytest.raises(ValueError, match=r"data.csv line 3: column 'y' has '\?', expected a number; to leave"):
        from_csv(tmp_path / "data.csv")
    assert from_csv(tmp_path / "data.csv", columns=["x"]).channel_names == ("x",)
    (tmp_path / "data.csv").write_text("x;y\n1,5;2,5\n2,5;?\n3,5;4,5\n")
    with pytest.raises(ValueError, match=r"line 3: column 'y' has '\?'"):
        from_csv(tmp_path / "data.csv", delimiter=";", decimal=",")


def test_an_id_may_be_a_channel_too(tmp_path):
    (tmp_path / "data.csv").write_text("who,x\n007,1\n007,2\n008,3\n")
    data = from_csv(tmp_path / "data.csv", sequence="who", columns=["who", "x"])
    np.testing.assert_array_equal(data[0], [[7, 1], [7, 2]])
