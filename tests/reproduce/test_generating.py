"""Generated motions are left to look at, those of each trial under its own name."""

from pathlib import Path

import pytest

from tsbn.reproduce import generating

WALKS = {"blend": "0.5*cat+0.5*strong:9", "walk to run": "walk:5 > run:5"}


@pytest.fixture
def written(monkeypatch):
    """What would be written: path, stem, seed."""
    calls = []
    monkeypatch.setattr(
        generating, "write_walk", lambda model, path, stem, *, seed: calls.append((path, stem.name, seed))
    )
    return calls


def test_every_trial_leaves_its_own_motions(written):
    for seed in (0, 5):
        generating.shown(None, WALKS, Path(), seed)
    assert written == [
        ("0.5*cat+0.5*strong:9", "blend_0", 0),
        ("walk:5 > run:5", "walk_to_run_0", 0),
        ("0.5*cat+0.5*strong:9", "blend_5", 5),
        ("walk:5 > run:5", "walk_to_run_5", 5),
    ]
