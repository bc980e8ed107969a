"""Compiled programs that are kept while a run lasts: trials and workers share what one of them has compiled."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
from jax.experimental.compilation_cache.compilation_cache import reset_cache

Settings = dict[str, Any]
FOLDER, LEAST_SECONDS = "jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs"
WORTH_KEEPING = 0.3
"""Seconds of compiling."""


@contextmanager
def kept_programs() -> Iterator[Settings]:
    """Have this process keep what it compiles in a temporary folder; `use` of these settings lets others share it.

    Every trial of a model needs the same programs, and up to half of the time of short trainings is compiling. What
    users have set is left as it is. Programs are for this machine's processor alone, so they do not stay for other
    runs, unless this one is killed. With some processors XLA does not trust what was kept, says so and compiles anew;
    `JAX_ENABLE_COMPILATION_CACHE=0` switches all this off.
    """
    before = {name: getattr(jax.config, name) for name in (FOLDER, LEAST_SECONDS)}
    if before[FOLDER] is not None:
        yield before
        return
    with tempfile.TemporaryDirectory(prefix="tsbn-programs-", ignore_cleanup_errors=True) as folder:
        settings = {FOLDER: folder, LEAST_SECONDS: WORTH_KEEPING}
        try:
            use(settings)
            yield settings
        finally:
            use(before)


def use(settings: Settings) -> None:
    """Keep programs as these settings say from now on."""
    for name, value in settings.items():
        jax.config.update(name, value)
    reset_cache()  # JAX looks at its settings once only
