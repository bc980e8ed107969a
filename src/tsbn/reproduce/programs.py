"""Compiled programs that are kept while a run lasts: no process compiles what it or another one has compiled before."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import jax
from jax.experimental.compilation_cache.compilation_cache import reset_cache

WORTH_KEEPING = 0.3
"""Seconds of compiling."""
SETTINGS = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs")


@contextmanager
def kept_programs() -> Iterator[str | None]:
    """A folder in which this process keeps what it compiles, and others may (`keep_programs`); gone at the end.

    Every trial of a model needs the same programs, and half of the time of short trainings is compiling. Nothing is
    done where the user has had JAX keep them elsewhere. They are for this machine's processor alone, so they do not
    stay for other runs.
    """
    before = {name: getattr(jax.config, name) for name in SETTINGS}
    if before["jax_compilation_cache_dir"] is not None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="tsbn-programs-", ignore_cleanup_errors=True) as folder:
        keep_programs(folder)
        try:
            yield folder
        finally:
            _set(before)


def keep_programs(folder: str | None) -> None:
    """From now on this process shares its programs in a folder, if there is one."""
    if folder is not None:
        _set(dict(zip(SETTINGS, (folder, WORTH_KEEPING), strict=True)))


def _set(values: dict[str, object]) -> None:
    for name, value in values.items():
        jax.config.update(name, value)
    reset_cache()  # JAX looks at its settings once only
