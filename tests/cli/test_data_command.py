"""``tsbn data``: what people and programs read, and exit codes that mean something."""

import json
import os
import subprocess
import sys

import pytest

from tsbn import datasets
from tsbn.cli import main
from tsbn.data.download import find


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("TSBN_DATA", raising=False)
    monkeypatch.setenv("TSBN_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def folder_with_jsb(tmp_path, monkeypatch):
    real = os.environ.get("TSBN_DATA")
    if not real:
        pytest.skip("TSBN_DATA is not set: no folder of real data to read")
    source = find(datasets.about("jsb").files[0])
    (tmp_path / "music").mkdir()
    (tmp_path / "music" / source.name).write_bytes(source.read_bytes())
    monkeypatch.setenv("TSBN_DATA", str(tmp_path))
    return tmp_path


def test_list_names_every_data_set(empty_cache, capsys):
    assert main(["data", "list"]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines()] == datasets.names()


def test_list_for_a_program(empty_cache, capsys):
    assert main(["data", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["state"] for row in rows}["jsb"] == "not here"
    assert {row["name"]: row["state"] for row in rows}["balls"] == "built in"


def test_describe_tells_terms_and_content(folder_with_jsb, capsys):
    assert main(["data", "describe", "jsb"]) == 0
    shown = capsys.readouterr().out
    for part in (
        "home: http",
        "terms:",
        "citation: N. Boulanger-Lewandowski",
        "train: 229 sequences",
        "test: 77",
    ):
        assert part in shown


def test_describe_says_how_to_get_what_is_not_here(empty_cache, capsys):
    assert main(["data", "describe", "weather"]) == 0
    shown = capsys.readouterr().out
    assert "tsbn data fetch weather" in shown
    assert "grid=0" in shown


def test_describe_for_a_program(empty_cache, capsys):
    assert main(["data", "describe", "weather", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert known["files"][0]["path"] == "weather/NA-1990-2002-Monthly.csv"
    assert known["options"]["side"] == "'10d'"


def test_fetch_of_what_is_built_in_has_nothing_to_do(empty_cache, capsys):
    assert main(["data", "fetch", "balls"]) == 0
    assert "nothing to fetch" in capsys.readouterr().out


def test_fetch_tells_where_the_files_are(folder_with_jsb, capsys):
    assert main(["data", "fetch", "jsb", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"jsb": [str(folder_with_jsb / "music" / "JSB_Chorales.mat")]}


def test_fetch_that_fails_is_exit_code_1_with_the_reason(folder_with_jsb, capsys):
    assert main(["data", "fetch", "nottingham"]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("tsbn: ")
    assert "TSBN_DATA" in shown.err


def test_check_finds_damage(folder_with_jsb, capsys):
    assert main(["data", "check"]) == 0
    assert main(["data", "check", "jsb"]) == 0
    assert main(["data", "check", "nottingham"]) == 1
    assert "missing: music/Nottingham.mat" in capsys.readouterr().out
    (folder_with_jsb / "music" / "JSB_Chorales.mat").write_bytes(b"junk")
    assert main(["data", "check"]) == 1
    assert "damaged: music/JSB_Chorales.mat" in capsys.readouterr().out
    assert main(["data", "check", "jsb", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"jsb": {"music/JSB_Chorales.mat": "damaged"}}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["dat"], "there is no command 'dat': did you mean 'data'?"),
        (["data", "fetsh"], "tsbn data has no subcommand 'fetsh': did you mean 'fetch'?"),
        (["data", "fetch", "wether"], "there is no data set 'wether': did you mean 'weather'?"),
        (["data", "describe", "nottingam"], "did you mean 'nottingham'?"),
        (["data", "fetch"], "give one name or more"),
    ],
)
def test_what_was_mistyped_is_exit_code_2_with_the_nearest_right_word(empty_cache, capsys, args, message):
    assert main(args) == 2
    assert message in capsys.readouterr().err


def test_help_teaches_by_example(capsys):
    assert main(["--help"]) == 0
    assert "data " in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        main(["data", "--help"])
    assert caught.value.code == 0
    assert "tsbn data fetch jsb" in capsys.readouterr().out


def test_no_command_at_all_is_exit_code_2(capsys):
    assert main([]) == 2
    assert "usage" in capsys.readouterr().out


def test_it_runs_as_a_module_and_stops_quietly_when_nobody_reads(empty_cache):
    run = subprocess.Popen(
        [sys.executable, "-m", "tsbn", "data", "list", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    run.stdout.close()
    assert run.stderr.read() == b""
    run.stderr.close()
    assert run.wait() in (0, 141)
