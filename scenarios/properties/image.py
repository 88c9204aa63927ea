"""S9: every controller's image equals a replay of its log; S39: what is shown is committed.

Rules 0A.4, 2.2a, 9.31, 9.46. Brokers and HTTP read one image of all committed records; brokers say
in heartbeats how far they have read.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import fields
from functools import partial
from typing import Any, ClassVar

from kraftsim.controller.core.image.image import KEPT, Image
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import Record
from kraftsim.controller.core.node_id import Kind
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.breach_words import differing, words
from ..oracles.committed import OfTheCommittedLog
from ..oracles.config_names import SKIPPED, Names
from ..oracles.property import Broken, Kinds, Property
from ..oracles.shadow import SETS, Fact, Key, Shadow


class ImageIsReplay(Property):
    """Compares each controller's committed image with an independent replay of its log, by key."""

    number = "S9"
    name = "image-is-replay"
    claim = (
        "Every controller's committed image equals that of an independent replay of the same log."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._shadows: dict[int, Shadow] = {}

    def restarted(self, node_id: int) -> None:
        self._shadows.pop(node_id, None)

    def loaded(self, node: Node, turn: Turn) -> None:
        node_id = node.config.node_id
        shadow = self._shadows.get(node_id)
        if shadow is None:
            shadow = self._shadows[node_id] = Shadow()
        if not turn.committed and node.committed.offset < shadow.end_offset:
            return
        touched: set[Key] = set()
        snapshot = node.quorum.snapshot
        first = turn.committed[0].base_offset if turn.committed else node.committed.offset + 1
        if snapshot is not None and first > shadow.end_offset:
            shadow.restore(snapshot.batches, snapshot.snapshot_id.end_offset)
            touched |= shadow.facts.keys() | keys_of(node.committed)
        for batch in turn.committed:
            touched |= shadow.fold(batch)
        if touched or turn.committed:
            skipped = SKIPPED.get(node.profile.name, frozenset())
            self._check(node_id, node.committed, shadow, touched, skipped)

    def _check(
        self, node_id: int, image: Image, shadow: Shadow, keys: Iterable[Key], skipped: Names
    ) -> None:
        if image.offset != shadow.end_offset - 1:
            raise Broken(
                f"the image of controller {node_id} is at offset {image.offset}, "
                f"the independent replay at {shadow.end_offset - 1}"
            )
        for key in keys:
            self.exercised += 1
            expected, values = shadow.facts.get(key), values_in(image, key)
            if expected and key[0] == "Config":
                expected = _replayed(expected, key[1], skipped)
            if expected != values:
                found, wanted = differing(values, expected)
                raise Broken(
                    f"the image of controller {node_id} has {words(key)} with {found}, "
                    f"expected {wanted} from the log"
                )


def _replayed(configs: Fact, resource_type: object, skipped: Names) -> Fact | None:
    """Returns the configurations of a resource without those that the release skips."""
    kept = {name: text for name, text in configs.items() if (resource_type, name) not in skipped}
    return kept or None


def values_in(image: Image, key: Key) -> Fact | None:
    """Returns the values of `key` in the image, with the field names of `Shadow`, or None."""
    return _VALUES[str(key[0])](image, *key[1:])


def keys_of(image: Image) -> set[Key]:
    """Returns the keys of all brokers, topics, configurations and other entities in the image."""
    keys: set[Key] = {("Broker", broker) for broker in image.brokers}
    keys |= {("Controller", controller) for controller in image.controllers}
    keys |= {("Config", *config) for config in image.configs}
    keys |= {("Quota", quota) for quota in image.client_quotas}
    keys |= {(fact, *key) for fact, kind in _KEPT.items() for key in image.kept(kind)}
    for topic_id, topic in image.topics.items():
        keys.add(("Topic", topic_id))
        keys |= {("Partition", topic_id, partition) for partition in topic.partitions}
    return keys


def _fields(value: Any, **names: str) -> Fact | None:
    """Returns a dataclass as a dictionary; `names` maps its field names to those of `Shadow`."""
    if value is None:
        return None
    return {
        names.get(field.name, field.name): getattr(value, field.name) for field in fields(value)
    }


def _broker(image: Image, broker_id: int) -> Fact | None:
    values = _fields(image.brokers.get(broker_id), listeners="end_points")
    return values and {**values, "is_migrating_zk_broker": False}


def _topic(image: Image, topic_id: bytes) -> Fact | None:
    topic = image.topics.get(topic_id)
    if topic is None or image.topic_ids.get(topic.name) != topic_id:
        return None
    return {"name": topic.name, "partitions": set(topic.partitions)}


def _partition(image: Image, topic_id: bytes, number: int) -> Fact | None:
    topic = image.topics.get(topic_id)
    partition = None if topic is None else topic.partitions.get(number)
    return _fields(partition, elr="eligible_leader_replicas")


def _producer_ids(image: Image) -> Fact:
    return {"next_producer_id": image.next_producer_id}


def _kept(kind: type[Record], image: Image, *key: Hashable) -> Fact | None:
    return _fields(image.kept(kind).get(key))


_KEPT = {SETS[kind.__name__][0]: kind for kind in KEPT}
"""The records that images keep unchanged, by the kind of their facts."""
_VALUES: dict[str, Callable[..., Fact | None]] = {
    "Broker": _broker,
    "Controller": lambda image, item: _fields(image.controllers.get(item)),
    "Topic": _topic,
    "Partition": _partition,
    "Config": lambda image, *key: image.configs.get(key),
    "Features": lambda image: image.features or None,
    "KRaftVersion": lambda image: {"level": image.kraft_version},
    "ProducerIds": _producer_ids,
    "Quota": lambda image, item: image.client_quotas.get(item),
    **{fact: partial(_kept, kind) for fact, kind in _KEPT.items()},
}


class OnlyCommittedIsShown(OfTheCommittedLog):
    """Compares the image that is shown with the log, one batch later, when it has that batch."""

    number = "S39"
    name = "only-committed-is-shown"
    claim = (
        "The metadata that brokers and HTTP show equals the committed log, and no broker"
        " has read beyond it."
    )
    kinds: ClassVar[Kinds] = (BrokerHeartbeatRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._expected: dict[Key, Fact | None] = {}
        self._end_offset = 0

    def committed(self, node_id: int, batch: Batch) -> None:
        if batch.base_offset == self._end_offset:
            self._compare()
            self._end_offset = batch.last_offset + 1

    def done(self, batch: Batch, touched: set[Key]) -> None:
        for key in touched:
            fact = self.shadow.facts.get(key)
            is_topic = fact is not None and key[0] == "Topic"
            self._expected[key] = (
                {**fact, "partitions": set(fact["partitions"])} if fact and is_topic else fact
            )

    def finished(self) -> None:
        self._compare()

    def arrived(self, message: Message) -> None:
        request = message.request
        if not isinstance(request, BrokerHeartbeatRequest):
            return
        if message.sender.kind is Kind.OUTSIDE:
            return  # no broker has read what a client from outside claims
        self.exercised += 1
        if request.current_metadata_offset >= self._end_offset:
            raise Broken(
                f"broker {request.broker_id} has read up to {request.current_metadata_offset}, and "
                f"the committed log ends at {self._end_offset}"
            )

    def _compare(self) -> None:
        if not self._expected:
            return
        image = self.world.committed
        expected, self._expected = self._expected, {}
        for key, fact in expected.items():
            self.exercised += 1
            values = values_in(image, key)
            if values != fact:
                found, wanted = differing(values, fact)
                raise Broken(
                    f"{words(key)} is shown with {found}, and the committed log has {wanted}"
                )


CLASSES: tuple[type[Property], ...] = (ImageIsReplay,)
SHOWN: tuple[type[Property], ...] = (OnlyCommittedIsShown,)
