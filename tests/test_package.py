"""The wheel works on its own: in an empty environment, without the repository and without optional extras."""

import subprocess
import sys
import textwrap
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXTRAS = ("pandas", "polars", "scipy", "matplotlib", "tyro", "pooch", "pyarrow", "gensim", "sklearn", "beartype")

PROGRAM = """
    import sys
    import numpy as np
    import tsbn
    assert "site-packages" in tsbn.__file__, tsbn.__file__
    data = [np.random.default_rng(seed).normal(size=(12, 2)) for seed in range(4)]
    side = ["calm", "brisk", "calm", "brisk"]
    model = tsbn.FCTSBN(hidden=(3,), factors=2, steps=4, every=2, batch=2).fit(data, side)
    model.save("walk.tsbn")
    again = tsbn.load("walk.tsbn")
    assert (again.sample("calm", length=5) == model.sample("calm", length=5)).all()
    print(again.score(data, side))
"""


def run(*command, **options) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_importing_tsbn_imports_no_extras():
    # SciPy alone may come with JAX; tsbn itself must not need it, which the empty environment below shows.
    source = f"import sys, tsbn; print(*({{*{EXTRAS}}} & {{*sys.modules}}))"
    assert set(run(sys.executable, "-c", source).split()) <= {"scipy"}


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment(tmp_path):
    run(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    run(python, "-m", "pip", "install", "--disable-pip-version-check", wheel)
    installed = run(python, "-m", "pip", "list", "--format=freeze")
    assert not [name for name in ("pandas", "matplotlib", "tyro", "pooch", "beartype") if f"{name}==" in installed]
    (tmp_path / "elsewhere").mkdir()
    printed = run(python, "-W", "error", "-c", textwrap.dedent(PROGRAM), cwd=tmp_path / "elsewhere")
    assert float(printed) < 0
