"""Who carries out the jobs of experiments: this process, one after another, or several others side by side."""

from __future__ import annotations

import multiprocessing
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Protocol

import jax

from tsbn.arguments import whole_number
from tsbn.reproduce.experiment import Experiment, Job
from tsbn.reproduce.experiments import EXPERIMENTS
from tsbn.reproduce.programs import Settings, kept_programs, use
from tsbn.reproduce.results import Outcome, kept_at, version
from tsbn.reproduce.workers import few_threads, settle_down, shares_of_cores

Watcher = Callable[[str, float], None]
"""Told each job and the work that is done with it, in seconds: none before it begins, what it `takes` when it is done
or has failed; side by side only the latter."""
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
        self._version = version()
        self._before: str | None = None

    def take(self, experiment: Experiment, job: Job, seed: int, folder: Path) -> Promise:
        name = told(experiment, job, seed)

        def promise() -> Outcome:
            self._watch(name, 0.0)
            try:
                outcome = self.carry_out(job, seed, folder, self._version)
            except FAILURES:
                self._watch(f"{name}: failed", job.takes)
                raise
            self._watch(f"{name}: done", job.takes)
            return outcome

        return promise

    def carry_out(self, job: Job, seed: int, folder: Path, by: str) -> Outcome:
        """Run one job and keep what it found, unless another run has done so in the meantime; `by`: our version."""
        path = kept_at(folder, job, seed)
        if path.exists():
            return Outcome.load(path)
        if job.model != self._before:
            jax.clear_caches()  # hundreds of compiled programs would not fit; the parts of a line share theirs
        self._before = job.model
        started = time.perf_counter()
        findings = tuple(job.run(seed, folder))
        outcome = Outcome(job.model, seed, time.perf_counter() - started, findings, by)
        outcome.save(path)
        return outcome


class SideBySide:
    """Hands every job to a pool of processes at once. Jobs are functions, so they are told by name there."""

    def __init__(self, pool: ProcessPoolExecutor, watch: Watcher):
        self._pool = pool
        self._watch = watch
        self._version = version()

    def take(self, experiment: Experiment, job: Job, seed: int, folder: Path) -> Promise:
        if EXPERIMENTS.get(experiment.name) is not experiment:
            raise ValueError(f"{experiment.name} is none of tsbn's own experiments: expected workers=1 for it")
        name = told(experiment, job, seed)
        with _a_whole_crew():
            future = self._pool.submit(_carry_out, experiment.name, job.title, seed, folder, self._version)

        def tell(ended: Future) -> None:
            if not ended.cancelled() and not isinstance(ended.exception(), BrokenProcessPool):
                self._watch(f"{name}: {'failed' if ended.exception() else 'done'}", job.takes)

        future.add_done_callback(tell)

        def promise() -> Outcome:
            with _a_whole_crew():
                outcome, heard = future.result()
            for warning in heard:
                warnings.warn(warning, stacklevel=2)
            return outcome

        return promise


@contextmanager
def crew(workers: int, watch: Watcher = lambda name, work: None) -> Iterator[Crew]:
    """One that carries out so many jobs at a time, each on its own share of the processor's cores.

    Where it is left early, by Ctrl-C for example, jobs in hand are stopped; what was done is kept.
    """
    shares = shares_of_cores(whole_number("workers", workers))
    with kept_programs() as programs:
        if len(shares) == 1:
            yield Alone(watch)
        else:
            with _pool(shares, programs) as pool:
                yield SideBySide(pool, watch)


@contextmanager
def _pool(shares: list[set[int]], programs: Settings) -> Iterator[ProcessPoolExecutor]:
    """A process for each share of the cores; none of them outlives what it is for."""
    spawn = multiprocessing.get_context("spawn")  # a fork of a process that has used JAX may hang
    waiting = spawn.SimpleQueue()
    for share in shares:
        waiting.put(share)
    others = set(multiprocessing.active_children())
    with few_threads(len(shares[0])):
        pool = ProcessPoolExecutor(len(shares), mp_context=spawn, initializer=_ready, initargs=(waiting, programs))
        try:
            yield pool
            pool.shutdown()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
                process.join()
            raise


@contextmanager
def _a_whole_crew() -> Iterator[None]:
    """Without one of its workers a pool does nothing any more."""
    try:
        yield
    except BrokenProcessPool as problem:
        raise ChildProcessError(
            "a worker was ended from outside, perhaps for want of memory. What was done until then is kept: run it "
            "again to go on, perhaps with fewer workers"
        ) from problem


_worker = Alone(lambda name, work: None)


def _ready(waiting: SimpleQueue, programs: Settings) -> None:
    """How a worker begins."""
    settle_down(waiting)
    use(programs)


def _carry_out(experiment: str, title: str, seed: int, folder: Path, by: str) -> tuple[Outcome, list[str | Warning]]:
    """What a worker does with a job: what it found, and the warnings that were to be heard."""
    (job,) = (job for job in EXPERIMENTS[experiment].jobs() if job.title == title)
    with warnings.catch_warnings(record=True) as heard:
        try:
            outcome = _worker.carry_out(job, seed, folder, by)
        except FAILURES as error:
            raise RuntimeError(str(error)) from None  # others may hold what cannot be sent back
    return outcome, [one.message for one in heard]
