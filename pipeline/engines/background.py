"""Runs Spark's work in a thread, so that Ctrl-C interrupts the main thread at once.

In the main thread, PySpark would install a SIGINT handler of its own. It calls into Java while
another call to Java is in progress, and leaves the job running. The JVM is killed on Ctrl-C,
because PySpark never stops a JVM that is still starting when the Python process ends.
"""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

from ..campaign.campaign import POLL_EVERY_S, Poll

STOP_LIMIT_S = 1.0  # for an orderly stop, so that Ctrl-C takes at most 2 s


def in_background(
    work: Callable[[], None],
    poll: Poll,
    end: Callable[[], None],
    *,
    owns_children: bool,
) -> None:
    """Runs `work` in a thread and calls `poll` repeatedly until the thread ends.

    Raises the exception that ended `work`. On KeyboardInterrupt, calls `end`, which must stop the
    work; if `owns_children`, also kills the child processes of this process.
    """
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # re-raised in the main thread
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_EVERY_S)
            poll()
    except KeyboardInterrupt:
        end()
        thread.join(STOP_LIMIT_S)
        if owns_children:
            _end_children()
        raise
    if failures:
        raise failures[0]


def _end_children() -> None:
    """Kills every child process. Without the JVM, Spark's Python workers end too.

    Does nothing on a system without /proc.
    """
    for tasks in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        for child in tasks.read_text().split():
            os.kill(int(child), signal.SIGKILL)
