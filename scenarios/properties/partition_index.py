"""S47: the index by which the active controller finds partitions has those of its log."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping

from kraftsim.controller.core.image.partition_index import PartitionIndex
from kraftsim.controller.core.log.records import NO_LEADER
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.world import World

from ..oracles.active_logs import OfActiveLogs
from ..oracles.breach_words import words
from ..oracles.property import Broken, Property
from ..oracles.shadow import Fact, Key, Shadow

WRITES = 16  # that change partitions, from one comparison of the whole index to the next
PARTITIONS_MAX = 2_000  # of a cluster whose index is compared

Place = tuple[object, object]
"""The topic id and the number of a partition."""


class IndexIsComplete(OfActiveLogs):
    """Compares the whole index with an independent replay of the log, once in some writes.

    A stale entry shows late, if ever: in the elections of a broker that fails hours later.
    """

    number = "S47"
    name = "index-is-complete"
    claim = (
        "The active controller finds the partitions that a broker leads, hosts, or is in sync or"
        " eligible for, and those without a leader or in a reassignment, as its log has them."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._writes = 0

    def wrote_news(self, node: Node, turn: Turn) -> None:
        log = self.active_logs.of(node)
        if log is None or not any(key[0] == "Partition" for key in log.touched):
            return
        self._writes += 1
        if self._writes % WRITES == 1 and not log.shadow.is_in_transaction:
            self._compare(node, log.shadow)

    def finished(self) -> None:
        process = self.world.active
        log = None if process is None else self.active_logs.of(process.node)
        if process is not None and log is not None and not log.shadow.is_in_transaction:
            self._compare(process.node, log.shadow)

    def _compare(self, node: Node, shadow: Shadow) -> None:
        partitions = shadow.of("Partition")
        if node.active is None or len(partitions) > PARTITIONS_MAX:
            return
        self.exercised += 1
        index = node.active.state.image.index
        for what, expected in _expected(partitions).items():
            brokers = {int(str(key[1])) for key in shadow.of("Broker")} | {*expected}
            find = {
                "hosts": index.hosted,
                "leads": index.led,
                "is in sync for": index.in_isr,
                "is eligible for": index.in_elr,
            }
            for broker in brokers:
                found, wanted = find[what](broker), sorted(expected.get(broker, ()))
                if found != wanted:
                    raise Broken(
                        f"controller {node.config.node_id} finds that broker {broker} {what} "
                        f"{_places(found)}, and its log has {_places(wanted)}"
                    )
        _expect_lists(node.config.node_id, partitions, index)


def _places(places: Iterable[tuple[Hashable, ...]]) -> str:
    """Returns the names of partitions."""
    return words({("Partition", *place) for place in places})


def _expected(partitions: Mapping[Key, Fact]) -> dict[str, dict[int, set[Place]]]:
    """Returns the partitions of each broker, by what the broker is to them."""
    hosts: dict[int, set[Place]] = defaultdict(set)
    leads: dict[int, set[Place]] = defaultdict(set)
    in_sync: dict[int, set[Place]] = defaultdict(set)
    eligible: dict[int, set[Place]] = defaultdict(set)
    for (_, topic_id, number), fact in partitions.items():
        leader = fact["leader"]
        if leader == NO_LEADER or leader in fact["isr"]:
            leads[leader].add((topic_id, number))
        for broker in fact["replicas"]:
            hosts[broker].add((topic_id, number))
        for broker in fact["isr"]:
            in_sync[broker].add((topic_id, number))
        for broker in fact["eligible_leader_replicas"]:
            eligible[broker].add((topic_id, number))
    return {"hosts": hosts, "leads": leads, "is in sync for": in_sync, "is eligible for": eligible}


def _expect_lists(node_id: int, partitions: Mapping[Key, Fact], index: PartitionIndex) -> None:
    without = {key[1:] for key, fact in partitions.items() if fact["leader"] == NO_LEADER}
    others = {key[1:] for key, fact in partitions.items() if fact["leader"] != fact["replicas"][0]}
    moving = {
        key[1:]
        for key, fact in partitions.items()
        if fact["adding_replicas"] or fact["removing_replicas"]
    }
    by_topic = index.reassigning_by_topic().items()
    reassigned = {(topic_id, number) for topic_id, numbers in by_topic for number in numbers}
    for what, found, wanted in (
        ("have no leader", {*index.leaderless()}, without),
        ("are not led by their first replica", {*index.imbalanced()}, others),
        ("are in a reassignment", reassigned, moving),
    ):
        if found != wanted:
            raise Broken(
                f"controller {node_id} finds that {_places(found)} {what}, and its log has "
                f"{_places(wanted)}"
            )


CLASSES: tuple[type[Property], ...] = (IndexIsComplete,)
