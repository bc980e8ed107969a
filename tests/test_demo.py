"""The demonstration, in a few steps: it runs to its end, judges honestly, and writes everything it speaks of."""

import numpy as np
import pytest

import tsbn
from tsbn.demo import WALKS, demo, verdict
from tsbn.motion import STYLES, read_bvh
from tsbn.styles import parse


def test_the_demonstration_writes_what_it_says(tmp_path, capsys, optimising):
    for _ in range(2):  # a second run replaces the files of the first
        demo(tmp_path, walkers=1, frames=40, steps=2, hidden=4, walks={"turn": "normal:10 >5> cat:8"})
    shown = capsys.readouterr().out
    for name in ("FCTSBN", "persistence", "linear AR(1)", "linear AR(6)", "Hidden Markov FCTSBN"):
        assert name in shown
    named = [word for word in shown.split() if word.startswith(str(tmp_path))]
    assert {word.removeprefix(f"{tmp_path}/") for word in named} >= {"walk.tsbn", "turn.html", "turn.mp4", "turn.bvh"}
    assert read_bvh(tmp_path / "turn.bvh").frames == 18
    assert tsbn.load(tmp_path / "walk.tsbn").preparation_ is not None
    pictures = {path.name for path in tmp_path.glob("*.png")}
    assert {"training.png", "predictions.png", "hidden.png", "errors.png"} < pictures
    assert {"turn_stills.png", "turn_path.png"} < pictures


def test_its_walks_are_paths_through_known_styles():
    for text in WALKS.values():
        assert parse(text, list(STYLES)).frames > 200


@pytest.mark.parametrize(
    ("errors", "told"),
    [
        ({"FCTSBN": 1.0, "persistence": 2.0, "linear AR(1)": 3.0}, "better than persistence and linear AR(1)."),
        ({"FCTSBN": 1.0, "persistence": 2.0, "linear AR(1)": 0.5}, "beaten by linear AR(1), "),
        ({"FCTSBN": 9.0, "persistence": 2.0, "linear AR(1)": 0.5}, "beaten by persistence and linear AR(1), "),
    ],
)
def test_the_verdict_names_who_wins(errors, told):
    assert told in verdict({name: np.array([error]) for name, error in errors.items()})
