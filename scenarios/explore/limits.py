"""Limits of a search, without which a history could always have one more election."""

from dataclasses import dataclass
from math import inf

WRITES, CRASHES, PATIENCE, LOSSES, HALVES, REBIRTHS, STOPS = range(7)
SPENT_ON = {
    "writes": WRITES,
    "creates_a_topic": WRITES,
    "unregisters_the_broker": WRITES,
    "restarts": CRASHES,
    "loses_patience": PATIENCE,
    "gives_up_on": LOSSES,
    "hears_late": LOSSES,
    "sees_half_a_session_pass": HALVES,
    "is_reborn": REBIRTHS,
    "is_asked_to_stop": STOPS,
}
Spent = tuple[int, ...]


@dataclass(frozen=True)
class Limits:
    """How often each kind of event may occur in one history.

    `epoch` is the highest epoch. `writes`, `crashes`: records that are written, processes that
    restart. `patience`: timeouts of a role (for a leader, for votes or for followers).
    `losses`: replies that are given up, and requests that arrive when their sender no longer
    waits. With `asks_around` a voter that knows no leader fetches from the other voters, as in
    4.3; otherwise it waits for the leader's request (rule 10.37). With a broker: `sessions`
    that pass on a controller's clock, `rebirths` of the broker's process, and `stops`, requests
    to end it.
    """

    epoch: int = 2
    writes: int = 1
    crashes: int = 1
    patience: float = inf
    losses: float = inf
    sessions: int = 0
    rebirths: int = 0
    stops: int = 0
    asks_around: bool = True

    @property
    def amounts(self) -> tuple[float, ...]:
        """The limits in the order in which they are counted."""
        return (
            self.writes,
            self.crashes,
            self.patience,
            self.losses,
            2 * self.sessions,
            self.rebirths,
            self.stops,
        )
