"""The README's examples run as they are written, one after the other."""

import re
from pathlib import Path

import numpy as np
import pytest

import tsbn

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.usefixtures("optimising")
def test_the_examples_of_the_readme_run(tmp_path, monkeypatch, capsys):
    examples = "\n".join(re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL))
    monkeypatch.chdir(tmp_path)
    space: dict = {}
    exec(compile(re.sub(r"steps=\d+", "steps=20", examples), str(README), "exec"), space)
    assert "bound per frame" in capsys.readouterr().out
    assert np.isfinite(space["frames"]).all()
    assert set(space["model"].labels_) == {"fast", "slow"}
    assert tsbn.motion.read_bvh(tmp_path / "walk.bvh").translation.shape == (150, 3)
    assert tsbn.load(tmp_path / "walk.tsbn").side_.labels == ("normal", "drunk")
    assert (tmp_path / "training.png").stat().st_size > 1000
