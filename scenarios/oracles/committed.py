"""Passes the committed log to properties, once for each batch, in order."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import NoOpRecord

from .mentions import Mentions
from .property import Property
from .shadow import Fact, Key, PartitionChange, Shadow


class OfTheCommittedLog(Property):
    """A property of the committed log.

    `read` is called for each record before the batch is applied to `shadow`. `done` is called
    after the whole batch, because the states within a batch are never visible; before it,
    `partition_changed` is called for each change of a partition, and `partition_settled` once for
    each partition. `shadow` is an independent replay of the committed log and `mentions` an index
    of its partitions, which all properties of a world share.
    """

    shadow: Shadow
    mentions: Mentions

    @property
    def cleans_up_at_registration(self) -> bool:
        """True if a registration removes the previous incarnation from ISRs, whoever leads.

        The committed log does not say which controller decided (rule 1.37).
        """
        processes = self.world.controllers.values()
        return all(process.node.profile.cleans_up_at_registration for process in processes)

    def read(self, record: Any, offset: int) -> None:
        """Called for each committed record, in the order of the log."""

    def partition_changed(self, key: Key, before: Fact | None, after: Fact) -> None:
        """Called for each committed record of a partition, with its facts before and after it.

        `shadow` has the whole batch.
        """

    def partition_settled(self, key: Key, before: Fact | None, after: Fact) -> None:
        """Called for each partition that a batch changes, with its facts before and after it."""

    def done(self, batch: Batch, touched: set[Key]) -> None:
        """Called after a committed batch; the facts of the keys `touched` may have changed."""


class CommittedLog:
    """Passes each committed batch once to the hooks of `OfTheCommittedLog`.

    `call_hook` is called with the name of a hook and its arguments.
    """

    def __init__(self, call_hook: Callable[..., None]) -> None:
        self.shadow = Shadow()
        self.mentions = Mentions()
        self._call_hook = call_hook

    def take(self, batch: Batch) -> None:
        """Takes a batch that a controller reports as committed; ignores repeated reports.

        A batch with only a NoOpRecord, usual in an idle cluster, calls no hook.
        """
        if batch.base_offset != self.shadow.end_offset:
            return
        if isinstance(batch.records[0], NoOpRecord) and len(batch.records) == 1:
            self.shadow.fold(batch)
            return
        if not batch.is_control:
            for offset, record in enumerate(batch.records, batch.base_offset):
                self._call_hook("read", record, offset)
        touched = self.shadow.fold(batch)
        self.mentions.update(self.shadow, touched)
        for change in self.shadow.changes:
            self._call_hook("partition_changed", *change)
        for change in by_partition(self.shadow.changes):
            self._call_hook("partition_settled", *change)
        self._call_hook("done", batch, touched)


def by_partition(changes: Sequence[PartitionChange]) -> Iterable[PartitionChange]:
    """Returns one change for each partition, from before its first change until after its last.

    A request of an administrator may name a partition twice, as Kafka allows: each mention is
    decided from the state before the request.
    """
    if len(changes) < 2:
        return changes
    first: dict[Key, Fact | None] = {}
    last: dict[Key, Fact] = {}
    for key, before, after in changes:
        first.setdefault(key, before)
        last[key] = after
    return [(key, first[key], after) for key, after in last.items()]
