"""A process of a user in a simulated world: its coroutine in a loop of its own."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from inspect import CORO_CREATED, getcoroutinestate, iscoroutine
from typing import Any

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.time.clock import Clock

from .failure import failure_text
from .hosts import Hosts
from .loop import SimulatedLoop

Main = Callable[[], Coroutine[Any, Any, object]]
CLOSINGS_MAX = 10  # of a coroutine that awaits something as it is closed


class SimulatedProcess:
    """Runs `main()` each time it is started, until that returns.

    `clock` is that of its host. `report` is called with each new state.
    """

    def __init__(
        self,
        hosts: Hosts,
        name: str,
        main: Main,
        report: Callable[[], None],
        clock: Clock | None = None,
    ) -> None:
        self.name = name
        self._hosts, self._main, self._report, self._clock = hosts, main, report, clock
        self._loop: SimulatedLoop | None = None
        self._task: asyncio.Task[object] | None = None
        self._is_stopping = False
        self._once_ended: Callable[[], None] | None = None
        self._killed: list[asyncio.Task[Any]] = []  # collected, they would run their `finally`
        self.error: BaseException | None = None
        self.is_done = False

    @property
    def failure(self) -> str | None:
        """What the coroutine raised, after the place in the user's code; None if it did not."""
        return None if self.error is None else failure_text(self.error)

    @property
    def is_alive(self) -> bool:
        """True if there is a process, paused or not."""
        return self._loop is not None

    @property
    def is_stopping(self) -> bool:
        """True if the process got SIGTERM and has not ended yet."""
        return self.is_alive and self._is_stopping

    @property
    def state(self) -> ProcessState:
        """RUNNING, PAUSED or NOT_RUNNING."""
        if self._loop is None:
            return ProcessState.NOT_RUNNING
        return ProcessState.PAUSED if self._loop.is_paused else ProcessState.RUNNING

    def once_ended(self, then: Callable[[], None], /) -> None:
        """Calls `then` when the process ends by itself, and is not killed."""
        self._once_ended = then

    def start(self) -> None:
        """Starts a new process; does nothing if one is running."""
        if self._loop is None:
            self.error, self.is_done, self._is_stopping = None, False, False
            self._loop = loop = SimulatedLoop(self._hosts, self.name, self._clock)
            loop.on_exit = self._exit
            self._task = loop.create_task(self._run())
            self._task.add_done_callback(self._end)
            self._report()

    async def _run(self) -> None:
        await self._main()

    def stop(self) -> None:
        """Sends SIGTERM, which cancels the coroutine, so that it may clean up."""
        if self._loop is not None and self._task is not None:
            self._is_stopping = True
            self._loop.call_soon(self._task.cancel)

    def kill(self) -> None:
        """Ends the process at once; nothing of it is called any more."""
        if self._loop is not None:
            self._once_ended = None
            self._leave(None)

    def pause(self) -> None:
        """Sends SIGSTOP: nothing of it is called until `resume`."""
        if self._loop is not None and not self._loop.is_paused:
            self._loop.pause()
            self._report()

    def resume(self) -> None:
        """Sends SIGCONT."""
        if self._loop is not None and self._loop.is_paused:
            self._loop.resume()
            self._report()

    def forget(self) -> None:
        """Ends the process with its world; what its coroutines still do then has no effect."""
        self.kill()
        for task in self._killed:
            coroutine = task.get_coro()
            for _ in range(CLOSINGS_MAX if iscoroutine(coroutine) else 0):
                with suppress(BaseException):  # of `finally` without a world
                    coroutine.close()
                    break
        self._killed.clear()

    def _end(self, task: "asyncio.Task[object]") -> None:
        """Ends the process as its coroutine has ended, with all its other tasks."""
        if task is not self._task or self._loop is None:
            return
        self.is_done = not task.cancelled() and task.exception() is None
        self._ended(None if task.cancelled() else task.exception())

    def _exit(self, end: SystemExit) -> None:
        """Ends the process as `sys.exit` does, which no other process notices."""
        if self._task is not None and self._task.done() and not self._task.cancelled():
            self._task.exception()  # it is reported: asyncio does not log it too
        self.is_done = not end.code
        self._ended(end if end.code else None)

    def _ended(self, error: BaseException | None) -> None:
        self._leave(error)
        then, self._once_ended = self._once_ended, None
        if then is not None:
            then()

    def _leave(self, error: BaseException | None) -> None:
        if self._loop is not None:
            killed = asyncio.all_tasks(self._loop)
            for task in killed:
                task._log_destroy_pending = False  # type: ignore[attr-defined]  # typeshed lacks it
                coroutine = task.get_coro()
                if iscoroutine(coroutine) and getcoroutinestate(coroutine) == CORO_CREATED:
                    coroutine.close()  # nothing of it runs, and nobody warns
            self._killed += killed
            self._loop.kill()
        self._loop, self._task, self.error = None, None, error
        self._report()
