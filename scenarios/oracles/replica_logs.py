"""The logs of a partition's replicas, as the brokers hold them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.rpc import FetchRequest
from kraftsim.controller.core.rpc.stored_messages import ProduceRequest
from kraftsim.simulation.message import Exchange
from kraftsim.simulation.world import World

from .begun_verbs import BegunVerbs
from .committed import OfTheCommittedLog
from .log_configs import values_of
from .property import Kinds
from .shadow import Fact, Key
from .written_messages import DELETE, LOSING


class ReplicaLog(NamedTuple):
    """What the log of a replica holds.

    `epochs` are its entries (leader epoch, first offset); `led` is the last epoch in which it led.
    """

    batches: Sequence[bytes]
    base_offsets: Sequence[int]
    start: int
    end: int
    high_watermark: int
    epochs: Sequence[tuple[int, int]]
    led: int

    def between(self, start: int, end: int) -> Sequence[bytes]:
        """Returns the batches that begin between two offsets."""
        bases = self.base_offsets
        return self.batches[bisect_left(bases, start) : bisect_left(bases, end)]

    def has(self, base_offset: int, batch: bytes) -> bool:
        """Returns True if the log holds this batch at this offset."""
        index = bisect_left(self.base_offsets, base_offset)
        return index < len(self.batches) and self.batches[index] is batch

    def epoch_at(self, offset: int) -> int:
        """Returns the leader epoch that the entries give to an offset; -1 if they begin later."""
        index = bisect_right(self.epochs, offset, key=lambda entry: entry[1])
        return self.epochs[index - 1][0] if index else -1


class OfReplicas(OfTheCommittedLog):
    """A property of the logs of a partition's replicas, looked at when clients are answered.

    The faults of disks `losing` may lose what was committed: nothing is judged after those. So may
    an unclean election, of which `declared` has the partitions.
    """

    kinds: ClassVar[Kinds] = ()
    losing: ClassVar[frozenset[str]] = LOSING

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.declared: set[Key] = set()
        self._verbs = BegunVerbs(world)

    def partition_settled(self, key: Key, before: Fact | None, after: Fact) -> None:
        is_elected = before is None or before["leader_epoch"] != after["leader_epoch"]
        if is_elected and after["leader_recovery_state"] == r.RECOVERING:
            self.declared.add(key)
            self.forget(key)

    def exchanged(self, exchange: Exchange) -> None:
        if not isinstance(exchange.request, (ProduceRequest, FetchRequest)) or self._may_lose():
            return
        for key in keys_of(exchange.request):
            fact = self.shadow.facts.get(key)
            if fact is not None and not self._compacts(key):
                self.judge(key, fact, self._logs(key, fact["replicas"]))

    def forget(self, key: Key) -> None:
        """Forgets what was committed before an unclean election."""

    def judge(self, key: Key, fact: Fact, logs: dict[int, ReplicaLog]) -> None:
        """Compares the logs of a partition, by broker; raises Broken."""
        raise NotImplementedError

    def _may_lose(self) -> bool:
        return not self.losing.isdisjoint(self._verbs.now())

    def _compacts(self, key: Key) -> bool:
        topic = self.shadow.facts["Topic", key[1]]["name"]
        return next(iter(values_of(self.shadow, topic, "cleanup.policy", ())), DELETE) != DELETE

    def _logs(self, key: Key, broker_ids: Iterable[int]) -> dict[int, ReplicaLog]:
        """Returns the logs of those brokers that have had a message."""
        agents, place = self.world.agents, (key[1], key[2])
        return {
            broker_id: _read(agents[broker_id].store.logs[place])
            for broker_id in broker_ids
            if broker_id in agents and place in agents[broker_id].store.logs
        }


def _read(log: Any) -> ReplicaLog:
    return ReplicaLog(
        batches=log.batches,
        base_offsets=log.base_offsets,
        start=log.start_offset,
        end=log.end_offset,
        high_watermark=log.high_watermark,
        epochs=log.epochs.entries,
        led=log.epochs.led,
    )


def keys_of(request: ProduceRequest | FetchRequest) -> Iterator[Key]:
    """Yields the partitions of a request."""
    if isinstance(request, ProduceRequest):
        for data in request.topic_data:
            for part in data.partition_data:
                yield "Partition", data.topic_id, part.index
    else:
        for topic in request.topics:
            for position in topic.partitions:
                yield "Partition", topic.topic_id, position.partition
