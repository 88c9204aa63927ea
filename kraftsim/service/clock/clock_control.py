"""How the time of a running cluster passes: who moves it, who waits for it, and what holds it.

A clock that runs is moved by `Runtime`, and waits only watch. A clock that stands is moved here, by
waits: from timer to timer, and between two timers everything that clients have sent is handled. So
time never passes while a request is half sent or waits for its turn. Locks and a pause hold it too.
A clock that skips runs, and waits move it all the same.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.core.value import value
from kraftsim.controller.server.runtime import Runtime
from kraftsim.simulation.world import World

from ...errors import CommandError
from ..traffic import Traffic
from .clock_locks import ClockLocks
from .repeated_errors import RepeatedErrors
from .standing_time import StandingTime

log = logging.getLogger("kraftsim")

# Passes of the event loop in which it accepts connections, and reads and handles what has arrived.
FIRST_PASSES, PASSES = 6, 3  # when a wait begins, and between two timers
SLICE_ACTIONS = 500  # scheduled while time moves without a break; others are served then
LOOK_S = 0.001  # between two looks whether something still holds the clock
HELD_MAX_S = 60.0  # an advance that is held for longer is refused
HELD_SAID_S = 1.0  # an advance that is held for longer logs what holds it
WALL_CHECK_S = 1.0  # between two checks of the wall clock of a clock that runs fast
WALL_MARGIN_S = 10.0  # of real time, for which it stays behind without a check
WALL_BACK_S = 600.0  # of real time, for which a step back suffices
PARKED_LIMIT_US = 90_000_000  # of time that passes for a request; a forwarded one ends after 60 s


def _never() -> bool:
    return False


@value(kw_only=False)
class Waiter:
    """Somebody who waits for time to pass: what for, since when, and whether it would not help.

    The wait is over at `end_us`, or once `is_over` returns True.
    """

    reason: str
    since_us: int
    end_us: int
    is_over: Callable[[], bool]
    is_parked: Callable[[], bool]


class ClockControl:
    """The clock of a running cluster. `moves_for_requests`: also while a client only waits.

    `skips`: waits move it although it runs. `stood` counts the real time in which it stood still.
    `is_paused` clocks move only by `advance`. `locks` hold a clock that stands. `closed` is set
    when the cluster ends or goes on with another world.
    """

    def __init__(
        self,
        world: World,
        runtime: Runtime,
        traffic: Traffic,
        *,
        moves_for_requests: bool,
        skips: bool,
    ) -> None:
        self.moves_for_requests = moves_for_requests
        self._skips = runtime.skips = skips
        self.is_paused = False
        self.locks = ClockLocks()
        self.stood = StandingTime()
        self.waiters: list[Waiter] = []
        self._world, self._runtime, self._traffic = world, runtime, traffic
        self._speed_before = runtime.speed
        self._watching: dict[asyncio.Event, None] = {}  # of waits in order, while the clock runs
        self._serving: asyncio.Task[None] | None = None
        self._wall_check: asyncio.TimerHandle | None = None
        self.closed = asyncio.Event()
        if moves_for_requests:
            repeated = RepeatedErrors(world, lambda: self.jumps and not self.is_paused)
            traffic.repeated, runtime.delays_reply = repeated.waiting, repeated.delays
            runtime.turns.ended = self._serve_parked
        runtime.waits_in_real_time = moves_for_requests
        self._check_wall()
        self._begin_standing()

    @property
    def speed(self) -> float:
        """How many times as fast as real time the clock runs; 0.0 if it stands."""
        return self._runtime.speed

    @property
    def is_standing(self) -> bool:
        """True if time passes only by `advance` and, unless the clock is paused, by waits."""
        return self.speed == 0.0

    @property
    def jumps(self) -> bool:
        """True if waits move the clock from timer to timer: it stands, or skips."""
        return self.is_standing or self._skips

    def close(self) -> None:
        """Ends every wait with CommandError."""
        self.closed.set()
        self._wake_watching()
        self._runtime.turns.ended = self._runtime.on_change = None
        for handle in (self._serving, self._wall_check):
            if handle is not None:
                handle.cancel()

    # Changes

    def pause(self) -> None:
        """Stops the clock; it moves only by `advance` until `resume`."""
        if not self.is_paused:
            self._speed_before, self.is_paused = self.speed, True
            self._set_speed(0.0)

    def resume(self) -> None:
        """Lets a paused clock go on as before."""
        if self.is_paused:
            self.is_paused = False
            self._set_speed(self._speed_before)

    def run_at(self, speed: float) -> None:
        """Makes the clock run `speed` times as fast as real time; 0.0: only waits move it."""
        self.is_paused = False
        self._set_speed(speed)
        if self.moves_for_requests:
            self._serve_parked()

    def _set_speed(self, speed: float) -> None:
        self._runtime.set_speed(speed)
        self._check_wall()
        self.stood.end()
        self._begin_standing()
        self._wake_watching()

    def _begin_standing(self) -> None:
        if self.is_standing:
            self.stood.begin()

    # Waits

    async def advance(self, by_us: int) -> None:
        """Lets `by_us` pass: a clock that stands is moved, for one that runs this waits.

        Raises TimeoutError with the reason if something holds the clock for HELD_MAX_S; logs the
        reason after HELD_SAID_S.
        """
        end_us = self._now_us() + by_us
        with self._waiting(f"advance by {by_us / 1e6:g} s", end_us):
            await self._begin_to_move()
            while self._now_us() < end_us:
                if self.jumps:
                    await self._until_let_go()
                    await self._leap()
                else:
                    await self._watch((end_us - self._now_us()) / 1e6 / self.speed)

    async def until(
        self,
        condition: Callable[[], bool],
        limit_us: int,
        reason: str,
        is_parked: Callable[[], bool] = _never,
    ) -> bool:
        """Waits until the condition holds; returns False if it does not within `limit_us`.

        A clock that stands is moved meanwhile, unless `is_parked` returns True: time would not
        make the condition hold. Then, and where something holds the clock, the limit is in real
        time.
        """
        end_us, end_s = self._now_us() + limit_us, time.monotonic() + limit_us / 1e6
        with self._waiting(reason, end_us, condition, is_parked):
            await self._begin_to_move()
            while True:
                now_us = self._now_us()  # first: it runs what is due, maybe the last event
                if condition():
                    return True
                if now_us >= end_us:
                    return False
                if not self.jumps:
                    await self._watch((end_us - now_us) / 1e6 / self.speed)
                elif is_parked() or await self._is_held():
                    if time.monotonic() >= end_s:
                        return condition()
                    await asyncio.sleep(LOOK_S)
                    self.check_open()
                else:
                    await self._leap()

    def held_by(self) -> str | None:
        """Returns what keeps a clock that stands from being moved by waits; None if nothing."""
        if self.is_paused:
            return "the clock is paused: resume it, or advance it"
        return self._holder()

    def _holder(self) -> str | None:
        """Returns what holds the clock against every move."""
        locks = [f"{lock.owner} ({lock.expires_in_s:.1f} s left)" for lock in self.locks.held()]
        if locks:
            return f"locks are held by {', '.join(locks)}"
        return self._traffic.unhandled()

    async def _is_held(self) -> bool:
        await self._handle_arrived()
        return self.held_by() is not None

    async def _until_let_go(self) -> None:
        await self._handle_arrived()
        began_s, is_said = time.monotonic(), False
        while (holder := self._holder()) is not None:
            held_s = time.monotonic() - began_s
            if held_s > HELD_MAX_S:
                raise TimeoutError(f"the clock was held for {HELD_MAX_S:g} s: {holder}")
            if held_s > HELD_SAID_S and not is_said:
                is_said = True
                log.warning("advance waits, because time stands still: %s", holder)
            await asyncio.sleep(LOOK_S)
            self.check_open()

    async def _begin_to_move(self) -> None:
        """Lets others begin to wait, and clients in that have connected already."""
        if self.jumps:
            await _pass_loop(FIRST_PASSES if self._traffic.has_listeners else 1)

    async def _handle_arrived(self) -> None:
        """Lets the event loop read and handle what clients have sent."""
        if self._traffic.has_clients:
            await _pass_loop(PASSES)
        self.check_open()

    async def _leap(self) -> None:
        """Moves time to the next timer, or, if no client is connected, through SLICE_ACTIONS.

        Stops where the first of all waits is over, so that each begins what it does next at its
        own time, and not as fast as the processor is.
        """
        timeline = self._world.timeline
        limit_us = min(waiter.end_us for waiter in self.waiters)
        if self._traffic.has_clients:
            limit_us = min(limit_us, max(timeline.due_us, timeline.now_us))
        leap_us = max(limit_us - timeline.now_us, 0)
        self._keep_wall_behind(leap_us, leap_us)
        last = timeline.scheduled_count + SLICE_ACTIONS
        self.stood.end()
        with self._runtime.stopped():
            self._world.run_until(
                lambda: timeline.scheduled_count > last or any(of.is_over() for of in self.waiters),
                limit_us=leap_us,
            )
        self._runtime.leave()
        self._begin_standing()
        await asyncio.sleep(0)
        await self._traffic.reopened()  # a process that is back now can be reached now
        self.check_open()

    async def _watch(self, limit_s: float) -> None:
        """Waits until something happens or the clock changes, at most `limit_s`."""
        happened = asyncio.Event()
        self._watching[happened] = None
        self._runtime.on_change = self._wake_watching  # each request would pay for it otherwise
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(max(limit_s, 0.0)):
                    await happened.wait()
        finally:
            del self._watching[happened]
            if not self._watching:
                self._runtime.on_change = None
        self.check_open()

    def _now_us(self) -> int:
        return self._runtime.present_us()

    @contextmanager
    def _waiting(
        self,
        reason: str,
        end_us: int,
        is_over: Callable[[], bool] = _never,
        is_parked: Callable[[], bool] = _never,
    ) -> Iterator[None]:
        since_us = self._world.timeline.now_us
        waiter = Waiter(reason, since_us, end_us, is_over, is_parked)
        self.waiters.append(waiter)
        try:
            yield
        finally:
            self.waiters.remove(waiter)

    def check_open(self) -> None:
        """Raises CommandError if `closed` is set."""
        if self.closed.is_set():
            raise CommandError("the cluster was closed, reset or restored while this call waited")

    def _wake_watching(self) -> None:
        for happened in self._watching:
            happened.set()

    # Requests that wait

    def _serve_parked(self) -> None:
        """Begins to move time if a client waits for a response that needs it."""
        if self._serving is None and self.jumps and self._traffic.parked() is not None:
            self._serving = asyncio.ensure_future(self._until_answered())

    async def _until_answered(self) -> None:
        traffic = self._traffic
        try:
            while (request := traffic.parked()) is not None:
                reason = f"a client that waits for its response to {type(request).__name__}"
                is_answered = partial(self._is_answered, request)
                if not await self.until(is_answered, PARKED_LIMIT_US, reason):
                    traffic.give_up(request)
        except CommandError:
            return  # the cluster ends
        finally:
            self._serving = None

    def _is_answered(self, request: Request) -> bool:
        return self._traffic.parked() is not request

    # The wall clock

    def _keep_wall_behind(self, by_us: int, back_us: int) -> None:
        """Steps the wall clocks back if `by_us` more would take them past the real time.

        They are then behind it even after `back_us`. Kafka's tools refuse timestamps of their
        future (rule 6.36).
        """
        real_ms, wall_ms = time.time_ns() // 1_000_000, self._world.timeline.wall_ms
        if by_us > 0 and wall_ms + by_us // 1000 > real_ms:
            by_ms = real_ms - wall_ms - back_us // 1000
            self._world.timeline.step_wall(by_ms)
            for clock in self._world.clocks.values():
                clock.step_wall(by_ms)

    def _check_wall(self) -> None:
        """Keeps the wall clock of a clock that runs fast behind the real time."""
        if self._wall_check is not None:
            self._wall_check.cancel()
            self._wall_check = None
        if self.speed > 1.0:
            second_us = int(self.speed * 1e6)
            self._keep_wall_behind(int(WALL_MARGIN_S) * second_us, int(WALL_BACK_S) * second_us)
            loop = asyncio.get_running_loop()
            self._wall_check = loop.call_later(WALL_CHECK_S, self._check_wall)


async def _pass_loop(times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0)
