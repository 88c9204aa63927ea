"""An independent model of the metadata log: replays the records that `kafka-dump-log` prints.

It shares no code with the controller, not even the record classes, so that it does not repeat the
controller's mistakes.

Its rules are Kafka's (sections 1, 2 and 4 of docs/rules.md); comments give their numbers.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Data = dict[str, Any]
Interval = tuple[str, str, int, int | None, str, str | None]
NO_LEADER, LEADER_UNCHANGED = -1, -2


@dataclass(slots=True)
class Replay:
    """Replays records in order and yields violations.

    `transitions` and `intervals` collect the rows that the campaign's tables of the same names must
    have for these records.
    """

    brokers: dict[int, Data] = field(default_factory=dict)
    topics: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    partitions: dict[tuple[str, int], Data] = field(default_factory=dict)
    leaders: dict[int, int] = field(default_factory=dict)
    transitions: dict[int, tuple[str, int | None]] = field(default_factory=dict)
    intervals: list[Interval] = field(default_factory=list)
    highest_epoch: int = -1
    end: int = -1
    leader_epoch: int = 0
    _open: dict[int, tuple[str, int, str]] = field(default_factory=dict)

    def record(
        self, t_us: int, offset: int, leader_epoch: int, kind: str, text: str
    ) -> Iterator[str]:
        """Yields the violations of the next record."""
        if offset <= self.end:
            yield f"offset {offset} comes after {self.end}"
        if leader_epoch < self.leader_epoch:
            yield f"leader epoch {leader_epoch} comes after {self.leader_epoch}"
        if leader_epoch > self.leader_epoch and kind != "LEADER_CHANGE":
            yield f"leader epoch {leader_epoch} begins with {kind}"
        self.end, self.leader_epoch = offset, leader_epoch
        read = READERS.get(kind)
        if read is not None:
            for wrong in read(self, json.loads(text), offset, t_us):
                yield f"offset {offset}: {wrong}"

    def finish(self, end_us: int) -> None:
        """Ends the open intervals at the end of the run."""
        for broker_id, (state, begin_us, cause) in self._open.items():
            self.intervals.append((f"broker-{broker_id}", state, begin_us, end_us, cause, None))
        self._open.clear()

    # Brokers

    def leader_change(self, data: Data, offset: int, t_us: int) -> Iterator[str]:
        """Replays LeaderChange."""
        self.transitions[offset] = ("controller_elected", None)
        before = self.leaders.setdefault(self.leader_epoch, data["leaderId"])
        if before != data["leaderId"]:
            yield f"epoch {self.leader_epoch} has two leaders, {before} and {data['leaderId']}"

    def register(self, data: Data, offset: int, t_us: int) -> Iterator[str]:
        """Replays RegisterBroker."""
        broker_id, epoch = data["brokerId"], data["brokerEpoch"]
        before = self.brokers.get(broker_id)
        if before is not None and before["incarnationId"] == data["incarnationId"]:
            if before["brokerEpoch"] != epoch:  # 1.27
                yield f"broker {broker_id} had epoch {before['brokerEpoch']} and has {epoch}"
        elif not self.highest_epoch < epoch <= offset:  # 1.25, 1.29, 1.30
            yield f"broker {broker_id} gets epoch {epoch}, not above {self.highest_epoch}"
        self.highest_epoch = max(self.highest_epoch, epoch)
        self.brokers[broker_id] = data
        state = "fenced" if data["fenced"] else "unfenced"
        if data.get("inControlledShutdown"):
            state = "in_controlled_shutdown"
        self._enter(broker_id, state, "registered", offset, t_us)

    def unregister(self, data: Data, offset: int, t_us: int) -> Iterator[str]:
        """Replays UnregisterBroker."""
        broker_id = data["brokerId"]
        yield from self._same_epoch(broker_id, data["brokerEpoch"])
        yield from self._leaderships(broker_id)
        self.brokers.pop(broker_id, None)
        self._enter(broker_id, None, "unregistered", offset, t_us)

    def change(self, data: Data, offset: int, t_us: int) -> Iterator[str]:
        """Replays BrokerRegistrationChange."""
        broker_id = data["brokerId"]
        yield from self._same_epoch(broker_id, data["brokerEpoch"])
        if data.get("fenced"):
            yield from self._fencing(broker_id, data["fenced"] == 1, offset, t_us)
        if data.get("inControlledShutdown"):
            self._enter(broker_id, "in_controlled_shutdown", "shuts_down", offset, t_us)

    def fence(self, data: Data, offset: int, t_us: int) -> Iterator[str]:
        """Replays FenceBroker."""
        yield from self._same_epoch(data["id"], data["epoch"])
        yield from self._fencing(data["id"], True, offset, t_us)

    def unfence(self, data: Data, offset: int, t_us: int) -> Iterator[str]:
        """Replays UnfenceBroker."""
        yield from self._same_epoch(data["id"], data["epoch"])
        yield from self._fencing(data["id"], False, offset, t_us)

    def _fencing(self, broker_id: int, fenced: bool, offset: int, t_us: int) -> Iterator[str]:
        broker = self.brokers.get(broker_id)
        if broker is None:
            return  # already reported
        if fenced:
            yield from self._leaderships(broker_id)  # 2.21: leaderships are moved before a fence
        elif not broker["fenced"]:
            yield f"broker {broker_id} is unfenced and was not fenced"
        broker["fenced"] = fenced
        state = "fenced" if fenced else "unfenced"
        self._enter(broker_id, state, state, offset, t_us)

    def _same_epoch(self, broker_id: int, epoch: int) -> Iterator[str]:
        broker = self.brokers.get(broker_id)
        if broker is None:
            yield f"broker {broker_id} is not registered"
        elif broker["brokerEpoch"] != epoch:  # 2.24
            yield f"broker {broker_id} has epoch {broker['brokerEpoch']}, not {epoch}"

    def _leaderships(self, broker_id: int) -> Iterator[str]:
        for (topic, partition), state in self.partitions.items():
            if state["leader"] == broker_id:
                yield f"broker {broker_id} still leads {self.topics.get(topic)}-{partition}"

    def _enter(self, broker_id: int, state: str | None, cause: str, offset: int, t_us: int) -> None:
        kind = "in_controlled_shutdown" if cause == "shuts_down" else cause
        self.transitions.setdefault(offset, (f"broker_{kind}", broker_id))
        now = self._open.get(broker_id)
        if cause != "registered" and (now[0] if now else None) == state:
            return
        if now is not None:
            past, begin_us, began_by = now
            self.intervals.append((f"broker-{broker_id}", past, begin_us, t_us, began_by, cause))
            del self._open[broker_id]
        if state is not None:
            self._open[broker_id] = (state, t_us, cause)

    # Topics

    def topic(self, data: Data, offset: int, t_us: int) -> Iterator[str]:
        """Replays Topic."""
        self.transitions[offset] = ("topic_created", None)
        if data["name"] in self.names:
            yield f"topic {data['name']} exists already"
        self.names.add(data["name"])
        self.topics[data["topicId"]] = data["name"]

    def remove_topic(self, data: Data, offset: int, t_us: int) -> Iterator[str]:
        """Replays RemoveTopic."""
        self.transitions[offset] = ("topic_deleted", None)
        topic = data["topicId"]
        name = self.topics.pop(topic, None)
        if name is None:
            yield f"topic {topic} is removed and does not exist"
        else:
            self.names.discard(name)
        for key in [partition for partition in self.partitions if partition[0] == topic]:
            del self.partitions[key]

    def partition(self, data: Data, offset: int, t_us: int) -> Iterator[str]:
        """Replays Partition."""
        key = data["topicId"], data["partitionId"]
        if key[0] not in self.topics:
            yield f"a partition of topic {key[0]}, which does not exist"
        self.partitions[key] = data
        yield from self._sound(key, data, data["leader"])

    def partition_change(self, data: Data, offset: int, t_us: int) -> Iterator[str]:
        """Replays PartitionChange."""
        self.transitions[offset] = ("partition_changed", None)
        key = data.pop("topicId"), data.pop("partitionId")
        state = self.partitions.get(key)
        if state is None:
            yield f"partition {key[1]} of topic {key[0]} changes and does not exist"
            return
        elected = data.get("leader", LEADER_UNCHANGED)
        state.update((name, value) for name, value in data.items() if value is not None)
        yield from self._sound(key, state, elected)

    def _sound(self, key: tuple[str, int], state: Data, elected: int) -> Iterator[str]:
        name = f"{self.topics.get(key[0])}-{key[1]}"
        replicas, isr, leader = set(state["replicas"]), set(state["isr"]), state["leader"]
        if not isr <= replicas:
            yield f"{name}: ISR {sorted(isr)}, replicas {sorted(replicas)}"
        if leader != NO_LEADER and leader not in isr:
            yield f"{name}: leader {leader}, ISR {sorted(isr)}"
        both = isr & set(state.get("eligibleLeaderReplicas") or ())
        if both:  # 4.26
            yield f"{name}: {sorted(both)} are both in the ISR and in the ELR"
        if elected >= 0:  # 4.1, 4.3
            broker = self.brokers.get(elected)
            if broker is None or broker["fenced"]:
                yield f"{name}: elected {elected} is {'fenced' if broker else 'unknown'}"


Reader = Callable[[Replay, Data, int, int], Iterator[str]]
READERS: dict[str, Reader] = {
    "LEADER_CHANGE": Replay.leader_change,
    "REGISTER_BROKER_RECORD": Replay.register,
    "UNREGISTER_BROKER_RECORD": Replay.unregister,
    "BROKER_REGISTRATION_CHANGE_RECORD": Replay.change,
    "FENCE_BROKER_RECORD": Replay.fence,
    "UNFENCE_BROKER_RECORD": Replay.unfence,
    "TOPIC_RECORD": Replay.topic,
    "REMOVE_TOPIC_RECORD": Replay.remove_topic,
    "PARTITION_RECORD": Replay.partition,
    "PARTITION_CHANGE_RECORD": Replay.partition_change,
}
