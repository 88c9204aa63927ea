"""Ctrl-C while other processes work: a signal sets a flag, which the main loop polls.

KeyboardInterrupt could be raised at any moment: it could be lost in a callback or leave work half
done. PySpark's own SIGINT handler calls into Java while another call to Java is in progress.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


@contextmanager
def interrupt_flag(*signals: int) -> Iterator[Event]:
    """Yields an event that SIGINT and other `signals` set.

    In a thread other than the main thread it is never set.
    """
    interrupted = Event()
    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return
    numbers = (signal.SIGINT, *signals)
    before = [signal.signal(number, lambda *_: interrupted.set()) for number in numbers]
    try:
        yield interrupted
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
