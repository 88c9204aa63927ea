"""The JSON view of the clock of a running cluster."""

from kraftsim.controller.time.timeline import NEVER_US
from kraftsim.simulation.world import World

from ..service.clock_control import ClockControl
from .documents import ClockDocument


def clock_view(world: World, control: ClockControl, clock: str | float) -> ClockDocument:
    """Returns the clock of a running cluster that was started with the option `clock`."""
    timeline = world.timeline
    return {
        "clock": clock if isinstance(clock, str) else f"scaled:{clock:g}",
        "nowMs": timeline.now_ms,
        "wallMs": timeline.wall_ms,
        "speed": control.speed,
        "paused": control.is_paused,
        "nextTimerMs": None if timeline.due_us >= NEVER_US else timeline.due_us // 1000,
        "standsStill": _why_still(control),
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
    }


def _why_still(control: ClockControl) -> str | None:
    """Returns why time stands still; None on a clock that runs, and while a wait moves it."""
    if not control.is_standing:
        return None
    held_by = control.held_by()
    if held_by is None and not control.waiters:
        return "nobody waits: `clock advance`, `clock run-until` and `wait` move it"
    return held_by
