"""The elections that an active controller repeats, and when each is due next.

Each task runs one interval after the activation, and then at that interval (Kafka 4.x). A run that
reaches its bound is repeated after 10 ms, so that requests come in between.
"""

from collections.abc import Callable, Iterator

from ..core.log.records import Record
from ..core.partitions import periodic
from ..core.settings import Settings
from ..core.state import State
from ..time.timeline import NEVER_MS

REPEAT_MS = 10

Run = Callable[[State], tuple[Record, ...]]


class PeriodicTasks:
    """The periodic tasks of one activation, from `now_ms` on."""

    def __init__(self, settings: Settings, now_ms: int) -> None:
        self._intervals_ms: dict[Run, int] = {
            periodic.unclean_leaders: settings.unclean_leader_election_interval_ms
        }
        if settings.auto_leader_rebalance_enable:
            interval_ms = settings.leader_imbalance_check_interval_seconds * 1_000
            self._intervals_ms[periodic.balanced_leaders] = interval_ms
        self._due_ms = {run: now_ms + after for run, after in self._intervals_ms.items()}

    @property
    def deadline_ms(self) -> int:
        """The time of the next run."""
        return min(self._due_ms.values(), default=NEVER_MS)

    def due(self, state: State, now_ms: int) -> Iterator[tuple[Record, ...]]:
        """Yields the records of each task that is due; apply them before the next is taken."""
        for run, at_ms in self._due_ms.items():
            if at_ms <= now_ms:
                records = run(state)
                has_more = len(records) >= periodic.ELECTIONS_PER_RUN_MAX
                self._due_ms[run] = now_ms + (REPEAT_MS if has_more else self._intervals_ms[run])
                if records:
                    yield records
