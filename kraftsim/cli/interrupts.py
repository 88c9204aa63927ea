"""Ctrl-C while other processes work: SIGINT sets a flag, which the main loop polls.

KeyboardInterrupt could be raised at any moment: it could be lost in a callback or leave work half
done. PySpark's own SIGINT handler calls into Java while another call to Java is in progress.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


@contextmanager
def interrupt_flag() -> Iterator[Event]:
    """Yields an event that SIGINT sets; in a thread other than the main thread it is never set."""
    interrupted = Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
