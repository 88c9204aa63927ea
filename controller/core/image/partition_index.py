"""Index of the partitions of each broker, so that a fence does not scan all partitions.

The index uses sets and returns sorted lists, so that hash order never reaches a record.
"""

from collections import deque
from collections.abc import Iterable, Mapping

from ..log.records import NO_LEADER
from ..uuid import Uuid
from .key_sets import KeySets
from .partition import (
    Partition,
    PartitionKey,
    has_counted_leader,
    is_imbalanced,
    is_reassigning,
    needs_its_leader,
)

ANY_BROKER = -1  # key of a set that does not belong to one broker


class PartitionIndex:
    """The partitions each broker hosts, leads, or is in the ISR or ELR of; all lists are sorted.

    A partition is imbalanced if its first replica, the preferred leader, does not lead it. After
    `put_off` the index `is_behind`: changes wait, oldest first, until `catch_up` or until anybody
    reads the index. In a large batch they take most of the time of its replay. `_due` changes are
    still left to `catch_up`: a reader makes them early, and changes nothing about later steps.
    """

    def __init__(self) -> None:
        self.is_behind = False
        self._due = 0
        self._waiting: deque[tuple[PartitionKey, Partition | None, Partition | None]] = deque()
        self._hosted = KeySets()
        self._in_isr = KeySets()
        self._in_elr = KeySets()
        self._led = KeySets()
        self._ailing = KeySets()
        self._imbalanced = KeySets()
        self._reassigning = KeySets()

    def put_off(self) -> None:
        """Let the changes that follow wait; the caller must see to it that `catch_up` follows.

        Changes that wait for an earlier batch are made, so that those of one large batch wait.
        """
        self._make(len(self._waiting))
        self.is_behind = True

    def catch_up(self, changes_max: int) -> None:
        """Make the changes that wait, at most `changes_max` of them."""
        self._make(min(changes_max, len(self._waiting)))
        self._due = max(0, self._due - changes_max)
        self.is_behind = self._due > 0

    def _make(self, count: int) -> None:
        for _ in range(count):
            self._change(*self._waiting.popleft())

    def change(self, key: PartitionKey, old: Partition | None, new: Partition | None) -> None:
        """Follow a partition from `old` (None: it is new) to `new` (None: it is deleted)."""
        if self.is_behind:
            self._waiting.append((key, old, new))
            self._due += 1
        else:
            self._change(key, old, new)

    def _change(self, key: PartitionKey, old: Partition | None, new: Partition | None) -> None:
        if old is not None and new is not None:
            self._replace(key, old, new)
        elif new is not None:
            self._add(key, new)
        elif old is not None:
            self._remove(key, old)

    def _of(self, sets: KeySets, broker_id: int) -> set[PartitionKey]:
        """Returns the broker's keys in one of the sets, with all changes."""
        if self._waiting:
            self._make(len(self._waiting))
        return sets.of(broker_id)

    def _add(self, key: PartitionKey, partition: Partition) -> None:
        self._hosted.add_all(partition.replicas, key)
        self._in_isr.add_all(partition.isr, key)
        self._in_elr.add_all(partition.elr, key)
        if has_counted_leader(partition):
            self._led.add(partition.leader, key)
        if needs_its_leader(partition):
            self._ailing.add(partition.leader, key)
        if is_imbalanced(partition):
            self._imbalanced.add(ANY_BROKER, key)
        if is_reassigning(partition):
            self._reassigning.add(ANY_BROKER, key)

    def _remove(self, key: PartitionKey, partition: Partition) -> None:
        self._hosted.discard_all(partition.replicas, key)
        self._in_isr.discard_all(partition.isr, key)
        self._in_elr.discard_all(partition.elr, key)
        if has_counted_leader(partition):
            self._led.discard(partition.leader, key)
        if needs_its_leader(partition):
            self._ailing.discard(partition.leader, key)
        if is_imbalanced(partition):
            self._imbalanced.discard(ANY_BROKER, key)
        if is_reassigning(partition):
            self._reassigning.discard(ANY_BROKER, key)

    def _replace(self, key: PartitionKey, old: Partition, new: Partition) -> None:
        """Follow a change, which leaves in both partitions the same object where it is none."""
        if old.replicas != new.replicas:
            self._hosted.move(key, old.replicas, new.replicas)
        if old.isr != new.isr:
            self._in_isr.move(key, old.isr, new.isr)
        if old.elr != new.elr:
            self._in_elr.move(key, old.elr, new.elr)
        if old.leader != new.leader or old.isr is not new.isr:
            if has_counted_leader(old):
                self._led.discard(old.leader, key)
            if has_counted_leader(new):
                self._led.add(new.leader, key)
        was_ailing, is_ailing = needs_its_leader(old), needs_its_leader(new)
        if was_ailing and not (is_ailing and old.leader == new.leader):
            self._ailing.discard(old.leader, key)
        if is_ailing and not (was_ailing and old.leader == new.leader):
            self._ailing.add(new.leader, key)
        if old.leader != new.leader or old.replicas is not new.replicas:
            _note(self._imbalanced, key, is_imbalanced(old), is_imbalanced(new))
        if (
            old.adding_replicas is not new.adding_replicas
            or old.removing_replicas is not new.removing_replicas
        ):
            _note(self._reassigning, key, is_reassigning(old), is_reassigning(new))

    def hosted(self, broker_id: int) -> list[PartitionKey]:
        """Returns the partitions of which the broker has a replica, in sync or not."""
        return sorted(self._of(self._hosted, broker_id))

    def in_isr(self, broker_id: int) -> list[PartitionKey]:
        """Returns the partitions whose ISR contains the broker."""
        return sorted(self._of(self._in_isr, broker_id))

    def in_elr(self, broker_id: int) -> list[PartitionKey]:
        """Returns the partitions whose ELR contains the broker."""
        return sorted(self._of(self._in_elr, broker_id))

    def leaderless(self) -> list[PartitionKey]:
        """Returns the partitions without a leader."""
        return sorted(self._of(self._led, NO_LEADER))

    def leaderless_of(self, broker_id: int) -> list[PartitionKey]:
        """Returns the leaderless partitions of which the broker has a replica."""
        return sorted(self._of(self._led, NO_LEADER) & self._of(self._hosted, broker_id))

    def ailing(self, leader: int) -> list[PartitionKey]:
        """Returns the partitions that `leader` leads and for which `needs_its_leader` is true."""
        return sorted(self._of(self._ailing, leader))

    def has_ailing(self, leader: int) -> bool:
        """True if `leader` leads a partition for which `needs_its_leader` is true."""
        return bool(self._of(self._ailing, leader))

    def imbalanced(self) -> list[PartitionKey]:
        """Returns the partitions that their first replica does not lead."""
        return sorted(self._of(self._imbalanced, ANY_BROKER))

    def imbalanced_by_topic(self) -> Mapping[Uuid, list[int]]:
        """Returns the ids of imbalanced partitions, by topic."""
        return _by_topic(self._of(self._imbalanced, ANY_BROKER))

    def leaderless_by_topic(self) -> Mapping[Uuid, list[int]]:
        """Returns the ids of partitions without a leader, by topic."""
        return _by_topic(self._of(self._led, NO_LEADER))

    def reassigning_by_topic(self) -> Mapping[Uuid, list[int]]:
        """Returns the ids of partitions of which a reassignment is in progress, by topic."""
        return _by_topic(self._of(self._reassigning, ANY_BROKER))

    def led(self, broker_id: int) -> list[PartitionKey]:
        """Returns the partitions that the broker leads as a member of their ISR."""
        return sorted(self._of(self._led, broker_id))

    def leads(self, broker_id: int) -> bool:
        """True if the broker leads at least one partition as a member of its ISR."""
        return bool(self._of(self._led, broker_id))

    def copy(self) -> "PartitionIndex":
        """Returns an independent copy."""
        self._make(len(self._waiting))
        twin = PartitionIndex()
        twin.is_behind, twin._due = self.is_behind, self._due
        twin._hosted = self._hosted.copy()
        twin._in_isr = self._in_isr.copy()
        twin._in_elr = self._in_elr.copy()
        twin._led = self._led.copy()
        twin._ailing = self._ailing.copy()
        twin._imbalanced = self._imbalanced.copy()
        twin._reassigning = self._reassigning.copy()
        return twin


def _note(keys: KeySets, key: PartitionKey, was_member: bool, is_member: bool) -> None:
    if is_member and not was_member:
        keys.add(ANY_BROKER, key)
    elif was_member and not is_member:
        keys.discard(ANY_BROKER, key)


def _by_topic(keys: Iterable[PartitionKey]) -> Mapping[Uuid, list[int]]:
    """Returns ascending ids by topic; only the lookup of a topic has an order."""
    by_topic: dict[Uuid, list[int]] = {}
    for topic_id, partition_id in keys:
        by_topic.setdefault(topic_id, []).append(partition_id)
    for partition_ids in by_topic.values():
        partition_ids.sort()
    return by_topic
