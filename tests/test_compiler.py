"""Fusions of XLA that give wrong numbers stay off, whatever else is asked of it."""

import os
import subprocess
import sys
import textwrap
from importlib.metadata import version

import pytest

from tsbn.compiler import FLAG

HERE = os.path.dirname(__file__)
DRAWS = """
    import dataclasses
    import jax
    import jax.numpy as jnp
    from cases import FAMILY, random_model, random_piece
    from tsbn.inference.posterior import draw

    architecture = dataclasses.replace(FAMILY["deep ctsbn"], hidden=(2, 1))
    model, piece = random_model(architecture, scale=0.6), random_piece(architecture, time=3)
    seen = jnp.ones((3, 2), bool).at[0, 0].set(False).at[1].set(False).at[2, 1].set(False)
    piece = piece._replace(v=jnp.where(seen, piece.v, 0.0), seen=seen)
    batch = jax.tree.map(lambda leaf: leaf[None], piece)
    keys = jax.random.split(jax.random.key(0), (2000, 3, 1))
    several = jax.vmap(jax.vmap(draw, in_axes=(None, 0, 0)), in_axes=(None, None, 0))
    side_by_side = jax.jit(jax.vmap(lambda keys: several(model, batch, keys).v))(keys)
    one_by_one = jax.lax.map(lambda key: draw(model, piece, key).v, keys.ravel())
    print(float(abs(side_by_side.mean((0, 1, 2)) - one_by_one.mean(0)).max()))
"""

pytestmark = pytest.mark.skipif(not version("jaxlib").startswith("0.10."), reason="of jaxlib 0.10 alone")


def run(program: str, flags: str) -> subprocess.CompletedProcess:
    surroundings = os.environ | {"XLA_FLAGS": flags, "PYTHONPATH": HERE}
    command = [sys.executable, "-W", "error::UserWarning", "-c", textwrap.dedent(program)]
    return subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("flags", ["", "--xla_cpu_multi_thread_eigen=false a_word_that_is_no_flag"])
def test_draws_are_the_same_one_by_one_and_side_by_side(flags):
    done = run(DRAWS, flags)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 0.01


def test_a_user_s_own_choice_is_left_alone():
    done = run("import os, tsbn; print(os.environ['XLA_FLAGS'])", f"{FLAG}=1")
    assert done.stdout.strip() == f"{FLAG}=1", done.stderr


def test_jax_at_work_before_is_told():
    late = "import jax; jax.devices(); import tsbn"
    assert "import tsbn before anything is computed" in run(late, "").stderr
    assert run(late, f"{FLAG}=").returncode == 0


def test_a_file_of_flags_without_it_is_told(tmp_path):
    flags = tmp_path / "flags"
    flags.write_text("--xla_cpu_multi_thread_eigen=false\n")
    assert f"add the line {FLAG}= to {flags}" in run("import tsbn", str(flags)).stderr
    flags.write_text(f"{FLAG}=\n")
    assert run("import tsbn", str(flags)).returncode == 0
