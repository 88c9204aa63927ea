"""The clock of a cluster: shows, moves and holds it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from kraftsim.controller.time.timeline import NEVER_US
from kraftsim.scenarios.language.durations import microseconds
from kraftsim.simulation.event_row import EventRow

from ..service.clock.clock_control import ClockControl
from .argument_checks import check_advance, check_lock, check_run_until, check_speed
from .documents import ClockDocument, EventDocument, HeldRequestDocument
from .running.added_faults import AddedFaults
from .running.live import Live
from .views.state_views import event_view

MOVERS = "`clock advance`, `clock run-until` and `wait` move it"


class Clock:
    """The clock of a cluster: `await kraft.clock.advance("11s")`.

    A virtual clock moves only by waits.
    """

    def __init__(self, live: Live, faults: AddedFaults) -> None:
        self._live, self._faults = live, faults

    async def show(self) -> ClockDocument:
        """Returns time and speed, who waits, who holds the clock, and why time stands still."""
        return _clock_view(self._live, self._faults.held_requests())

    async def advance(self, by: str | float) -> ClockDocument:
        """Lets the duration `by` pass: at once on a clock that stands, otherwise by waiting.

        `by` is a text such as "11s", or a number of seconds.

        Kafka clients may be connected: whatever they send in between is handled. Raises
        TimeoutError, with the holders, if locks or half a request hold the clock for 60 s; after a
        second it logs them.
        """
        check_advance(by)
        await self._live.clock.advance(microseconds(by))
        return await self.show()

    async def run_until(
        self, kind: str, broker: int | None = None, timeout: str | float = "20s"
    ) -> EventDocument:
        """Lets time pass until the next event of a kind ("broker_fenced"); returns the event.

        `broker` is the id of its broker (default: any). Raises TimeoutError after `timeout`.
        """
        check_run_until(kind, broker, timeout)
        found: list[EventRow] = []
        world = self._live.world
        listeners = world.journal.listeners

        def on_row(row: EventRow) -> None:
            if row.kind == kind and broker in (None, row.broker_id):
                found.append(row)

        listeners.append(on_row)
        try:
            await self._live.until(lambda: bool(found), timeout, f"an event {kind}")
        finally:
            listeners.remove(on_row)
        return event_view(found[0], world.timeline.wall_ms_at(found[0].t_us))

    async def sleep(self, duration: str | float) -> None:
        """Waits until the cluster's time has passed by `duration`, whoever moves it."""
        limit_us = microseconds(duration)
        await self._live.clock.until(lambda: False, limit_us, f"{duration} to pass")

    async def pause(self) -> ClockDocument:
        """Stops the clock: until `resume`, only `advance` moves it."""
        self._live.clock.pause()
        return await self.show()

    async def resume(self) -> ClockDocument:
        """Lets a paused clock go on as before."""
        self._live.clock.resume()
        return await self.show()

    async def speed(self, factor: str | float) -> ClockDocument:
        """Makes time pass `factor` times as fast as real time, from now on and on any clock.

        With 0, a virtual, auto or skipping clock stands: only waits move it.
        """
        check_speed(factor, may_stand=self._live.options.can_stand)
        self._live.clock.run_at(float(factor))
        return await self.show()

    async def lock(self, owner: str, expiry: str | float = "30s") -> ClockDocument:
        """Holds a clock that stands or skips until `unlock` was called as often, or `expiry`.

        Waits and `advance` wait meanwhile. `expiry` is in real time, at most an hour.
        """
        check_lock(owner, expiry)
        self._live.clock.locks.take(owner, microseconds(expiry) / 1e6)
        return await self.show()

    async def unlock(self, owner: str) -> ClockDocument:
        """Lets go of the clock once; CommandError if `owner` holds no lock."""
        self._live.clock.locks.let_go(owner)
        return await self.show()

    @asynccontextmanager
    async def held(self, owner: str, expiry: str | float = "30s") -> AsyncIterator[ClockDocument]:
        """Holds the clock during a block: nobody moves it meanwhile."""
        document = await self.lock(owner, expiry)
        try:
            yield document
        finally:
            await self.unlock(owner)


def _clock_view(live: Live, held_requests: Sequence[HeldRequestDocument]) -> ClockDocument:
    """Returns the clock of a cluster, and the requests that faults hold."""
    timeline, control, clock = live.world.timeline, live.clock, live.options.clock
    return {
        "clock": clock if isinstance(clock, str) else f"scaled:{clock:g}",
        "nowMs": timeline.now_ms,
        "wallMs": timeline.wall_ms,
        "speed": control.speed,
        "paused": control.is_paused,
        "nextTimerMs": None if timeline.due_us >= NEVER_US else timeline.due_us // 1000,
        "standsStill": _why_still(control, held_requests),
        "stoodStillMs": round(control.stood.total_s * 1000),
        "waiters": [
            {"waitsFor": waiter.reason, "sinceMs": waiter.since_us // 1000}
            for waiter in control.waiters
        ],
        "locks": [
            {
                "owner": lock.owner,
                "count": lock.count,
                "expiresInMs": round(lock.expires_in_s * 1000),
            }
            for lock in control.locks.held()
        ],
        "heldRequests": list(held_requests),
    }


def _why_still(control: ClockControl, held_requests: Sequence[HeldRequestDocument]) -> str | None:
    """Returns why time stands still; None on a clock that runs, and while a wait moves it."""
    if not control.is_standing:
        return None
    if (held_by := control.held_by()) is not None:
        return held_by
    if not all(waiter.is_parked() for waiter in control.waiters):
        return None
    if not held_requests:
        return f"nobody waits: {MOVERS}"
    return f"{_held_text(held_requests)}; nobody else waits: {MOVERS}"


def _held_text(held_requests: Sequence[HeldRequestDocument]) -> str:
    """Names the oldest request that a fault holds or delays, and the number of the others."""
    first, more = held_requests[0], len(held_requests) - 1
    fault, until_ms = first["faultId"], first["untilMs"]
    until = f"`fault remove {fault}`" if until_ms is None else f"{until_ms / 1000:.3f} s"
    others = f" (and {more} more)" if more else ""
    return (
        f"the fault {fault} holds the {first['direction']} {first['api']} at {first['node']} "
        f"until {until}{others}"
    )
