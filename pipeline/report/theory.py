"""What the rules say of a sweep, to be drawn over what its runs have shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .findings import Sweep

HEARTBEAT_MS = 2000.0  # broker.heartbeat.interval.ms
CHECKS = 8  # of leases in a session, in 4.x (rule 2.47)
Edge = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Boundary:
    """For each value of the axis `along` (ms): up to `never`, and from `always` on, the axis
    `across` (ms) leaves no choice; between them the phase of the heartbeats decides."""

    across: str
    along: str
    never: Edge
    always: Edge
    says: str


def boundary_of(sweep: Sweep) -> Boundary | None:
    """None where nothing is known, or where another word was changed on which it depends."""
    return None if sweep.held else BOUNDARIES.get(sweep.scenario)


BOUNDARIES: Mapping[str, Boundary] = {
    "pause-against-session": Boundary(
        across="pause",
        along="session_ms",
        never=lambda session_ms: session_ms - HEARTBEAT_MS,
        always=lambda session_ms: session_ms * (1 + 1 / CHECKS),
        says=(
            "A lease runs from the last heartbeat, at most one interval (2 s) before the pause: a "
            "shorter pause than the session less that is never fenced (2.36, 2.46). Leases are "
            "looked at eight times a session, so a pause of nine eighths of it always is "
            "(rule 2.47). Between the two lines the seed decides."
        ),
    ),
}
