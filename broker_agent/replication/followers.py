"""What the process of a leader knows of its followers (rules B6.2, B6.3 and B6.30)."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kraftsim.controller.core.image.broker import BrokerRegistration
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition, PartitionKey, without_elr
from kraftsim.controller.core.uuid import Uuid


class Lag(NamedTuple):
    """A follower that lacks a part of its leader's log.

    `end_offset` is the end of its own log as it fetched last; -1 if it has not fetched since the
    election. `caught_up_ms` is when it last had everything, on the clock of the leader.
    """

    end_offset: int
    caught_up_ms: int


class Fetched(NamedTuple):
    """What the Fetch requests of a follower have told (rule B6.3).

    `leader_end` is the end of the leader's log at the last one, which came at `fetched_ms`;
    `caught_up_ms` is 0 of a follower that has never had everything since the election.
    `broker_epoch` is that of the process that fetched, -1 if it named none.
    """

    end_offset: int
    leader_end: int
    fetched_ms: int
    caught_up_ms: int
    broker_epoch: int

    def is_of(self, broker: BrokerRegistration | None) -> bool:
        """True if the process that fetched is the one that is registered (B6.23, KIP-903)."""
        return broker is not None and self.broker_epoch in (-1, broker.broker_epoch)


NEVER_FETCHED = Fetched(end_offset=-1, leader_end=-1, fetched_ms=0, caught_up_ms=0, broker_epoch=-1)


class Truncated(NamedTuple):
    """The records that a follower gave up, because its leader has not got them.

    They go from `start` up to `end`; those below `committed` had been below its high watermark.
    """

    start: int
    end: int
    committed: int


class FetcherFault:
    """A fault of the fetchers of a broker: for a topic (None: for all), or one partition of it.

    `hit` are the partitions that it met.
    """

    def __init__(self, topic_id: Uuid | None, partition: int | None) -> None:
        self._topic_id, self._partition = topic_id, partition
        self.hit: set[PartitionKey] = set()

    def covers(self, key: PartitionKey) -> bool:
        """True if the partition is among those of the fault."""
        return self._topic_id in (None, key[0]) and self._partition in (None, key[1])

    def meets(self, key: PartitionKey) -> bool:
        """Returns True, and counts it, if the partition is among those of the fault."""
        if not self.covers(key):
            return False
        self.hit.add(key)
        return True


class StoppedFetcher(FetcherFault):
    """The broker fetches nothing, since a time on its clock."""

    def __init__(self, topic_id: Uuid | None, partition: int | None, since_ms: int) -> None:
        super().__init__(topic_id, partition)
        self.since_ms = since_ms


class SlowFetcher(FetcherFault):
    """The broker takes so long for what it fetches: of a partition, so many bytes a second."""

    def __init__(self, topic_id: Uuid | None, partition: int | None, bytes_per_second: int) -> None:
        super().__init__(topic_id, partition)
        self.bytes_per_second = bytes_per_second


class FetcherFaults:
    """The faults of the fetchers of one broker."""

    def __init__(self) -> None:
        self.stopped: list[StoppedFetcher] = []
        self.slow: list[SlowFetcher] = []

    def stop(self, key: PartitionKey) -> bool:
        """True if the broker fetches nothing of a partition."""
        return bool(self.stopped) and any(fault.meets(key) for fault in self.stopped)

    def since_ms(self, key: PartitionKey) -> int | None:
        """Returns since when the broker has fetched nothing of a partition; None if it fetches."""
        return min((of.since_ms for of in self.stopped if of.covers(key)), default=None)

    def slow_down(self, key: PartitionKey) -> bool:
        """True if the broker takes its time for a partition."""
        return bool(self.slow) and any(fault.meets(key) for fault in self.slow)

    def taking_us(self, key: PartitionKey, size: int) -> int:
        """Returns how long the broker takes for bytes of a partition; 0 if it is not slow."""
        rates = [fault.bytes_per_second for fault in self.slow if fault.meets(key)]
        return size * 1_000_000 // min(rates) if rates else 0


Way = tuple[PartitionKey, int, int, Uuid]
"""A partition, its leader epoch, a follower, and the incarnation of the follower's process."""


