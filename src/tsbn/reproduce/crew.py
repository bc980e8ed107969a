"""Who carries out the jobs of experiments: this process, one after another, or several others side by side."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Protocol

import jax

from tsbn.arguments import whole_number
from tsbn.reproduce.experiment import Experiment, Job
from tsbn.reproduce.results import Outcome, commit, kept_at

Watcher = Callable[[str, float], None]
"""Told the name of each job and the work that is done with it, in seconds: none before it begins, what it `takes` when
it has ended; side by side only the latter."""
Promise = Callable[[], Outcome]
"""Gives what a job found, when it is done."""
FAILURES = (ArithmeticError, ValueError, RuntimeError)
"""What a job may fail by without taking the others along."""


class Crew(Protocol):
    """Takes jobs, and keeps what each finds in its experiment's folder."""

    def take(self, experiment: Experiment, job: Job, seed: int, folder: Path) -> Promise: ...


def told(experiment: Experiment, job: Job, seed: int) -> str:
    """What people are told of a job."""
    return f"{experiment.name}: {job.title}, seed {seed}"


class Alone:
    """Carries out each job when its outcome is asked for."""

    def __init__(self, watch: Watcher):
        self._watch = watch
        self._before: str | None = None

    def take(self, experiment: Experiment, job: Job, seed: int, folder: Path) -> Promise:
        name = told(experiment, job, seed)

        def promise() -> Outcome:
            self._watch(name, 0.0)
            try:
                return self.carry_out(job, seed, folder)
            finally:
                self._watch(name, job.takes)

        return promise

    def carry_out(self, job: Job, seed: int, folder: Path) -> Outcome:
        """Run one job and keep what it found."""
        if job.model != self._before:
            jax.clear_caches()  # hundreds of compiled programs would not fit; the parts of a line share theirs
        self._before = job.model
        started = time.perf_counter()
        findings = tuple(job.run(seed, folder))
        outcome = Outcome(job.model, seed, time.perf_counter() - started, findings, commit())
        outcome.save(kept_at(folder, job, seed))
        return outcome


class SideBySide:
    """Hands every job to a pool of processes at once. Jobs are functions, so they are told by name there."""

    def __init__(self, pool: ProcessPoolExecutor, watch: Watcher):
        self._pool = pool
        self._watch = watch

    def take(self, experiment: Experiment, job: Job, seed: int, folder: Path) -> Promise:
        name = told(experiment, job, seed)
        future = self._pool.submit(_carry_out, experiment.name, job.title, seed, folder)
        future.add_done_callback(lambda _: self._watch(name, job.takes))
        return future.result


@contextmanager
def crew(workers: int, watch: Watcher = lambda name, work: None) -> Iterator[Crew]:
    """One that carries out so many jobs at a time, each on its own share of the processor's cores.

    Where it is left early, by Ctrl-C for example, jobs in hand are stopped; what was done is kept.
    """
    shares = shares_of_cores(whole_number("workers", workers))
    if len(shares) == 1:
        yield Alone(watch)
        return
    spawn = multiprocessing.get_context("spawn")  # a fork of a process that has used JAX may hang
    waiting = spawn.SimpleQueue()
    for share in shares:
        waiting.put(share)
    pool = ProcessPoolExecutor(len(shares), mp_context=spawn, initializer=_settle_down, initargs=(waiting,))
    try:
        yield SideBySide(pool, watch)
        pool.shutdown()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()
        raise


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


class _Shared(io.TextIOWrapper):
    """A terminal that others write to as well: bars that move would run into each other there."""

    def isatty(self) -> bool:
        return False


def _settle_down(waiting: SimpleQueue) -> None:
    """A new worker takes its cores before JAX counts them, shows no bars of its own, and ends at once on Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stderr = _Shared(sys.stderr.buffer, line_buffering=True)
    share = waiting.get()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, share)


_worker = Alone(lambda name, work: None)


def _carry_out(experiment: str, title: str, seed: int, folder: Path) -> Outcome:
    """What a worker does with a job."""
    from tsbn.reproduce.experiments import EXPERIMENTS

    (job,) = (job for job in EXPERIMENTS[experiment].jobs() if job.title == title)
    try:
        return _worker.carry_out(job, seed, folder)
    except FAILURES as error:
        raise RuntimeError(str(error)) from None  # others may hold what cannot be sent back
