"""Runs Spark's work in a thread, so that Ctrl-C interrupts the main thread at once.

A session that is created in the main thread installs PySpark's own SIGINT handler, which calls into
Java during another call and leaves the job running. A JVM that is still starting when its Python
process ends is never stopped.
"""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

from ..campaign.campaign import LOOK_EVERY_S, Look

PATIENCE_S = 1.0  # for an orderly stop, so that Ctrl-C takes at most 2 s


def in_background(
    work: Callable[[], None],
    look: Look,
    end: Callable[[], None],
    *,
    owns_children: bool,
) -> None:
    """Runs `work` in a thread and calls `look` repeatedly until it ends; re-raises its exception.

    On KeyboardInterrupt, calls `end` to stop the work, and kills the child processes of this
    process if it `owns_children`.
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
            thread.join(LOOK_EVERY_S)
            look()
    except KeyboardInterrupt:
        end()
        thread.join(PATIENCE_S)
        if owns_children:
            _end_children()
        raise
    if failures:
        raise failures[0]


def _end_children() -> None:
    """Kills the JVM, which ends Spark's Python workers too; without /proc it does nothing."""
    for tasks in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        for child in tasks.read_text().split():
            os.kill(int(child), signal.SIGKILL)
