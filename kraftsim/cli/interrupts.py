"""Ctrl-C where work goes on in other processes: noted when it comes, heard where one is ready.

An exception out of nowhere would be lost in a callback, or leave half of something behind; and
PySpark's own handler calls Java in the middle of a call.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


@contextmanager
def interrupts_noted() -> Iterator[Event]:
    """Set by Ctrl-C. Only the main thread hears of it: elsewhere it never is."""
    asked = Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.signal(signal.SIGINT, lambda *_: asked.set())
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
