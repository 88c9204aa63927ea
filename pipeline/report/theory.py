"""Boundaries between fenced and unfenced runs that the rules predict for a sweep."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kraftsim.controller.core.profile import DEFAULT_PROFILE

from .findings import Sweep

HEARTBEAT_MS = DEFAULT_PROFILE.settings.broker_heartbeat_interval_ms
CHECKS = 8  # checks of leases per session, in 4.x (rule 2.47)
Edge = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Boundary:
    """The predicted boundary between runs without and with a fence; axes are in milliseconds.

    `never` and `always` map a value of the axis `along` to values of the axis `across`: no run has
    a fence up to `never`, every run has a fence from `always` on. Between them, the phase of the
    heartbeats decides.
    """

    across: str
    along: str
    never: Edge
    always: Edge
    caption: str


def boundary_of(sweep: Sweep) -> Boundary | None:
    """Returns the predicted boundary of a sweep.

    Returns None if no prediction exists for the scenario, or if the sweep sets further words, on
    which the boundary may depend.
    """
    return None if sweep.held else BOUNDARIES.get(sweep.scenario)


BOUNDARIES: Mapping[str, Boundary] = {
    "pause-against-session": Boundary(
        across="pause",
        along="session_ms",
        never=lambda session_ms: session_ms - HEARTBEAT_MS,
        always=lambda session_ms: session_ms * (1 + 1 / CHECKS),
        caption=(
            "A lease runs from the last heartbeat, which is at most one interval (2 s) before the "
            "pause: a pause shorter than the session minus 2 s is never fenced (rules 2.36, 2.46). "
            "Leases are checked eight times per session, so a pause of nine eighths of a session "
            "is always fenced (rule 2.47). Between the two lines the seed decides."
        ),
    ),
}
