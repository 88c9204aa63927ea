"""S40: a rude client asks the active controller for what must be refused, in every run.

The controller is asked for its decision only, which is then dropped: a decision changes nothing, so
the client leaves no trace. Rules 2.5, 4.34; KIP-497, KIP-903.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import controller_node
from kraftsim.controller.node.node import Node

from ..expected.assignments import proposed
from ..expected.brokers import STRANGER
from ..oracles.breach_words import words
from ..oracles.committed import OfTheCommittedLog
from ..oracles.property import Broken, Property
from ..oracles.shadow import Fact, Key, Shadow


class Subject(NamedTuple):
    """A partition with a leader, and what the log says of them."""

    topic_id: bytes
    number: int
    partition: Fact
    leader: Fact


Rude = Callable[[Subject, Shadow], rpc.AlterPartitionRequest | None]
"""Returns a proposal that must be refused; None if the partition does not allow it."""


def _proposal(subject: Subject, shadow: Shadow, isr: tuple[int, ...]) -> rpc.AlterPartitionData:
    return proposed(shadow, subject.partition, subject.number, isr)


def _request(
    subject: Subject, data: rpc.AlterPartitionData, *, broker_id: int = -1, broker_epoch: int = -1
) -> rpc.AlterPartitionRequest:
    leader = subject.leader
    return rpc.AlterPartitionRequest(
        broker_id=leader["broker_id"] if broker_id < 0 else broker_id,
        broker_epoch=leader["broker_epoch"] if broker_epoch < 0 else broker_epoch,
        topics=(rpc.AlterPartitionTopic(topic_id=subject.topic_id, partitions=(data,)),),
    )


def _shifted(name: str, by: int) -> Rude:
    """Returns a proposal whose leader or partition epoch is `by` off."""

    def rude(subject: Subject, shadow: Shadow) -> rpc.AlterPartitionRequest | None:
        epoch = subject.partition[name] + by
        data = _proposal(subject, shadow, subject.partition["isr"])
        changed = (
            replace(data, leader_epoch=epoch)
            if name == "leader_epoch"
            else replace(data, partition_epoch=epoch)
        )
        return None if epoch < 0 else _request(subject, changed)

    return rude


def _of_another_incarnation(subject: Subject, shadow: Shadow) -> rpc.AlterPartitionRequest | None:
    data = _proposal(subject, shadow, subject.partition["isr"])
    return _request(subject, data, broker_epoch=subject.leader["broker_epoch"] - 1)


def _of_another_broker(subject: Subject, shadow: Shadow) -> rpc.AlterPartitionRequest | None:
    data = _proposal(subject, shadow, subject.partition["isr"])
    for replica in subject.partition["replicas"]:
        broker = shadow.broker(replica)
        if replica != subject.partition["leader"] and broker is not None:
            epoch = broker["broker_epoch"]
            return _request(subject, data, broker_id=replica, broker_epoch=epoch)
    return None


def _with_stale_member(subject: Subject, shadow: Shadow) -> rpc.AlterPartitionRequest | None:
    data = _proposal(subject, shadow, subject.partition["isr"])
    first, *rest = data.new_isr_with_epochs
    stale = replace(first, broker_epoch=first.broker_epoch - 1)
    return _request(subject, replace(data, new_isr_with_epochs=(stale, *rest)))


def _with_stranger(subject: Subject, shadow: Shadow) -> rpc.AlterPartitionRequest | None:
    isr = (*subject.partition["isr"], STRANGER)
    return _request(subject, _proposal(subject, shadow, isr))


def _without_leader(subject: Subject, shadow: Shadow) -> rpc.AlterPartitionRequest | None:
    leader = subject.partition["leader"]
    isr = tuple(member for member in subject.partition["isr"] if member != leader)
    return _request(subject, _proposal(subject, shadow, isr)) if isr else None


def _with_fenced_member(subject: Subject, shadow: Shadow) -> rpc.AlterPartitionRequest | None:
    partition = subject.partition
    for replica in partition["replicas"]:
        if replica not in partition["isr"] and not shadow.is_active(replica):
            isr = (*partition["isr"], replica)
            return _request(subject, _proposal(subject, shadow, isr))
    return None


RUDE: dict[str, Rude] = {
    "an older leader epoch": _shifted("leader_epoch", -1),
    "a newer leader epoch": _shifted("leader_epoch", 1),
    "an older partition epoch": _shifted("partition_epoch", -1),
    "a newer partition epoch": _shifted("partition_epoch", 1),
    "the leader's earlier incarnation": _of_another_incarnation,
    "a broker that does not lead": _of_another_broker,
    "an earlier incarnation in the ISR": _with_stale_member,
    "a broker without a replica in the ISR": _with_stranger,
    "an ISR without the leader": _without_leader,
    "a fenced broker in the ISR": _with_fenced_member,
}
"""Proposals that must be refused, by what is wrong with them."""


class RudeRequestsAreRefused(OfTheCommittedLog):
    """Asks after each commit about the last partition and the first broker that it changed.

    It asks only while the active controller has nothing uncommitted, so that what is stale is known
    from the committed log.
    """

    number = "S40"
    name = "rude-requests-are-refused"
    claim = (
        "A proposed ISR with any wrong epoch or member, and a request of an earlier incarnation, is"
        " refused and writes nothing."
    )
    asks = True

    def done(self, batch: Batch, touched: set[Key]) -> None:
        process = self.world.active
        if process is None or process.node.log.end_offset != self.shadow.end_offset:
            return
        if self.shadow.changes:
            self._ask_about_partition(process.node, self.shadow.changes[-1][0])
        brokers = [key[1] for key in touched if key[0] == "Broker" and isinstance(key[1], int)]
        fact = self.shadow.broker(min(brokers)) if brokers else None
        if fact is not None:
            for what, request in self._of_broker(fact):
                self._ask(process.node, what, request)

    def _ask_about_partition(self, node: Node, key: Key) -> None:
        fact, topic_id, number = self.shadow.facts.get(key), key[1], key[2]
        if fact is None or not (isinstance(topic_id, bytes) and isinstance(number, int)):
            return
        leader = self.shadow.broker(fact["leader"])
        if leader is None:
            return
        subject = Subject(topic_id, number, fact, leader)
        for what, rude in RUDE.items():
            request = rude(subject, self.shadow)
            if request is not None:
                self._ask(node, what, request)

    def _of_broker(self, fact: Fact) -> Iterator[tuple[str, rpc.Request]]:
        broker_id, epoch = fact["broker_id"], fact["broker_epoch"] - 1
        yield (
            "a heartbeat of an earlier incarnation",
            rpc.BrokerHeartbeatRequest(
                broker_id=broker_id,
                broker_epoch=epoch,
                current_metadata_offset=self.shadow.end_offset,
                want_fence=False,
                want_shut_down=False,
            ),
        )
        yield (
            "producer ids for an earlier incarnation",
            rpc.AllocateProducerIdsRequest(broker_id=broker_id, broker_epoch=epoch),
        )

    def _ask(self, node: Node, what: str, request: rpc.Request) -> None:
        self.exercised += 1
        decision = node.decision(request, self.world.clock_ms(controller_node(node.config.node_id)))
        if isinstance(decision, ApiError):
            return
        if decision.records or not _is_refused(decision.reply):
            raise Broken(
                f"controller {node.config.node_id}, asked by this property and by no client, "
                f"accepts {what}: {words(request)}; it replies {words(decision.reply)} and writes "
                f"{words(decision.records)}"
            )


def _is_refused(reply: rpc.Response | None) -> bool:
    if isinstance(reply, rpc.AlterPartitionResponse):
        results = [result for topic in reply.topics for result in topic.partitions]
        return bool(reply.error_code) or all(result.error_code for result in results)
    return bool(getattr(reply, "error_code", 0))


CLASSES: tuple[type[Property], ...] = (RudeRequestsAreRefused,)
