"""The command `kraftsim` and `python -m kraftsim`: handles Ctrl-C first, then runs the CLI.

KeyboardInterrupt would print a traceback out of an import, and is lost if it is raised in a
callback of the import system. While a verb runs, KeyboardInterrupt lets it clean up, and further
SIGINTs are ignored meanwhile. The last of Python's exit, which frees memory, ignores SIGINT too.

Until the handler is set, this module may import only modules that Python has loaded at its start:
`signal` imports enum, which takes milliseconds, `_signal` is a part of the interpreter.
"""

import _signal  # type: ignore[import-not-found]  # typeshed describes signal only
import atexit
import gc
import os
import sys
import time

TYPE_CHECKING = False  # importing typing takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

STDERR = 2
GOOD, INTERRUPTED = 0, 130  # those of kraftsim.errors
CLEANUP_S = 5.0  # seconds after an interrupt in which a verb may clean up undisturbed

_cleanup_until_s: float | None = None  # time.monotonic, set by the first interrupt


def run() -> None:
    """Runs the command line, and exits with its exit code."""
    _exit_at(_signal.SIGINT, _exit_interrupted)
    atexit.register(_signal.signal, _signal.SIGINT, _signal.SIG_IGN)  # registered first: runs last
    gc.disable()  # imports create no garbage; a service enables it in `bound_pauses`
    from .cli.main import main

    try:
        code = main(before_verb=_begin_verb)
    except KeyboardInterrupt:  # a second SIGINT, while `main` handled the first
        code = INTERRUPTED
    _end_verb(code)
    sys.exit(code)


def _exit_at(number: int, handler: "Callable[[int, FrameType | None], None]") -> None:
    """Sets the handler of a signal, unless the parent process made this one ignore the signal."""
    if _signal.getsignal(number) is not _signal.SIG_IGN:
        _signal.signal(number, handler)


def _exit_interrupted(_number: int, _frame: "FrameType | None") -> None:
    os.write(STDERR, b"kraftsim: interrupted\n")
    os._exit(INTERRUPTED)


def _exit_terminated(_number: int, _frame: "FrameType | None") -> None:
    os._exit(GOOD)


def _begin_verb(is_service: bool) -> None:
    """Makes SIGTERM end a service that starts with 0; makes SIGINT interrupt another verb.

    Enables the garbage collector for the other verbs.
    """
    if is_service:
        _exit_at(_signal.SIGTERM, _exit_terminated)
        return
    gc.enable()
    _exit_at(_signal.SIGINT, _raise_interrupt)


def _raise_interrupt(_number: int, _frame: "FrameType | None") -> None:
    """Raises KeyboardInterrupt once; ignores SIGINT for CLEANUP_S, and then ends the process."""
    global _cleanup_until_s
    now_s = time.monotonic()
    if _cleanup_until_s is None:
        _cleanup_until_s = now_s + CLEANUP_S
        raise KeyboardInterrupt
    if now_s > _cleanup_until_s:
        _exit_interrupted(_number, _frame)


def _end_verb(code: int) -> None:
    """Makes SIGINT end the process while Python exits, unless an interrupt ended the verb.

    Python kills itself with SIGINT at its exit if KeyboardInterrupt passed through an `exec` of a
    string, as in the decorators of dataclasses, even if it was caught; another `exec` resets this.
    """
    if code == INTERRUPTED:
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    else:
        _exit_at(_signal.SIGINT, _exit_interrupted)
    exec("")


if __name__ == "__main__":
    run()
