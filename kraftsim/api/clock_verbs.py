"""The part of `Cluster` that moves, holds and shows its clock."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from kraftsim.controller.time.timeline import NEVER_US
from kraftsim.scenarios.language.durations import microseconds
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.world import World

from ..options import ClusterOptions
from ..service.clock_control import ClockControl
from .argument_checks import check_advance, check_lock, check_run_until, check_speed
from .documents import ClockDocument, EventDocument, HeldRequestDocument
from .views import event_view

MOVERS = "`clock advance`, `clock run-until` and `wait` move it"


class ClockVerbs(ABC):
    """The methods of `Cluster` that concern its clock. A virtual clock moves only by waits."""

    options: ClusterOptions

    @property
    @abstractmethod
    def world(self) -> World: ...

    @property
    @abstractmethod
    def _clock(self) -> ClockControl: ...

    @property
    @abstractmethod
    def _held_requests(self) -> Sequence[HeldRequestDocument]: ...

    async def clock(self) -> ClockDocument:
        """Returns time and speed, who waits, who holds the clock, and why time stands still."""
        return _clock_view(self.world, self._clock, self.options.clock, self._held_requests)

    async def advance(self, by: str | float) -> ClockDocument:
        """Lets the duration `by` pass: at once on a clock that stands, otherwise by waiting.

        `by` is a text such as "11s", or a number of seconds.

        Kafka clients may be connected: whatever they send in between is handled. Raises
        TimeoutError, with the holders, if locks or half a request hold the clock for 60 s; after a
        second it logs them.
        """
        check_advance(by)
        await self._clock.advance(microseconds(by))
        return await self.clock()

    async def run_until(
        self, kind: str, broker: int | None = None, timeout: str | float = "20s"
    ) -> EventDocument:
        """Lets time pass until the next event of a kind ("broker_fenced"); returns the event.

        `broker` is the id of its broker (default: any). Raises TimeoutError after `timeout`.
        """
        check_run_until(kind, broker, timeout)
        found: list[EventRow] = []
        listeners, limit_us = self.world.journal.listeners, microseconds(timeout)

        def on_row(row: EventRow) -> None:
            if row.kind == kind and broker in (None, row.broker_id):
                found.append(row)

        listeners.append(on_row)
        try:
            await self._clock.until(lambda: bool(found), limit_us, f"an event {kind}")
        finally:
            listeners.remove(on_row)
        if not found:
            raise TimeoutError(self._in_vain(f"an event {kind}", timeout))
        return event_view(found[0], self.world.timeline.wall_ms_at(found[0].t_us))

    async def sleep(self, duration: str | float) -> None:
        """Waits until the cluster's time has passed by `duration`, whoever moves it."""
        limit_us = microseconds(duration)
        await self._clock.until(lambda: False, limit_us, f"{duration} to pass")

    async def pause_clock(self) -> ClockDocument:
        """Stops the clock: until `resume_clock`, only `advance` moves it."""
        self._clock.pause()
        return await self.clock()

    async def resume_clock(self) -> ClockDocument:
        """Lets a paused clock go on as before."""
        self._clock.resume()
        return await self.clock()

    async def speed_clock(self, factor: str | float) -> ClockDocument:
        """Makes time pass `factor` times as fast as real time, from now on and on any clock.

        With 0, a virtual or auto clock stands again: waits move it, as at its start.
        """
        check_speed(factor, may_stand=self.options.clock in ("virtual", "auto"))
        self._clock.run_at(float(factor))
        return await self.clock()

    async def lock_clock(self, owner: str, expiry: str | float = "30s") -> ClockDocument:
        """Holds a clock that stands until `unlock_clock` was called as often, or `expiry`.

        Waits and `advance` wait meanwhile. `expiry` is in real time, at most an hour.
        """
        check_lock(owner, expiry)
        self._clock.locks.take(owner, microseconds(expiry) / 1e6)
        return await self.clock()

    async def unlock_clock(self, owner: str) -> ClockDocument:
        """Lets go of the clock once; CommandError if `owner` holds no lock."""
        self._clock.locks.let_go(owner)
        return await self.clock()

    def _in_vain(self, expected: str, timeout: str | float) -> str:
        """Returns the message of a wait that was in vain, and what held the clock."""
        held_by = self._clock.held_by() if self._clock.is_standing else None
        reason = "" if held_by is None else f", but time stood still: {held_by}"
        return f"expected {expected} within {timeout}{reason}"


def _clock_view(
    world: World,
    control: ClockControl,
    clock: str | float,
    held_requests: Sequence[HeldRequestDocument],
) -> ClockDocument:
    """Returns the clock of a running cluster that was started with the option `clock`."""
    timeline = world.timeline
    return {
        "clock": clock if isinstance(clock, str) else f"scaled:{clock:g}",
        "nowMs": timeline.now_ms,
        "wallMs": timeline.wall_ms,
        "speed": control.speed,
        "paused": control.is_paused,
        "nextTimerMs": None if timeline.due_us >= NEVER_US else timeline.due_us // 1000,
        "standsStill": _why_still(control, held_requests),
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
