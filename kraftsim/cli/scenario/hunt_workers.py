"""The processes of one machine that run the draws of a hunt."""

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Self

from ...errors import CommandError

if TYPE_CHECKING:
    from kraftsim.scenarios.hunting.branches import Branches
    from kraftsim.scenarios.hunting.candidate import Shown

POLL_EVERY_S = 0.2  # seconds between looks at interrupts while a result is awaited
ATTEMPTS = 3  # of one draw whose process was killed


class HuntWorkers:
    """Processes that run draws, and are started anew if one of them is killed.

    A draw repeats, so what a killed process ran is run again, with the same result. There are at
    most as many processes as a round has draws: each is started whether it has work or not.
    """

    def __init__(self, jobs: int, draws: int, interrupted: Event) -> None:
        self._jobs = min(jobs, draws)
        self._interrupted = interrupted
        self._pool = self._started()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def results(self, draws: "Sequence[Branches]") -> "Iterator[Sequence[Shown]]":
        """Yields the results of draws in their order; ends early once the hunt is interrupted.

        Raises CommandError for a draw whose process was killed in every attempt.
        """
        done, killed = 0, 0
        while done < len(draws) and not self._interrupted.is_set():
            try:
                for shown in self._awaited(draws[done:]):
                    yield shown
                    done, killed = done + 1, 0
            except BrokenProcessPool:
                killed += 1
                if killed == ATTEMPTS:
                    raise CommandError(
                        f"a process of the hunt was killed {killed} times in the same draw, "
                        "perhaps for want of memory; the same command goes on from the corpus"
                    ) from None
                self._end()
                self._pool = self._started()

    def _awaited(self, draws: "Sequence[Branches]") -> "Iterator[Sequence[Shown]]":
        from kraftsim.pipeline.forks import apart
        from kraftsim.scenarios.hunting.branches import run_all

        run = partial(run_all, apart=apart)
        futures: list[Future[Sequence[Shown]]] = [self._pool.submit(run, draw) for draw in draws]
        for future in futures:
            while not self._interrupted.is_set():
                try:
                    yield future.result(POLL_EVERY_S)
                    break
                except TimeoutError:
                    continue

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._jobs, multiprocessing.get_context("fork"), _handle_signals)

    def _end(self) -> None:
        """Ends the processes, whatever they run."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()


def _handle_signals() -> None:
    """Ignores SIGINT, and lets SIGTERM end the process: the search ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
