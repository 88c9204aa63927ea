"""Which partitions concern a broker: kept beside the image so that a fence is not a full scan.

Sets, read only through `sorted`, so that no order of a hash ever reaches a record.
"""

from collections import defaultdict

from .partition import Partition, PartitionKey, needs_its_leader
from .records import NO_LEADER


class PartitionIndex:
    def __init__(self) -> None:
        self._in_isr: defaultdict[int, set[PartitionKey]] = defaultdict(set)
        self._in_elr: defaultdict[int, set[PartitionKey]] = defaultdict(set)
        self._led: defaultdict[int, set[PartitionKey]] = defaultdict(set)
        self._ailing: defaultdict[int, set[PartitionKey]] = defaultdict(set)

    def add(self, key: PartitionKey, partition: Partition) -> None:
        for index, broker_id in self._entries(partition):
            index[broker_id].add(key)

    def remove(self, key: PartitionKey, partition: Partition) -> None:
        for index, broker_id in self._entries(partition):
            index[broker_id].discard(key)

    def in_isr_or_led(self, broker_id: int) -> list[PartitionKey]:
        return sorted(self._in_isr[broker_id] | self._led[broker_id])

    def in_elr(self, broker_id: int) -> list[PartitionKey]:
        return sorted(self._in_elr[broker_id])

    def leaderless(self) -> list[PartitionKey]:
        return sorted(self._led[NO_LEADER])

    def ailing(self, leader: int) -> list[PartitionKey]:
        """Partitions that `leader` leads and that only it can bring back to health."""
        return sorted(self._ailing.get(leader, ()))

    def led(self, broker_id: int) -> list[PartitionKey]:
        return sorted(self._led[broker_id])

    def leads(self, broker_id: int) -> bool:
        return bool(self._led.get(broker_id))

    def copy(self) -> "PartitionIndex":
        twin = PartitionIndex()
        for name in ("_in_isr", "_in_elr", "_led", "_ailing"):
            getattr(twin, name).update({k: set(v) for k, v in getattr(self, name).items()})
        return twin

    def _entries(
        self, partition: Partition
    ) -> list[tuple[defaultdict[int, set[PartitionKey]], int]]:
        entries = [(self._in_isr, broker_id) for broker_id in partition.isr]
        entries += [(self._in_elr, broker_id) for broker_id in partition.elr]
        entries.append((self._led, partition.leader))
        if needs_its_leader(partition):
            entries.append((self._ailing, partition.leader))
        return entries
