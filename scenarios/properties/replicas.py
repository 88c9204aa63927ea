"""Properties of replicas, S55 and S56: what the logs of the brokers hold, read as they are."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.rpc import FetchRequest
from kraftsim.controller.core.rpc.stored_messages import ProduceRequest
from kraftsim.simulation.message import Exchange
from kraftsim.simulation.world import World

from ..oracles.begun_verbs import BegunVerbs
from ..oracles.committed import OfTheCommittedLog
from ..oracles.log_configs import values_of
from ..oracles.property import Broken, Kinds, Property
from ..oracles.shadow import Fact, Key
from ..oracles.written_messages import DELETE, LOSING

if TYPE_CHECKING:  # the logs are imported with the first message
    from kraftsim.broker_agent.log.log import Log


class OfReplicas(OfTheCommittedLog):
    """A property of the logs of a partition's replicas, looked at when clients are answered.

    An unclean election may lose what was committed, and so may a fault of disks.
    """

    kinds: ClassVar[Kinds] = ()

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._declared: set[Key] = set()
        self._verbs = BegunVerbs(world)

    def partition_settled(self, key: Key, before: Fact | None, after: Fact) -> None:
        if after["leader_recovery_state"] == r.RECOVERING:
            self._declared.add(key)

    def exchanged(self, exchange: Exchange) -> None:
        if not isinstance(exchange.request, (ProduceRequest, FetchRequest)) or self._may_lose():
            return
        for key in keys_of(exchange.request):
            fact = self.shadow.facts.get(key)
            if fact is not None and key not in self._declared and not self._compacts(key):
                self.judge(key, fact, self._logs(key, fact["replicas"]))

    def judge(self, key: Key, fact: Fact, logs: "dict[int, Log]") -> None:
        """Compares the logs of a partition, by broker; raises Broken."""
        raise NotImplementedError

    def _may_lose(self) -> bool:
        return not LOSING.isdisjoint(self._verbs.now())

    def _compacts(self, key: Key) -> bool:
        topic = self.shadow.facts["Topic", key[1]]["name"]
        return next(iter(values_of(self.shadow, topic, "cleanup.policy", ())), DELETE) != DELETE

    def _logs(self, key: Key, broker_ids: Iterable[int]) -> "dict[int, Log]":
        """Returns the logs of those brokers that have had a message."""
        agents, place = self.world.agents, (key[1], key[2])
        return {
            broker_id: agents[broker_id].store.logs[place]
            for broker_id in broker_ids
            if broker_id in agents and place in agents[broker_id].store.logs
        }


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


class ReplicasAgree(OfReplicas):
    """Compares each batch once that two replicas both know to be committed."""

    number = "S55"
    name = "replicas-agree"
    claim = "Below the smaller high watermark two replicas of a partition have the same batches."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._compared: dict[tuple[Key, int, int], int] = {}  # up to which offset

    def judge(self, key: Key, fact: Fact, logs: "dict[int, Log]") -> None:
        for (one, log), (other, its) in pairwise(sorted(logs.items())):
            end = min(log.high_watermark, its.high_watermark)
            start = max(
                self._compared.get((key, one, other), 0), log.start_offset, its.start_offset
            )
            if end <= start:
                continue
            self.exercised += 1
            self._compared[key, one, other] = end
            if log.batches_between(start, end) != its.batches_between(start, end):
                raise Broken(
                    f"{key}: brokers {one} and {other} have other batches between the offsets "
                    f"{start} and {end}, which are committed"
                )


class InSyncReplicasHaveIt(OfReplicas):
    """Compares the ends of logs in the ISR with the high watermark of the leader."""

    number = "S56"
    name = "in-sync-replicas-have-it"
    claim = "Each member of an ISR has everything below the high watermark of its leader."

    def judge(self, key: Key, fact: Fact, logs: "dict[int, Log]") -> None:
        leader = logs.get(fact["leader"])
        if leader is None or leader.epochs.led != fact["leader_epoch"]:
            return
        for member in fact["isr"]:
            if member not in self.world.agents:
                continue
            self.exercised += 1
            end = logs[member].end_offset if member in logs else 0
            if end < leader.high_watermark:
                raise Broken(
                    f"{key}: broker {member} of the ISR {fact['isr']} ends at {end}, and the high "
                    f"watermark of leader {fact['leader']} is {leader.high_watermark}"
                )


CLASSES: tuple[type[Property], ...] = (ReplicasAgree, InSyncReplicasHaveIt)
