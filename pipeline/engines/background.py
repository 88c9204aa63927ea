"""Work of Spark's in a thread, so that the main one can be interrupted at any moment.

PySpark answers Ctrl-C by itself where its session was made in the main thread: it calls into a call
that is under way, and leaves the job running. A JVM that is just being launched when its Python
ends stays for ever.
"""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

from ..campaign.campaign import LOOK_EVERY_S, Look

PATIENCE_S = 1.0  # for an orderly end; Ctrl-C is answered within two seconds


def in_background(
    work: Callable[[], None],
    look: Look,
    end: Callable[[], None],
    *,
    owns_children: bool,
) -> None:
    """Do `work`, and `look` now and then. Interrupted, `end` asks it to stop, and what this process
    has started is ended if it `owns_children`."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # is raised where it is waited for
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
    """The JVM, with which Spark's Python goes. Where /proc is not, it has had its time."""
    for tasks in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        for child in tasks.read_text().split():
            os.kill(int(child), signal.SIGKILL)
