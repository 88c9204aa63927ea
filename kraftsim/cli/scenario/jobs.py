"""Runs of scenarios in order: in this process, or several at a time in processes of their own.

A run depends on its scenario and its seed only, so that both ways give the same results.
"""

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from multiprocessing import connection
from multiprocessing.context import ForkProcess
from typing import TYPE_CHECKING

from ...errors import CommandError
from .run_progress import RunProgress

if TYPE_CHECKING:
    from kraftsim.scenarios.running.run import Progress, Result
    from kraftsim.scenarios.running.story import StoryLine

    from ...files.scenario_files import ScenarioFile

POLL_EVERY_S = 0.1  # seconds between updates of the progress, and of interrupts, without results
EXIT_LIMIT_S = 5.0  # seconds for the exit of a process that has sent its result

Planted = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Job:
    """A run to do: a scenario and a seed; its story has one line per row unless it `folds`."""

    file: "ScenarioFile"
    seed: int
    folds: bool = True

    @property
    def label(self) -> str:
        """The name of the run for progress and summary."""
        return " ".join([self.file.scenario.name, *self.file.scenario.cell, f"seed {self.seed}"])


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished run with its result, its story and its wall time."""

    job: Job
    result: "Result"
    story: "Sequence[StoryLine]"
    duration_s: float

    def without_rows(self) -> "Finished":
        """Returns the finished run without its events, which take most of its memory."""
        return replace(self, result=replace(self.result, rows=()), story=())


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

    workers: dict[connection.Connection, _Worker] = {}
    done: dict[int, Finished | CommandError] = {}
    positions = enumerate(jobs)
    yielded = 0
    try:
        while True:
            with _interrupts_blocked():
                while len(workers) < processes and (next_job := next(positions, None)) is not None:
                    worker = _Worker(*next_job, planted)
                    workers[worker.results] = worker
                if not workers:
                    return
                for position, outcome in _outcomes(workers):
                    done[position] = outcome
                    if isinstance(outcome, Finished):
                        progress.count(outcome.result.verdict)
            progress.show()
            while yielded in done:
                progress.clear()
                yield _expect_finished(done.pop(yielded))
                yielded += 1
    finally:
        progress.clear()
        for worker in workers.values():
            worker.end()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Lets SIGINT take effect only when the block ends.

    Python runs code of its own when the objects of a finished process are freed, and ignores an
    exception there: KeyboardInterrupt would be lost. The processes inherit the blocked signal, so
    that Ctrl-C, which a terminal sends to them too, is handled only here.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _outcomes(
    workers: "dict[connection.Connection, _Worker]",
) -> "Iterator[tuple[int, Finished | CommandError]]":
    """Yields what the workers bring that finish within POLL_EVERY_S, and removes these."""
    for ready in connection.wait(list(workers), timeout=POLL_EVERY_S):
        assert isinstance(ready, connection.Connection), ready
        worker = workers.pop(ready)
        yield worker.position, worker.outcome()


def _expect_finished(outcome: Finished | CommandError) -> Finished:
    if isinstance(outcome, CommandError):
        raise outcome
    return outcome


class _Worker:
    """A process with one run, forked so that it has the files and the planted bug."""

    def __init__(self, position: int, job: Job, planted: Planted) -> None:
        self.position = position
        self._job = job
        context = multiprocessing.get_context("fork")
        self.results, results_of_child = context.Pipe(duplex=False)
        self._process: ForkProcess = context.Process(
            target=_work, args=(results_of_child, job, planted), daemon=True
        )
        self._process.start()
        results_of_child.close()

    def outcome(self) -> Finished | CommandError:
        """Receives the result, or the error if the run could not be done or its process ended."""
        try:
            message = self.results.recv()
        except EOFError:
            message = None
        self._process.join(EXIT_LIMIT_S)
        self.end()
        if message is None:
            ending = f"its process ended with exit code {self._process.exitcode}"
            return CommandError(f"{self._job.label}: {ending}")
        if isinstance(message, CommandError):
            return message
        result, story, duration_s = message
        return Finished(self._job, result, story, duration_s)

    def end(self) -> None:
        """Kills the process if it runs."""
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
    results.send((finished.result, finished.story, finished.duration_s))


def _run(job: Job, planted: Planted, on_progress: "Progress") -> Finished:
    from kraftsim.scenarios.document.step import LimitError
    from kraftsim.scenarios.language.reading import Problem
    from kraftsim.scenarios.running.run import Run
    from kraftsim.scenarios.running.story import story

    scenario = job.file.scenario
    began_s = time.monotonic()
    try:
        with planted():
            run = Run(scenario, job.seed, on_progress=on_progress)
            result = run.finish()
    except Problem as problem:
        message = f"{job.file.document.error(problem)} (seed {job.seed})"
        raise CommandError(message) from None
    except (LimitError, ValueError) as error:
        raise CommandError(f"{job.file.path}: seed {job.seed}: {error}") from None
    told = story(run.world, run.stage, folds=job.folds)
    return Finished(job, result, told, time.monotonic() - began_s)
