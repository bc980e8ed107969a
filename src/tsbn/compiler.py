"""Keep XLA from fusions that give wrong numbers."""

import os
import warnings
from importlib.metadata import version
from pathlib import Path

FLAG = "--xla_cpu_experimental_ynn_fusion_type"
HARM = "XLA's YNN fusions, which are on in this version of jaxlib, make some random draws wrong"


def avoid_wrong_fusions() -> None:
    """Switch off the YNN fusions of XLA on the CPU, which jaxlib 0.10 has on.

    In nested `vmap`s with an inner axis of length 1 they made draws inside a `scan` wrong: missing entries with a
    chance of 0.82 came out as 1 in 24 % of the cases, or never. An unknown flag would stop XLA, so other versions are
    left alone, and so is a user's own choice. Where it comes too late, there is a warning.
    """
    given = os.environ.get("XLA_FLAGS", "").strip()
    if not version("jaxlib").startswith("0.10.") or FLAG in given:
        return
    if given and not given.startswith("-"):  # a file of flags
        if not (Path(given).is_file() and FLAG in Path(given).read_text()):
            warnings.warn(f"{HARM}: add the line {FLAG}= to {given}, which XLA_FLAGS names", stacklevel=3)
        return
    # In front of the others: XLA reads no further than the first word that is no flag.
    os.environ["XLA_FLAGS"] = f"{FLAG}= {given}".strip()
    if _working():
        warnings.warn(
            f"{HARM}, and JAX was already at work when tsbn was imported: import tsbn before anything is computed, or "
            f"set the environment variable XLA_FLAGS to {FLAG}= first",
            stacklevel=3,
        )


def _working() -> bool:
    """Whether JAX has begun, after which flags are not read any more."""
    from jax._src import xla_bridge  # nothing public tells without beginning

    return xla_bridge.backends_are_initialized()
