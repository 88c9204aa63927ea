"""Ctrl-C before a verb runs and after it has returned: the process exits at once.

KeyboardInterrupt would print a traceback out of an import, and is lost if it is raised in a
callback of the import system. While the verb runs, KeyboardInterrupt lets it clean up.
"""

import os
import signal
from types import FrameType

from ..errors import INTERRUPTED

MESSAGE = "kraftsim: interrupted"
STDERR = 2


def exit_at_interrupt() -> None:
    """Makes SIGINT exit with INTERRUPTED, unless the parent process made this one ignore SIGINT."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _exit)


def raise_at_interrupt() -> None:
    """Makes SIGINT raise KeyboardInterrupt if it exits now; other handlers stay."""
    if signal.getsignal(signal.SIGINT) is _exit:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _exit(_number: int, _frame: FrameType | None) -> None:
    os.write(STDERR, f"{MESSAGE}\n".encode())
    os._exit(INTERRUPTED)