class Followers:
    """The followers that lag in an ISR, and those that the leader has proposed for one.

    A follower in an ISR that has neither a lag here nor fetches in its own time has all of its
    leader's log. `others` are the brokers of other processes that have ever fetched from this one.
    `under_way` has the ways on which a delayed reply or the next Fetch is; `told_later` those
    whose waiting Fetch will tell the high watermark.
    """

    def __init__(self) -> None:
        self._lags: dict[PartitionKey, dict[int, Lag]] = {}
        self._proposed: dict[PartitionKey, tuple[int, tuple[int, ...]]] = {}
        self._led: dict[PartitionKey, int] = {}  # the leader epochs in which this process leads
        self._fetched: dict[PartitionKey, dict[int, Fetched]] = {}
        self._left_ms: dict[PartitionKey, dict[int, int]] = {}  # caught-up times of who left an ISR
        self.others: set[int] = set()
        self.under_way: set[Way] = set()
        self.told_later: set[tuple[PartitionKey, int]] = set()
        self._seen: dict[PartitionKey, Partition] = {}
        self._image: Image | None = None  # as last looked at, with what else was looked at
        self._looked: tuple[int, int, bool] | None = None

    # What they have fetched

    def note_fetch(
        self,
        key: PartitionKey,
        broker_id: int,
        offset: int,
        leader_end: int,
        now_ms: int,
        broker_epoch: int,
    ) -> None:
        """Notes a Fetch at an offset: the follower has everything below it (B6.20, B6.21)."""
        before = self.fetched(key, broker_id)
        caught_up_ms = before.caught_up_ms
        if offset >= leader_end:
            caught_up_ms = max(caught_up_ms, now_ms)
        elif offset >= before.leader_end:
            caught_up_ms = max(caught_up_ms, before.fetched_ms)
        known_end = max(leader_end, before.leader_end)
        after = Fetched(offset, known_end, now_ms, caught_up_ms, broker_epoch)
        self._fetched.setdefault(key, {})[broker_id] = after
        if offset >= leader_end:
            self.note_caught_up(key, broker_id)
        elif broker_id in self._lags.get(key, ()):
            lag = self._lags[key][broker_id]
            self._lags[key][broker_id] = Lag(offset, max(lag.caught_up_ms, caught_up_ms))

    def fetched(self, key: PartitionKey, broker_id: int) -> Fetched:
        """Returns what the Fetch requests of a follower have told since the election."""
        return self._fetched.get(key, {}).get(broker_id, NEVER_FETCHED)

    def caught_up_ms(self, key: PartitionKey, broker_id: int) -> int | None:
        """Returns when a follower that lags, or has left the ISR, had everything last, if ever."""
        lag = self._lags.get(key, {}).get(broker_id)
        if lag is not None:
            return lag.caught_up_ms
        left_ms = self._left_ms.get(key, {}).get(broker_id, 0)
        return max(left_ms, self.fetched(key, broker_id).caught_up_ms) or None

    # Lags

    def begin_to_lead(self, key: PartitionKey, epoch: int) -> bool:
        """Notes that the process leads in an epoch; False if it has noted that before."""
        if self._led.get(key) == epoch:
            return False
        self.forget(key)
        self._led[key] = epoch
        return True

    def forget_unknown(self, is_known: Callable[[PartitionKey], bool]) -> None:
        """Forgets the followers of partitions that were deleted."""
        for key in {*self._lags, *self._proposed, *self._led, *self._fetched, *self._seen}:
            if not is_known(key):
                self.forget(key)
                self._seen.pop(key, None)

    def note_looked(self, image: Image, logs: int, is_in_service: bool) -> bool:
        """Notes the metadata and how many logs the process looks at; False if all is as before.

        Nearly every record leaves the partitions of an image as they are. A log goes with its
        topic, its replica or its disk.
        """
        looked = (image.partitions_offset, logs, is_in_service)
        if self._image is image and self._looked == looked:
            return False
        self._image, self._looked = image, looked
        return True

    def note_seen(self, key: PartitionKey, partition: Partition) -> bool:
        """Notes how the process knows a partition; False if it has known it so before.

        False too where only its ELR was cleared: another min.insync.replicas does that, which a
        leader takes up after it has looked at its partitions, so no high watermark rises (B6.30).
        A snapshot has another object for the same partition.
        """
        seen = self._seen.get(key)
        if seen is partition:
            return False
        self._seen[key] = partition
        return seen is None or partition not in (seen, without_elr(seen))

    @property
    def any_lags(self) -> bool:
        """True if some follower lags."""
        return bool(self._lags)

    def lags(self) -> Iterator[tuple[PartitionKey, int, Lag]]:
        """Yields each follower that lags."""
        for key, lags in self._lags.items():
            for broker_id, lag in lags.items():
                yield key, broker_id, lag

    def lags_in(self, key: PartitionKey, broker_id: int) -> bool:
        """True if this follower of a partition lags."""
        return broker_id in self._lags.get(key, ())

    def is_behind(self, key: PartitionKey) -> bool:
        """True if a follower may lack something: one lags, or fetches in a time of its own."""
        return key in self._lags or key in self._fetched

    def note_lag(self, key: PartitionKey, broker_id: int, lag: Lag) -> None:
        """Notes a follower that did not get what its leader appended; an earlier lag stays."""
        self._lags.setdefault(key, {}).setdefault(broker_id, lag)

    def note_caught_up(self, key: PartitionKey, broker_id: int) -> None:
        """Notes that a follower has everything."""
        lags = self._lags.get(key)
        if lags is not None and lags.pop(broker_id, None) is not None and not lags:
            del self._lags[key]

    def note_copied(self, key: PartitionKey, broker_id: int) -> None:
        """Notes that a follower got everything at once: its earlier fetches tell nothing more."""
        self.note_caught_up(key, broker_id)
        fetched = self._fetched.get(key)
        if fetched is not None and fetched.pop(broker_id, None) is not None and not fetched:
            del self._fetched[key]

    def forget(self, key: PartitionKey) -> None:
        """Forgets the followers of a partition, which has another leader or is gone."""
        self._lags.pop(key, None)
        self._proposed.pop(key, None)
        self._fetched.pop(key, None)
        self._left_ms.pop(key, None)
        self._led.pop(key, None)

    def keep_members(self, key: PartitionKey, partition: Partition) -> None:
        """Forgets the lags of followers that have left the ISR, but for their caught-up times."""
        members, left_ms = self.members(key, partition), self._left_ms.get(key, {})
        left_ms = {other: at_ms for other, at_ms in left_ms.items() if other not in members}
        for broker_id, lag in list(self._lags.get(key, {}).items()):
            if broker_id not in members:
                left_ms[broker_id] = lag.caught_up_ms
                self.note_caught_up(key, broker_id)
        if left_ms:
            self._left_ms[key] = left_ms
        else:
            self._left_ms.pop(key, None)

    # Proposals

    def propose(self, key: PartitionKey, partition: Partition, isr: tuple[int, ...]) -> None:
        """Notes the ISR, with new members, that the leader asks the controller for."""
        self._proposed[key] = (partition.partition_epoch, isr)

    def withdraw(self, key: PartitionKey) -> None:
        """Notes that the controller has refused a proposal."""
        self._proposed.pop(key, None)

    def proposal(self, key: PartitionKey, partition: Partition) -> tuple[int, ...]:
        """Returns the ISR that was asked for, and neither refused nor answered by a record."""
        epoch, isr = self._proposed.get(key, (-1, ()))
        return isr if epoch == partition.partition_epoch else ()

    def members(self, key: PartitionKey, partition: Partition) -> frozenset[int]:
        """Returns the maximal ISR: with those who are proposed until the partition changes."""
        return frozenset((*partition.isr, *self.proposal(key, partition)))

    def end_of_all(
        self,
        key: PartitionKey,
        partition: Partition,
        log_end: int,
        is_joining: Callable[[int, Fetched], bool],
    ) -> int:
        """Returns the offset below which all who count have the log (B6.30).

        These are the maximal ISR, and whoever `is_joining`: without those a busy leader that is
        alone in its ISR could never be caught (B6.31).
        """
        lags, fetched = self._lags.get(key), self._fetched.get(key)
        if not lags and not fetched:
            return log_end
        members, lags = self.members(key, partition), lags or {}
        ends = [lag.end_offset for other, lag in lags.items() if other in members]
        ends += [
            known.end_offset
            for other, known in (fetched or {}).items()
            if other in partition.replicas
            and other not in lags
            and (other in members or is_joining(other, known))
        ]
        return min(ends, default=log_end)

    def joined_behind(
        self, key: PartitionKey, partition: Partition, log_end: int
    ) -> list[tuple[int, Lag]]:
        """Returns members that lack something since they joined at the high watermark (B6.24)."""
        members, lags = self.members(key, partition), self._lags.get(key, {})
        return [
            (other, Lag(known.end_offset, known.caught_up_ms))
            for other, known in self._fetched.get(key, {}).items()
            if other in members and other not in lags and known.end_offset < log_end
        ]
