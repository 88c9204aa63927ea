"""An event loop whose time is that of a timeline: timers, callbacks, tasks and generators.

It has no clock and no selector. It arms its earliest timer and the next pass of its callbacks on
the timeline, so that whoever runs the timeline runs the loop: its own `run_forever`, the loop of
another process, or a world.
"""

import asyncio
import gc
import sys
import threading
import weakref
from asyncio import events
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import contextmanager
from contextvars import Context
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, TypeVar, TypeVarTuple, Unpack

from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import NEVER_US, Timeline

from .errors import Deadlock
from .tasks import StableFuture, StableTask, waits_in

PASSES_AT_ONE_TIME = 1_000  # then a loop that polls lets time pass
CREEP_MAX_US = 1_000
CALLS_PER_COLLECTION = 5_000  # of garbage, where the real system must not choose its time
CANCELLED_MIN = 100  # timers, before cancelled ones are dropped

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class TimedLoop(asyncio.BaseEventLoop):
    """A loop in the time of `timeline`; `name` is that of its process.

    With a `clock`, its time is what that shows, which faults set, bend and stop. A paused loop
    calls nothing. A dead one calls nothing any more, and takes nothing. `on_exit` is called with
    the SystemExit that a callback raises, where another loop runs the timeline.
    """

    _ready: deque[asyncio.Handle]
    _stopping: bool
    _debug: bool
    _thread_id: int | None
    _clock_resolution: float

    def __init__(self, timeline: Timeline, name: str, clock: Clock | None = None) -> None:
        super().__init__()
        self.timeline, self.name, self._clock = timeline, name, clock
        if clock is not None:
            clock.followers.append(self)
        self.is_paused = self.is_dead = False
        self.on_exit: Callable[[SystemExit], None] | None = None
        self.own_threads: set[int] = set()  # by their identifiers
        self._clock_resolution = 1e-6
        self._timers: list[tuple[int, int, asyncio.TimerHandle]] = []  # a heap, by this clock
        self._cancelled_count = 0
        self._armed_us = NEVER_US  # of the timeline
        self._serials, self._task_numbers = count(1), count(1)
        self._called, self._pass_is_due = 0, False
        self._passes, self._passes_at_us, self._creep_us = 0, 0, 1
        self._generators: dict[int, weakref.ref[AsyncGenerator[Any, Any]]] = {}

    # Time and timers

    @property
    def now_us(self) -> int:
        """The time of the loop in microseconds."""
        return self.timeline.now_us if self._clock is None else self._clock.now_us

    @property
    def wall_us(self) -> int:
        """The wall clock of the process in microseconds since the epoch."""
        clock = self._clock
        start_ms = self.timeline.wall_start_ms if clock is None else clock.wall_offset_ms
        return self.now_us + start_ms * 1000

    def time(self) -> float:
        """Returns the time of the loop in seconds."""
        return self.now_us / 1e6

    def call_later(
        self,
        delay: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Calls `callback` after `delay` seconds; a delay over 0 takes 1 us or more."""
        if delay is None:
            raise TypeError("delay must not be None")
        now_us = self.now_us
        # A remainder such as 4e-17 s would let a program that asks for it stand for ever.
        when = max(now_us / 1e6 + delay, (now_us + (delay > 0)) / 1e6)
        return self.call_at(when, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Calls `callback` at a time; those of one time are called as they were scheduled."""
        if when is None:
            raise TypeError("when cannot be None")
        self._check(callback, "call_at")
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        if self.is_dead:
            return handle
        due_us = max(round(min(when * 1e6, NEVER_US)), self.now_us)  # may be infinite
        heappush(self._timers, (due_us, next(self._serials), handle))
        handle._scheduled = True  # type: ignore[attr-defined]  # typeshed lacks it
        self._arm()
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        if not handle._scheduled:  # type: ignore[attr-defined]  # typeshed lacks it
            return  # it has fired: asyncio.sleep cancels those too
        self._cancelled_count += 1
        if self._cancelled_count > max(CANCELLED_MIN, len(self._timers) // 2):
            self._timers = [timer for timer in self._timers if not timer[2].cancelled()]
            heapify(self._timers)
            self._cancelled_count = 0

    def _arm(self) -> None:
        if not self._timers:
            return
        first_us = self._timers[0][0]
        due_us = first_us if self._clock is None else self._clock.reached_us(first_us)
        if due_us < self._armed_us:
            self._armed_us = due_us
            self.timeline.at(due_us, self._wake)

    def rearm(self) -> None:
        """Arms the first timer anew: a fault has changed the clock."""
        self._armed_us = NEVER_US
        self._arm()

    def _wake(self) -> None:
        """Moves the timers that are due to the callbacks that are ready."""
        if self.timeline.now_us < self._armed_us:
            return  # an earlier timer was armed, and has fired, or the clock has changed
        self._armed_us, now_us = NEVER_US, self.now_us
        while self._timers and (self._timers[0][0] <= now_us or self._timers[0][2].cancelled()):
            handle = heappop(self._timers)[2]
            handle._scheduled = False  # type: ignore[attr-defined]  # typeshed lacks it
            if handle.cancelled():
                self._cancelled_count -= 1
            else:
                self._ready.append(handle)
        self._schedule_pass()
        self._arm()

    # Callbacks

    def call_soon(
        self,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Calls `callback` in the next pass, after those that were scheduled before."""
        self._check(callback, "call_soon")
        handle = asyncio.Handle(callback, args, self, context)
        if not self.is_dead:
            self._ready.append(handle)
            if not self._pass_is_due:
                self._schedule_pass()
        return handle

    def call_soon_threadsafe(
        self,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Calls `callback` soon; of threads, only those of `run_in_executor` may ask for it."""
        self._check_thread()
        return self.call_soon(callback, *args, context=context)

    def _check(self, callback: Any, method: str) -> None:
        if self.is_dead:
            return
        if self.is_closed():
            raise RuntimeError("Event loop is closed")
        if self._debug:
            self._check_thread()
            if asyncio.iscoroutinefunction(callback) or asyncio.iscoroutine(callback):
                raise TypeError(f"coroutines cannot be used with {method}()")
            if not callable(callback):
                raise TypeError(f"a callable object was expected by {method}(), got {callback!r}")

    def _check_thread(self) -> None:
        """Raises RuntimeError in a thread that does not wait for its turn."""
        known = (None, self._thread_id, *self.own_threads)
        if self._thread_id is not None and threading.get_ident() not in known:
            raise RuntimeError(
                "Non-thread-safe operation invoked on an event loop other than the current one: "
                "a thread that a simulated loop did not start runs beside it; use asyncio.to_thread"
            )

    def _schedule_pass(self) -> None:
        if self._ready and not self._pass_is_due and not self.is_paused:
            self._pass_is_due = True
            self.timeline.at(self._next_pass_us(), self._pass)

    def _next_pass_us(self) -> int:
        """Returns now, unless the loop polls: then time creeps on."""
        now_us = self.timeline.now_us
        if now_us != self._passes_at_us:
            if self._passes < PASSES_AT_ONE_TIME:
                self._creep_us = 1
            self._passes, self._passes_at_us = 0, now_us
        self._passes += 1
        if self._passes <= PASSES_AT_ONE_TIME:
            return now_us
        creep_us, self._creep_us = self._creep_us, min(2 * self._creep_us, CREEP_MAX_US)
        self._passes_at_us = now_us + creep_us
        return now_us + creep_us

    def _pass(self) -> None:
        """Calls the callbacks that are ready, and not those that they add."""
        self._pass_is_due = False
        if self._stopping or self.is_paused or self.is_closed():
            return
        if events._get_running_loop() is self:
            self._call_ready()
        else:
            with self.running():
                self._call_ready_of_process()
        if self._called > CALLS_PER_COLLECTION:
            self._called = 0
            if not gc.isenabled():
                gc.collect()
        self._schedule_pass()

    def _call_ready_of_process(self) -> None:
        try:
            self._call_ready()
        except SystemExit as end:
            if self.on_exit is None:
                raise
            self.on_exit(end)

    def _call_ready(self) -> None:
        ready = self._ready
        self._called += len(ready)
        for _ in range(len(ready)):
            if not ready:
                break  # a callback has killed the process
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()

    @contextmanager
    def running(self) -> Generator[None]:
        """Context manager: this loop is the running one, whoever runs the timeline."""
        running, thread_id = events._get_running_loop(), self._thread_id
        hooks = sys.get_asyncgen_hooks()
        self._thread_id = threading.get_ident()  # libraries ask `is_running`
        events._set_running_loop(self)
        sys.set_asyncgen_hooks(
            firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook
        )
        try:
            yield
        finally:
            sys.set_asyncgen_hooks(*hooks)
            events._set_running_loop(running)
            self._thread_id = thread_id

    def pause(self) -> None:
        """Calls nothing until `resume`; what falls due meanwhile waits."""
        self.is_paused = True

    def resume(self) -> None:
        """Goes on with what fell due while the loop was paused."""
        self.is_paused = False
        self._schedule_pass()

    def kill(self) -> None:
        """Ends without calling anything more: no `finally`, no `connection_lost`."""
        self.is_dead = True
        self._timers.clear()
        if self._clock is not None:
            self._clock.followers.remove(self)
        self._thread_id = None  # one of its own callbacks may have killed it
        super().close()

    def _run_once(self) -> None:
        """Lets the next thing in the world happen; called by `run_forever`."""
        self._schedule_pass()
        if self.timeline.due_us == NEVER_US:
            raise Deadlock(
                "nothing can happen any more: no timer, no message, no thread; waiting: "
                f"{self.waiting()}"
            )
        self.timeline.run_next()

    def waiting(self) -> str:
        """Returns the name of the process, and its tasks with what they wait in."""
        tasks = sorted(asyncio.all_tasks(self), key=hash)
        texts = [f"task {task.get_name()!r} in {waits_in(task)}" for task in tasks]
        return f"{self.name}: {', '.join(texts) or 'no task'}"

    def _write_to_self(self) -> None:
        """Does nothing: nobody sleeps in a selector."""

    def _process_events(self, event_list: object) -> None:
        """Does nothing: there are no events but those of the timeline."""

    # Tasks, futures and generators

    def create_future(self) -> "asyncio.Future[Any]":
        """Returns a future whose order in a set is that of its creation."""
        return StableFuture(loop=self, serial=next(self._serials))

    def create_task(
        self,
        coro: Generator[Any, None, T] | Coroutine[Any, Any, T],
        *,
        name: object = None,
        context: Context | None = None,
        **options: Any,  # of later Pythons
    ) -> "asyncio.Task[T]":
        """Returns a task whose order in a set is that of its creation."""
        if self.get_task_factory() is not None:
            for option, value in (("name", name), ("context", context)):
                if value is not None:  # a factory gets only what was given, from 3.14 on
                    options[option] = value
            return super().create_task(coro, **options)
        if self.is_closed():
            raise RuntimeError("Event loop is closed")
        text = f"{self.name}-task-{next(self._task_numbers)}" if name is None else str(name)
        serial = next(self._serials)
        return StableTask(coro, serial=serial, loop=self, name=text, context=context, **options)

    def _asyncgen_firstiter_hook(self, generator: AsyncGenerator[Any, Any]) -> None:
        key = next(self._serials)
        self._generators[key] = weakref.ref(generator, lambda _: self._generators.pop(key, None))

    def _asyncgen_finalizer_hook(self, generator: AsyncGenerator[Any, Any]) -> None:
        if not self.is_closed():
            self.call_soon(self._close_generator, generator)

    def _close_generator(self, generator: AsyncGenerator[Any, Any]) -> None:
        self.create_task(generator.aclose())

    async def shutdown_asyncgens(self) -> None:
        """Closes the asynchronous generators in the order in which they began."""
        generators, self._generators = self._generators, {}
        known = [generator for of in generators.values() if (generator := of()) is not None]
        closings = [generator.aclose() for generator in known]
        results = await asyncio.gather(*closings, return_exceptions=True)
        for generator, result in zip(known, results, strict=True):
            if isinstance(result, Exception):
                message = f"an error occurred during closing of asynchronous generator {generator}"
                context = {"message": message, "exception": result, "asyncgen": generator}
                self.call_exception_handler(context)
