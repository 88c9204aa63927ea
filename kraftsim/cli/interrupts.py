"""Ctrl-C while other processes work: SIGINT sets a flag, which the main loop polls.

An exception raised at any moment could be lost in a callback or leave work half done, and PySpark's
own SIGINT handler calls into Java during another call.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


@contextmanager
def interrupts_noted() -> Iterator[Event]:
    """Yields an event that SIGINT sets; outside the main thread it is never set."""
    asked = Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.signal(signal.SIGINT, lambda *_: asked.set())
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
