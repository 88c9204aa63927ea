"""Calls of functions in a copy of the process, which ends with the call (`os.fork`)."""

import gc
import os
import pickle
import sys
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def apart(function: Callable[[], T]) -> T:
    """Calls `function` in a copy of this process, and returns its result by way of a pipe.

    Nothing that the function changes is changed here. Raises EOFError if the copy has no result,
    because the function raised an exception; the copy has then printed it.
    """
    reading, writing = os.pipe()
    gc.freeze()  # a collection in the copy would write to every page
    copy = os.fork()
    if not copy:
        os.close(reading)
        _call_and_exit(function, writing)
    gc.unfreeze()
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as pipe:
            result: T = pickle.load(pipe)
    finally:
        os.waitpid(copy, 0)
    return result


def _call_and_exit(function: Callable[[], object], writing: int) -> None:
    """Writes the function's result to the pipe `writing`, and ends the process.

    Nothing is collected: what a collection would free is freed by the end, soon.
    """
    code = 1
    gc.disable()
    try:
        result = function()
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(result, pipe)
        code = 0
    except BrokenPipeError:
        pass  # the original has ended, and nobody waits for the result
    except BaseException:  # the copy must end here, whatever was raised
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)  # no handlers or buffers of the original


def processor_s() -> float:
    """Returns the processor time of this process and of those that it has forked, in seconds."""
    return sum(os.times()[:4])
