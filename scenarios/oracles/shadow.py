"""An independent replay of the log into plain dictionaries, dispatched by names of records.

Property S9 compares it with the controllers' own replay, with which it shares no code. A fact is a
dictionary of a record's fields under a key such as ("Broker", 1). The tables SETS and REMOVES cover
records that set or remove one fact; every other record has a method with its name.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import fields
from typing import Any

from kraftsim.controller.core.log.batch import Batch

Key = tuple[Hashable, ...]
Fact = dict[str, Any]

# record -> (kind of fact, fields of its key)
SETS = {
    "RegisterControllerRecord": ("Controller", ("controller_id",)),
    "UserScramCredentialRecord": ("Scram", ("name", "mechanism")),
    "AccessControlEntryRecord": ("Access", ("id",)),
    "DelegationTokenRecord": ("Token", ("token_id",)),
}
REMOVES = {
    "UnregisterBrokerRecord": ("Broker", ("broker_id",)),
    "UnregisterControllerRecord": ("Controller", ("controller_id",)),
    "RemoveUserScramCredentialRecord": ("Scram", ("name", "mechanism")),
    "RemoveAccessControlEntryRecord": ("Access", ("id",)),
    "RemoveDelegationTokenRecord": ("Token", ("token_id",)),
}
WITHOUT_FACTS = {
    "AbortTransactionRecord",
    "BeginTransactionRecord",
    "EndTransactionRecord",
    "LeaderChange",
    "NoOpRecord",
    "SnapshotFooter",
    "SnapshotHeader",
    "Voters",
    "ZkMigrationStateRecord",
}
UNCHANGED = {"leader": -2, "leader_recovery_state": -1}


PartitionChange = tuple[Key, Fact | None, Fact]
"""A partition, its facts before a record (None: it is new), and its facts after the record."""


class Shadow:
    """The metadata after all records below `end_offset`, as `facts`: key -> fields of records.

    `changes` lists the changes of partitions by the last batch, in the order of its records.
    """

    def __init__(self) -> None:
        self.facts: dict[Key, Fact] = {}
        self.changes: list[PartitionChange] = []
        self.end_offset = 0
        self._held: list[tuple[Any, int, int]] | None = None  # records of an open transaction

    def fold(self, batch: Batch) -> set[Key]:
        """Applies the records of a batch; returns the keys of the facts that may have changed."""
        touched: set[Key] = set()
        self.changes.clear()
        for offset, record in enumerate(batch.records, batch.base_offset):
            touched |= self._apply_or_hold(record, offset, batch.timestamp_ms)
        self.end_offset = batch.last_offset + 1
        return touched

    def restore(self, batches: Iterable[Batch], end_offset: int) -> None:
        """Replaces the facts by those in the batches of a snapshot, which ends at `end_offset`."""
        self.facts, self._held = {}, None
        for batch in batches:
            for record in batch.records:
                self._apply(record, end_offset - 1, 0)
        self.end_offset = end_offset

    @property
    def is_in_transaction(self) -> bool:
        """True while records are held until their transaction ends."""
        return self._held is not None

    def copy(self) -> "Shadow":
        """Returns an independent copy; both share facts that no record changes in place."""
        copy = Shadow()
        copy.facts.update(self.facts)
        for key, fact in self.of("Topic").items():
            copy.facts[key] = {**fact, "partitions": set(fact["partitions"])}
        copy.end_offset = self.end_offset
        copy._held = None if self._held is None else list(self._held)
        return copy

    def of(self, kind: str) -> dict[Key, Fact]:
        """Returns the facts whose keys begin with `kind`, as in "Broker"."""
        return {key: fact for key, fact in self.facts.items() if key[0] == kind}

    def broker(self, broker_id: int) -> Fact | None:
        """Returns the registration of a broker, or None if the broker is not registered."""
        return self.facts.get(("Broker", broker_id))

    def is_active(self, broker_id: int) -> bool:
        """Returns True if a broker is registered, unfenced and not shutting down (rule 4.1)."""
        fact = self.broker(broker_id)
        return fact is not None and not fact["fenced"] and not fact["in_controlled_shutdown"]

    def _apply_or_hold(self, record: Any, offset: int, timestamp_ms: int) -> set[Key]:
        """Applies a record, or holds it until its transaction ends (rule 9.34).

        The records of an aborted transaction are dropped.
        """
        name = type(record).__name__
        if name == "BeginTransactionRecord":
            self._held = []
        if self._held is None:
            return self._apply(record, offset, timestamp_ms)
        self._held.append((record, offset, timestamp_ms))
        if name not in ("EndTransactionRecord", "AbortTransactionRecord"):
            return set()
        held, self._held = self._held, None
        changed = [self._apply(*entry) for entry in held if name == "EndTransactionRecord"]
        return set().union(*changed)

    def _apply(self, record: Any, offset: int, timestamp_ms: int) -> set[Key]:
        name = type(record).__name__
        if name in WITHOUT_FACTS:
            return set()
        values = {field.name: getattr(record, field.name) for field in fields(record)}
        if name in SETS:
            key = _key(SETS[name], values)
            self.facts[key] = values
            return {key}
        if name in REMOVES:
            key = _key(REMOVES[name], values)
            self.facts.pop(key, None)
            return {key}
        rule: Callable[[Fact, int, int], set[Key]] = getattr(self, f"_{name}")
        return rule(values, offset, timestamp_ms)

    def _RegisterBrokerRecord(self, values: Fact, offset: int, timestamp_ms: int) -> set[Key]:
        key = "Broker", values["broker_id"]
        old = self.facts.get(key, {})
        started = values["start_time_ms"] or timestamp_ms
        if old.get("incarnation_id") == values["incarnation_id"]:
            started = old["start_time_ms"] or started
        self.facts[key] = {**values, "register_offset": offset, "start_time_ms": started}
        return {key}

    def _BrokerRegistrationChangeRecord(self, values: Fact, *_: int) -> set[Key]:
        key = "Broker", values["broker_id"]
        fact = self.facts[key] = dict(self.facts[key])
        if values["fenced"]:
            fact["fenced"] = values["fenced"] > 0
        if values["in_controlled_shutdown"]:
            fact["in_controlled_shutdown"] = True
        if values["log_dirs"]:
            fact["log_dirs"] = values["log_dirs"]
        if values["cordoned_log_dirs"] is not None:
            fact["cordoned_log_dirs"] = values["cordoned_log_dirs"]
        return {key}

    def _FenceBrokerRecord(self, values: Fact, *_: int) -> set[Key]:
        return self._amend(("Broker", values["id"]), fenced=True)

    def _UnfenceBrokerRecord(self, values: Fact, *_: int) -> set[Key]:
        return self._amend(("Broker", values["id"]), fenced=False)

    def _amend(self, key: Key, **changes: object) -> set[Key]:
        self.facts[key] = {**self.facts[key], **changes}
        return {key}

    def _TopicRecord(self, values: Fact, *_: int) -> set[Key]:
        key = "Topic", values["topic_id"]
        self.facts[key] = {"name": values["name"], "partitions": set()}
        return {key}

    def _RemoveTopicRecord(self, values: Fact, *_: int) -> set[Key]:
        topic = self.facts.pop(("Topic", values["topic_id"]))
        removed = {("Partition", values["topic_id"], number) for number in topic["partitions"]}
        removed.add(("Config", 2, topic["name"]))
        for key in removed:
            self.facts.pop(key, None)
        return {("Topic", values["topic_id"]), *removed}

    def _PartitionRecord(self, values: Fact, *_: int) -> set[Key]:
        topic_id, number = values.pop("topic_id"), values.pop("partition_id")
        for name in ("eligible_leader_replicas", "last_known_elr"):
            values[name] = values[name] or ()
        key: Key = "Partition", topic_id, number
        self.facts["Topic", topic_id]["partitions"].add(number)
        self.facts[key] = values
        self.changes.append((key, None, values))
        return {key}

    def _PartitionChangeRecord(self, values: Fact, *_: int) -> set[Key]:
        key: Key = "Partition", values.pop("topic_id"), values.pop("partition_id")
        fact = self.facts[key]
        new = {
            name: value
            for name, value in values.items()
            if value is not None and value != UNCHANGED.get(name)
        }
        new["leader_epoch"] = fact["leader_epoch"] + ("leader" in new)
        new["partition_epoch"] = fact["partition_epoch"] + 1
        touched = self._amend(key, **new)
        self.changes.append((key, fact, self.facts[key]))
        return touched

    def _ClearElrRecord(self, values: Fact, *_: int) -> set[Key]:
        topics = {
            key[1]: fact
            for key, fact in self.of("Topic").items()
            if values["topic_name"] in ("", fact["name"])
        }
        keys = {
            ("Partition", topic, number)
            for topic in topics
            for number in topics[topic]["partitions"]
        }
        for key in keys:
            fact = self.facts[key]
            if fact["eligible_leader_replicas"] or fact["last_known_elr"]:
                epoch = fact["partition_epoch"] + 1
                cleared = {"eligible_leader_replicas": (), "last_known_elr": ()}
                self._amend(key, **cleared, partition_epoch=epoch)
                self.changes.append((key, fact, self.facts[key]))
        return set(keys)

    def _ConfigRecord(self, values: Fact, *_: int) -> set[Key]:
        key = "Config", values["resource_type"], values["resource_name"]
        return self._set_value(key, values["name"], values["value"])

    def _FeatureLevelRecord(self, values: Fact, *_: int) -> set[Key]:
        return self._set_value(("Features",), values["name"], values["feature_level"] or None)

    def _ClientQuotaRecord(self, values: Fact, *_: int) -> set[Key]:
        value = None if values["remove"] else values["value"]
        return self._set_value(("Quota", values["entity"]), values["key"], value)

    def _ProducerIdsRecord(self, values: Fact, *_: int) -> set[Key]:
        """Sets the next producer id; images do not have its owner."""
        return self._set_value(("ProducerIds",), "next_producer_id", values["next_producer_id"])

    def _KRaftVersion(self, values: Fact, *_: int) -> set[Key]:
        return self._set_value(("KRaftVersion",), "level", values["kraft_version"])

    def _set_value(self, key: Key, name: str, value: object) -> set[Key]:
        """Sets one value of the fact `key`; None removes the value."""
        fact = {**self.facts.get(key, {}), name: value}
        self.facts[key] = {name: item for name, item in fact.items() if item is not None}
        if not self.facts[key]:
            del self.facts[key]
        return {key}


def _key(rule: tuple[str, tuple[str, ...]], values: Fact) -> Key:
    kind, names = rule
    return kind, *(values[name] for name in names)
