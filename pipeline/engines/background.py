"""Runs Spark's work in a thread, so that Ctrl-C interrupts the main thread at once.

In the main thread, PySpark would install a SIGINT handler of its own. It calls into Java while
another call to Java is in progress, prints tracebacks and leaves the job running. On Ctrl-C, a JVM
that still starts is killed, because it would outlive the Python process; a stopped session's JVM
ends with the Python process, and removes its temporary folders.
"""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from ..campaign.campaign import POLL_EVERY_S, Poll

Result = TypeVar("Result")

STOP_LIMIT_S = 1.0  # for an orderly stop, so that Ctrl-C takes at most 2 s
KILLS_MAX, KILL_EVERY_S = 20, 0.05


def in_background(
    work: Callable[[], Result],
    poll: Poll = lambda: None,
    end: Callable[[], bool] = lambda: False,
    *,
    owns_children: bool,
) -> Result:
    """Runs `work` in a thread, calls `poll` repeatedly until it ends, and returns its result.

    Raises the exception that ended `work`. On KeyboardInterrupt, calls `end`, which must stop the
    work, or return False if the work cannot be stopped yet. If the work does not stop within
    STOP_LIMIT_S and `owns_children`, kills the descendants of this process.
    """
    results: list[Result] = []
    failures: list[BaseException] = []
    ended = threading.Event()  # a join that KeyboardInterrupt ends takes the thread for ended

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # re-raised in the main thread
            failures.append(error)
        finally:
            ended.set()

    threading.Thread(target=run, daemon=True).start()
    try:
        while not ended.wait(POLL_EVERY_S):
            poll()
    except KeyboardInterrupt:
        with logging_disabled():
            is_stopped = end() and ended.wait(STOP_LIMIT_S)
            if owns_children and not is_stopped:
                for _ in range(KILLS_MAX):  # the work may start another process after a kill
                    _kill_descendants()
                    if ended.wait(KILL_EVERY_S):
                        break
                _kill_descendants()
        raise
    if failures:
        raise failures[0]
    return results[0]


@contextmanager
def logging_disabled() -> Iterator[None]:
    """Disables logging: py4j logs a traceback, partly to the root, for each call that breaks."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)


def _kill_descendants() -> None:
    """Kills every descendant. Without the JVM, Spark's Python workers end too.

    The script that starts the JVM has a child of its own. Does nothing on a system without /proc.
    """
    for process in list(_descendants(os.getpid())):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _descendants(process: int) -> Iterator[int]:
    for tasks in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = tasks.read_text().split()
        except OSError:  # the process or thread has ended
            continue
        for child in map(int, children):
            yield child
            yield from _descendants(child)
