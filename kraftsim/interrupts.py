"""Ctrl-C where work goes on in other processes: noted when it comes, heard where one is ready.

An exception out of nowhere would be lost in a callback, or leave half of something behind.
"""

import signal
import threading
from types import FrameType


class Interrupts:
    """Between `with` and its end Ctrl-C is noted; `hear` raises KeyboardInterrupt if it was."""

    def __init__(self) -> None:
        self._is_asked = False
        self._is_main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> "Interrupts":
        if self._is_main:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_main:
            signal.signal(signal.SIGINT, self._before)

    def hear(self) -> None:
        if self._is_asked:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._is_asked = True
