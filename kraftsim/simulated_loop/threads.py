"""Threads that never run at the same time as a loop: one baton goes from one to the other.

A thread runs until it returns, sleeps, or waits for a future; then the loop goes on. The thread
goes on as a callback of its loop, so that it stands while its process is paused, and for ever once
that was killed.
"""

import _thread
import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from .errors import BlockingCallRefused
from .timed_loop import TimedLoop

BLOCKED_MAX_S = 30.0  # of real time, after which a thread counts as one that waits for ever

_jobs: dict[int, "Job"] = {}  # by the identifier of the thread


def current_job() -> "Job | None":
    """Returns the job whose thread asks, None if it has no baton."""
    return _jobs.get(threading.get_ident())


class Job:
    """One call in a thread of its own."""

    def __init__(self, loop: TimedLoop, func: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.loop = loop
        self.future: asyncio.Future[Any] = loop.create_future()
        self._func, self._args = func, args
        self._its_turn, self._loops_turn = _held_lock(), _held_lock()
        self._wait_number = 0
        self._is_over = False
        self._result: Any = None
        self._error: BaseException | None = None

    def start(self) -> None:
        """Starts the thread, unless its call was cancelled; returns once the baton is back."""
        if self.future.cancelled():
            return
        _thread.start_new_thread(self._run, ())  # Thread.start is refused in a loop
        self.go_on()

    def go_on(self) -> None:
        """Gives the baton to the thread, and returns once it is back.

        A thread that is blocked for BLOCKED_MAX_S fails its call with BlockingCallRefused.
        """
        self._its_turn.release()
        if not self._loops_turn.acquire(timeout=BLOCKED_MAX_S):
            self._is_over = True
            self._error = BlockingCallRefused(
                f"the thread of {_name_of(self._func)} was blocked for {BLOCKED_MAX_S:g} s: it "
                "waits for something that is not simulated"
            )
        if self._is_over:
            self._end()

    def sleep(self, delay_s: float) -> None:
        """Called in the thread: returns after a delay of the loop's time."""
        self.loop.call_later(max(delay_s, 0), self.go_on)
        self._wait()

    def wait_for(self, future: "concurrent.futures.Future[Any]", timeout_s: float | None) -> None:
        """Called in the thread: returns once a future has its result, or after the timeout."""
        if future.done():
            return
        self._wait_number += 1
        go_on = partial(self._end_wait, self._wait_number)
        future.add_done_callback(lambda _: self.loop.call_soon(go_on))
        if timeout_s is not None:
            self.loop.call_later(max(timeout_s, 0), go_on)
        self._wait()

    def _end_wait(self, number: int) -> None:
        if number == self._wait_number and not self._is_over:
            self._wait_number += 1
            self.go_on()

    def _wait(self) -> None:
        self._loops_turn.release()
        self._its_turn.acquire()

    def _run(self) -> None:
        self._its_turn.acquire()
        _jobs[threading.get_ident()] = self
        self.loop.own_threads.add(threading.get_ident())
        try:
            self._result = self._func(*self._args)
        except BaseException as error:  # of any kind: it is the result of the call
            self._error = error
        finally:
            del _jobs[threading.get_ident()]
            self.loop.own_threads.discard(threading.get_ident())
            self._is_over = True
            self._loops_turn.release()

    def _end(self) -> None:
        if self.future.done() or self.loop.is_closed():
            return
        if self._error is None:
            self.future.set_result(self._result)
        else:
            self.future.set_exception(_converted(self._error))


def _name_of(func: Callable[..., Any]) -> str:
    """Returns module and name of a function; `asyncio.to_thread` passes it to another one."""
    while isinstance(func, partial):
        func = func.args[0] if func.args and callable(func.args[0]) else func.func
    module, name = getattr(func, "__module__", None), getattr(func, "__qualname__", repr(func))
    return f"{module}.{name}" if module else str(name)


def _held_lock() -> threading.Lock:
    """Returns a lock that one thread acquires when the other one releases it."""
    lock = threading.Lock()  # its timeout, unlike that of a semaphore, is of the real clock
    lock.acquire()
    return lock


def _converted(error: BaseException) -> BaseException:
    if isinstance(error, concurrent.futures.CancelledError):
        return asyncio.CancelledError(*error.args)
    if isinstance(error, concurrent.futures.InvalidStateError):
        return asyncio.InvalidStateError(*error.args)
    return error
