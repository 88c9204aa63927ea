"""The bound on the payload of all logs of a cluster: the oldest make room (not in Kafka)."""

from collections.abc import Callable, Iterable, Iterator

from ..hosted_agent import HostedAgent
from ..log.batch import header_of
from ..log.log import Log

_STEP = 128  # so many times fewer bytes are dropped at once: 2,000 batches take some 3 ms


class PayloadBound:
    """Drops the oldest batches once the logs of `hosts()` hold more than `bytes_max`.

    `note_dropped()` is called when batches were dropped.
    """

    def __init__(
        self,
        hosts: Callable[[], Iterable[HostedAgent]],
        bytes_max: int,
        note_dropped: Callable[[], None],
    ) -> None:
        self._hosts, self._bytes_max, self._note_dropped = hosts, bytes_max, note_dropped
        self._held_max = bytes_max  # an upper bound of what is held: a snapshot has batches
        self.dropped_bytes = 0

    def note(self, size: int) -> None:
        """Notes an append."""
        self._held_max += size
        if self._held_max > self._bytes_max:
            self._make_room()

    def _make_room(self) -> None:
        groups = self._groups()
        held = sum(max(log.size for log in group) for group in groups)
        before, goal = self.dropped_bytes, self._bytes_max - self._bytes_max // _STEP
        while held > self._bytes_max and groups:
            oldest = min(groups, key=_began_ms)
            freed = max(log.size for log in oldest)
            for log in oldest:
                log.give_up(held - goal)
            left = max(log.size for log in oldest)
            self.dropped_bytes += freed - left
            held -= freed - left
            if not left:
                groups.remove(oldest)
        self._held_max = held
        if self.dropped_bytes > before:
            self._note_dropped()

    def _groups(self) -> list[list[Log]]:
        """Returns the logs with batches, those of one partition together."""
        groups: dict[object, list[Log]] = {}
        for host in self._hosts():
            for key, log in host.store.all_logs():
                if log.batches:
                    groups.setdefault(key, []).append(log)
        return list(groups.values())


def _began_ms(group: list[Log]) -> int:
    """Returns the largest timestamp of the oldest batch."""
    return min(header_of(log.batches[0]).max_timestamp for log in group)


def bound_of(
    hosted: HostedAgent, bytes_max: int, note_dropped: Callable[[], None]
) -> Callable[[int], None]:
    """Returns what is called with the size of each append to a log of the broker's cluster."""

    def hosts() -> Iterator[HostedAgent]:
        for broker_id in hosted.agent.image.brokers:
            if (peer := hosted.peer(broker_id)) is not None:
                yield peer

    return PayloadBound(hosts, bytes_max, note_dropped).note
