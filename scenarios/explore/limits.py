"""Limits of a search; without them a history could always have one more election."""

from dataclasses import dataclass
from math import inf

WRITES, CRASHES, TIMEOUTS, LOSSES, HALVES, REBIRTHS, STOPS = range(7)
SPENT_ON = {
    "writes": WRITES,
    "creates_a_topic": WRITES,
    "unregisters_the_broker": WRITES,
    "restarts": CRASHES,
    "role_times_out": TIMEOUTS,
    "times_out_on": LOSSES,
    "receives_late": LOSSES,
    "sees_half_a_session_pass": HALVES,
    "is_reborn": REBIRTHS,
    "is_asked_to_stop": STOPS,
    "hears_a_proposal": WRITES,
    "hears_a_request_to_elect": WRITES,
    "hears_of_a_new_process": REBIRTHS,
    "hears_a_request_to_stop": STOPS,
}
Spent = tuple[int, ...]


@dataclass(frozen=True)
class Limits:
    """How often each kind of event may occur in one history.

    `epoch` is the highest epoch of the quorum. `writes` counts appended records and admin
    requests, `crashes` restarts of controllers. `timeouts` counts timeouts of a role: no
    leader, no votes, or no followers. `losses` counts request timeouts, and requests that
    arrive after their sender gave up. With `asks_around` a voter that knows no leader fetches
    from the other voters, as in Kafka 4.3; otherwise it waits for the leader's request (rule
    10.37). Worlds with a broker have three more limits: `sessions` that pass on a controller's
    clock, `rebirths` (restarts of the broker), and `stops` (SIGTERMs to the broker).
    """

    epoch: int = 2
    writes: int = 1
    crashes: int = 1
    timeouts: float = inf
    losses: float = inf
    sessions: int = 0
    rebirths: int = 0
    stops: int = 0
    asks_around: bool = True

    @property
    def amounts(self) -> tuple[float, ...]:
        """The limits in the order of the constants above: `amounts[WRITES]` limits writes."""
        return (
            self.writes,
            self.crashes,
            self.timeouts,
            self.losses,
            2 * self.sessions,
            self.rebirths,
            self.stops,
        )
