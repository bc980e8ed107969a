"""While a run lasts, what was compiled once is kept for all of its processes."""

import os
import time

import jax
import jax.numpy as jnp
import pytest

from tsbn.reproduce import programs
from tsbn.reproduce.crew import crew
from tsbn.reproduce.programs import FOLDER, LEAST_SECONDS, kept_programs, use

needs_cores = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two cores to bind to"
)


def settings(seconds=0.0):
    time.sleep(seconds)  # so that the other worker takes the other call
    return {name: getattr(jax.config, name) for name in (FOLDER, LEAST_SECONDS)}


@pytest.fixture(autouse=True)
def nothing_kept():
    before = settings()
    use({FOLDER: None})
    yield
    use(before)


def taken_from_the_folder():
    """Whether a program that this process has forgotten need not be compiled again."""
    heard = []

    def listen(event, **told):
        heard.append(event)

    jax.clear_caches()
    jax.monitoring.register_event_listener(listen)
    try:
        jax.jit(lambda x: jnp.sin(x) @ x)(jnp.ones((3, 3))).block_until_ready()
    finally:
        jax.monitoring.unregister_event_listener(listen)
    return "/jax/compilation_cache/cache_hits" in heard


def test_a_program_is_compiled_once_while_the_run_lasts(monkeypatch):
    monkeypatch.setattr(programs, "WORTH_KEEPING", 0.0)
    before = settings()
    with kept_programs() as kept:
        assert not taken_from_the_folder()
        assert taken_from_the_folder()
        with kept_programs() as within:
            assert within == kept
        assert settings() == kept
    assert settings() == before
    assert not os.path.exists(kept[FOLDER])


def test_a_users_own_folder_stays(tmp_path):
    use({FOLDER: str(tmp_path)})
    with kept_programs() as kept:
        assert kept[FOLDER] == settings()[FOLDER] == str(tmp_path)
    assert settings()[FOLDER] == str(tmp_path)


@needs_cores
def test_workers_share_one_folder():
    with crew(2) as hands:
        asked = [hands._pool.submit(settings, 2.0) for _ in range(2)]
        assert [one.result() for one in asked] == [settings()] * 2
        assert settings()[FOLDER]
