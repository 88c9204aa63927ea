"""The command `kraftsim` and `python -m kraftsim`: handles Ctrl-C first, then runs the CLI.

KeyboardInterrupt would print a traceback out of an import, and is lost if it is raised in a
callback of the import system. While a verb runs, KeyboardInterrupt lets it clean up.

Until the handler is set, this module may import only modules that Python has loaded at its start:
`signal` imports enum, which takes milliseconds, `_signal` is a part of the interpreter.
"""

import _signal  # type: ignore[import-not-found]  # typeshed describes signal only
import gc
import os
import sys

TYPE_CHECKING = False  # importing typing takes milliseconds
if TYPE_CHECKING:
    from types import FrameType

STDERR = 2
INTERRUPTED = 130  # that of kraftsim.errors


def run() -> None:
    """Runs the command line, and exits with its exit code."""
    _exit_at_interrupt()
    gc.disable()  # imports create no garbage; a service enables it in `bound_pauses`
    from .cli.main import main

    code = main(before_verb=_begin_verb)
    _exit_at_interrupt()
    sys.exit(code)


def _exit_at_interrupt() -> None:
    """Makes SIGINT end the process, unless the parent process made this one ignore SIGINT."""
    if _signal.getsignal(_signal.SIGINT) is not _signal.SIG_IGN:
        _signal.signal(_signal.SIGINT, _exit)


def _exit(_number: int, _frame: "FrameType | None") -> None:
    os.write(STDERR, b"kraftsim: interrupted\n")
    os._exit(INTERRUPTED)


def _begin_verb() -> None:
    """Enables the garbage collector, and makes SIGINT raise KeyboardInterrupt."""
    gc.enable()
    if _signal.getsignal(_signal.SIGINT) is _exit:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)


if __name__ == "__main__":
    run()
