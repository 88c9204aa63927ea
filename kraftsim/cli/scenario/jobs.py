"""Runs of scenarios in order: in this process, or several at a time in processes of their own.

A run depends on its scenario and its seed only, so that both ways give the same results.
"""

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from multiprocessing import connection
from multiprocessing.context import ForkProcess
from typing import TYPE_CHECKING

from ...errors import CommandError
from .run_progress import RunProgress

if TYPE_CHECKING:
    from kraftsim.scenarios.running.run import Progress, Result

    from ...files.scenario_files import ScenarioFile

POLL_EVERY_S = 1.0  # seconds between updates of the progress while no run finishes

Planted = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Job:
    """A run to do: a scenario and a seed."""

    file: "ScenarioFile"
    seed: int

    @property
    def label(self) -> str:
        """The name of the run for progress and summary."""
        return " ".join([self.file.scenario.name, *self.file.scenario.cell, f"seed {self.seed}"])


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished run with its result and its wall time."""

    job: Job
    result: "Result"
    duration_s: float

    def without_rows(self) -> "Finished":
        """Returns the finished run without its events, which take most of its memory."""
        return replace(self, result=replace(self.result, rows=()))


def in_turn(jobs: Iterator[Job], planted: Planted, progress: RunProgress) -> Iterator[Finished]:
    """Runs one job after the other in this process."""
    for job in jobs:
        try:
            finished = _run(job, planted, progress.updater(job.label))
        finally:
            progress.clear()
        progress.count(finished.result.verdict)
        yield finished


def in_processes(
    jobs: Iterator[Job], planted: Planted, progress: RunProgress, processes: int
) -> Iterator[Finished]:
    """Runs up to `processes` jobs at the same time; yields the results in the order of the jobs.

    Results of runs that do not fail have no events. The processes end with the iterator.
    """
    import kraftsim.scenarios.running.run  # noqa: F401  # before the forks, which inherit it

    running: dict[connection.Connection, _Worker] = {}
    done: dict[int, Finished | CommandError] = {}
    started = yielded = 0
    try:
        while True:
            while len(running) < processes and (job := next(jobs, None)) is not None:
                worker = _Worker(job, started, planted)
                running[worker.results] = worker
                started += 1
            if not running:
                return
            for ready in connection.wait(list(running), timeout=POLL_EVERY_S):
                assert isinstance(ready, connection.Connection), ready
                worker = running.pop(ready)
                done[worker.position] = outcome = worker.outcome()
                if isinstance(outcome, Finished):
                    progress.count(outcome.result.verdict)
            progress.show()
            while yielded in done:
                progress.clear()
                yield _expect_finished(done.pop(yielded))
                yielded += 1
    finally:
        progress.clear()
        for worker in running.values():
            worker.end()


def _expect_finished(outcome: Finished | CommandError) -> Finished:
    if isinstance(outcome, CommandError):
        raise outcome
    return outcome


class _Worker:
    """A process with one run, forked so that it has the files and the planted bug."""

    def __init__(self, job: Job, position: int, planted: Planted) -> None:
        self.position = position
        self._job = job
        context = multiprocessing.get_context("fork")
        self.results, results_of_child = context.Pipe(duplex=False)
        self._process: ForkProcess = context.Process(
            target=_work, args=(results_of_child, job, planted), daemon=True
        )
        # Ctrl-C sends SIGINT to the processes too, but only this one handles it: the blocked signal
        # is inherited.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        results_of_child.close()

    def outcome(self) -> Finished | CommandError:
        """Receives the result, or the error if the run could not be done or its process ended."""
        try:
            message = self.results.recv()
        except EOFError:
            message = None
        self._process.join()
        self.results.close()
        if message is None:
            ending = f"its process ended with exit code {self._process.exitcode}"
            return CommandError(f"{self._job.label}: {ending}")
        if isinstance(message, CommandError):
            return message
        result, duration_s = message
        return Finished(self._job, result, duration_s)

    def end(self) -> None:
        """Kills the process."""
        self._process.kill()
        self._process.join()
        self.results.close()


def _work(results: connection.Connection, job: Job, planted: Planted) -> None:
    from kraftsim.scenarios.running.run import ignore_progress

    try:
        finished = _run(job, planted, ignore_progress)
    except CommandError as error:
        results.send(CommandError(str(error)))
        return
    if finished.result.verdict != "fail":
        finished = finished.without_rows()
    results.send((finished.result, finished.duration_s))


def _run(job: Job, planted: Planted, on_progress: "Progress") -> Finished:
    from kraftsim.scenarios.language.limits import LimitError
    from kraftsim.scenarios.language.reading import Problem
    from kraftsim.scenarios.running.run import run

    began_s = time.monotonic()
    try:
        with planted():
            result = run(job.file.scenario, job.seed, on_progress)
    except Problem as problem:
        message = f"{job.file.document.error(problem)} (seed {job.seed})"
        raise CommandError(message) from None
    except (LimitError, ValueError) as error:
        raise CommandError(f"{job.file.path}: seed {job.seed}: {error}") from None
    return Finished(job, result, time.monotonic() - began_s)
