"""What a history may have in it. Without bounds there is always one more election."""

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
    """`patience`: how often somebody has waited for long enough, for a leader, for votes or for
    followers; `losses`: how many answers are given up, or requests arrive when nobody waits for the
    answer any more. A voter that `asks_around` fetches from the others while it knows no leader, as
    4.3 does; else it waits to be told, as before (rule 10.37). With a broker: `sessions` is how
    often a session passes on a controller's clock, `rebirths` how often the broker's process begins
    anew, `stops` how often it is asked to end."""

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
        """In the order in which they are counted."""
        return (
            self.writes,
            self.crashes,
            self.patience,
            self.losses,
            2 * self.sessions,
            self.rebirths,
            self.stops,
        )
