"""The rows of the table of operations about the clock."""

from typing import TYPE_CHECKING

from ..api.argument_checks import (
    Check,
    accept_all,
    check_advance,
    check_lock,
    check_run_until,
    check_speed,
)
from ..api.documents import ClockDocument, EventDocument
from .operation import Operation, Run

if TYPE_CHECKING:
    from ..api.cluster import Cluster


async def show_clock(kraft: "Cluster") -> ClockDocument:
    """Show the clock: time and speed, who waits, who holds it, and why time stands still."""
    return await kraft.clock.show()


async def advance_clock(kraft: "Cluster", by: str | float) -> ClockDocument:
    """Let time pass: at once on a clock that stands, otherwise by waiting."""
    return await kraft.clock.advance(by)


async def run_clock_until(
    kraft: "Cluster", kind: str, broker: int | None = None, timeout: str | float = "20s"
) -> EventDocument:
    """Let time pass until the next event of a kind, and show the event."""
    return await kraft.clock.run_until(kind, broker, timeout)


async def pause_clock(kraft: "Cluster") -> ClockDocument:
    """Pause the clock: only `advance` moves it until `resume`."""
    return await kraft.clock.pause()


async def resume_clock(kraft: "Cluster") -> ClockDocument:
    """Resume a paused clock."""
    return await kraft.clock.resume()


async def speed_clock(kraft: "Cluster", factor: str | float) -> ClockDocument:
    """Set how many times as fast as real time the clock runs."""
    return await kraft.clock.speed(factor)


async def lock_clock(kraft: "Cluster", owner: str, expiry: str | float = "30s") -> ClockDocument:
    """Hold a clock that stands or skips, until as many calls of `unlock`, or the lock expires."""
    return await kraft.clock.lock(owner, expiry)


async def unlock_clock(kraft: "Cluster", owner: str) -> ClockDocument:
    """Let go of a clock that this owner holds."""
    return await kraft.clock.unlock(owner)


def _verb(verb: str, run: Run, check: Check = accept_all) -> Operation:
    path = f"/sim/clock/{verb}"
    return Operation("POST", path, ("clock", verb), run, changes=True, check=check)


SHOW_CLOCK = Operation("GET", "/sim/clock", ("clock", "show"), show_clock)
CLOCK_OPERATIONS = (
    SHOW_CLOCK,
    _verb("advance", advance_clock, check_advance),
    _verb("run-until", run_clock_until, check_run_until),
    _verb("pause", pause_clock),
    _verb("resume", resume_clock),
    _verb("speed", speed_clock, check_speed),
    _verb("lock", lock_clock, check_lock),
    _verb("unlock", unlock_clock),
)
