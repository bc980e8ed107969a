"""What becomes of a process that works for another: its cores, its signals, its end."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import connection, parent_process
from multiprocessing.queues import SimpleQueue

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def shares_of_cores(workers: int, cores: set[int] | None = None) -> list[set[int]]:
    """The cores that this process may use, dealt out.

    >>> shares_of_cores(2, cores={0, 1, 2})
    [{0, 2}, {1}]
    """
    if cores is None:
        cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    if workers > len(cores):
        raise ValueError(f"workers is {workers}, expected at most as many as there are cores: {len(cores)}")
    return [set(sorted(cores)[first::workers]) for first in range(workers)]


@contextmanager
def few_threads(count: int) -> Iterator[None]:
    """New processes, which load NumPy before they can be told anything, find so many threads for it as their limit."""
    unset = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(unset, str(count)))
    try:
        yield
    finally:
        for name in unset:
            del os.environ[name]


class Shared(io.TextIOWrapper):
    """A terminal that others write to as well: bars that move would run into each other there."""

    def isatty(self) -> bool:
        return False


def settle_down(waiting: SimpleQueue) -> None:
    """A new worker takes its cores before JAX counts them, and shows no bars of its own.

    It leaves Ctrl-C to the process it works for, which ends it; and ends when that one is no more.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    sys.stderr = Shared(sys.stderr.buffer, line_buffering=True)
    share = waiting.get()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, share)


def _end_with_the_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
