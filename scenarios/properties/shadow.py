"""An independent replay of the log into plain dictionaries, dispatched by names of records.

It shares no code with the replay that it is compared with (S9), and has another style. A fact is a
dictionary of a record's own fields under a key such as ("Broker", 1). A general rule sets or
removes facts; a record that needs more has a method that is named after it.
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
SAYS_NOTHING = {
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


class Shadow:
    """The facts of all records below `end_offset`."""

    def __init__(self) -> None:
        self.facts: dict[Key, Fact] = {}
        self.end_offset = 0
        self._held: list[tuple[Any, int, int]] | None = None  # records of an open transaction

    def fold(self, batch: Batch) -> set[Key]:
        """Applies a batch; returns the keys of the facts that may have changed."""
        touched: set[Key] = set()
        for offset, record in enumerate(batch.records, batch.base_offset):
            touched |= self._see(record, offset, batch.timestamp_ms)
        self.end_offset = batch.last_offset + 1
        return touched

    def restore(self, batches: Iterable[Batch], end_offset: int) -> None:
        """Replaces the facts by those of a snapshot, at the offset of its last record."""
        self.facts, self._held = {}, None
        for batch in batches:
            for record in batch.records:
                self._say(record, end_offset - 1, 0)
        self.end_offset = end_offset

    def of(self, kind: str) -> dict[Key, Fact]:
        """Returns the facts of one kind."""
        return {key: fact for key, fact in self.facts.items() if key[0] == kind}

    def broker(self, broker_id: int) -> Fact | None:
        """Returns the fact of a registered broker, or None."""
        return self.facts.get(("Broker", broker_id))

    def is_active(self, broker_id: int) -> bool:
        """Returns True if a broker is registered, unfenced and not shutting down (rule 4.1)."""
        fact = self.broker(broker_id)
        return fact is not None and not fact["fenced"] and not fact["in_controlled_shutdown"]

    def _see(self, record: Any, offset: int, timestamp_ms: int) -> set[Key]:
        """Applies a record; records of a transaction when it ends, if not aborted (rule 9.34)."""
        name = type(record).__name__
        if name == "BeginTransactionRecord":
            self._held = []
        if self._held is None:
            return self._say(record, offset, timestamp_ms)
        self._held.append((record, offset, timestamp_ms))
        if name not in ("EndTransactionRecord", "AbortTransactionRecord"):
            return set()
        held, self._held = self._held, None
        told = [self._say(*entry) for entry in held if name == "EndTransactionRecord"]
        return set().union(*told)

    def _say(self, record: Any, offset: int, timestamp_ms: int) -> set[Key]:
        name = type(record).__name__
        if name in SAYS_NOTHING:
            return set()
        said = {field.name: getattr(record, field.name) for field in fields(record)}
        if name in SETS:
            key = _key(SETS[name], said)
            self.facts[key] = said
            return {key}
        if name in REMOVES:
            key = _key(REMOVES[name], said)
            self.facts.pop(key, None)
            return {key}
        rule: Callable[[Fact, int, int], set[Key]] = getattr(self, f"_{name}")
        return rule(said, offset, timestamp_ms)

    def _RegisterBrokerRecord(self, said: Fact, offset: int, timestamp_ms: int) -> set[Key]:
        key = "Broker", said["broker_id"]
        old = self.facts.get(key, {})
        started = said["start_time_ms"] or timestamp_ms
        if old.get("incarnation_id") == said["incarnation_id"]:
            started = old["start_time_ms"] or started
        self.facts[key] = {**said, "register_offset": offset, "start_time_ms": started}
        return {key}

    def _BrokerRegistrationChangeRecord(self, said: Fact, *_: int) -> set[Key]:
        key = "Broker", said["broker_id"]
        fact = self.facts[key] = dict(self.facts[key])
        if said["fenced"]:
            fact["fenced"] = said["fenced"] > 0
        if said["in_controlled_shutdown"]:
            fact["in_controlled_shutdown"] = True
        if said["log_dirs"]:
            fact["log_dirs"] = said["log_dirs"]
        if said["cordoned_log_dirs"] is not None:
            fact["cordoned_log_dirs"] = said["cordoned_log_dirs"]
        return {key}

    def _FenceBrokerRecord(self, said: Fact, *_: int) -> set[Key]:
        return self._amend(("Broker", said["id"]), fenced=True)

    def _UnfenceBrokerRecord(self, said: Fact, *_: int) -> set[Key]:
        return self._amend(("Broker", said["id"]), fenced=False)

    def _amend(self, key: Key, **what: object) -> set[Key]:
        self.facts[key] = {**self.facts[key], **what}
        return {key}

    def _TopicRecord(self, said: Fact, *_: int) -> set[Key]:
        key = "Topic", said["topic_id"]
        self.facts[key] = {"name": said["name"], "partitions": set()}
        return {key}

    def _RemoveTopicRecord(self, said: Fact, *_: int) -> set[Key]:
        topic = self.facts.pop(("Topic", said["topic_id"]))
        gone = {("Partition", said["topic_id"], number) for number in topic["partitions"]}
        gone.add(("Config", 2, topic["name"]))
        for key in gone:
            self.facts.pop(key, None)
        return {("Topic", said["topic_id"]), *gone}

    def _PartitionRecord(self, said: Fact, *_: int) -> set[Key]:
        topic_id, number = said.pop("topic_id"), said.pop("partition_id")
        for name in ("eligible_leader_replicas", "last_known_elr"):
            said[name] = said[name] or ()
        self.facts["Topic", topic_id]["partitions"].add(number)
        self.facts["Partition", topic_id, number] = said
        return {("Partition", topic_id, number)}

    def _PartitionChangeRecord(self, said: Fact, *_: int) -> set[Key]:
        key = "Partition", said.pop("topic_id"), said.pop("partition_id")
        fact = self.facts[key]
        new = {
            name: value
            for name, value in said.items()
            if value is not None and value != UNCHANGED.get(name)
        }
        new["leader_epoch"] = fact["leader_epoch"] + ("leader" in new)
        new["partition_epoch"] = fact["partition_epoch"] + 1
        return self._amend(key, **new)

    def _ClearElrRecord(self, said: Fact, *_: int) -> set[Key]:
        topics = {
            key[1]: fact
            for key, fact in self.of("Topic").items()
            if said["topic_name"] in ("", fact["name"])
        }
        keys = {
            ("Partition", topic, number)
            for topic in topics
            for number in topics[topic]["partitions"]
        }
        for key in keys:
            self._amend(key, eligible_leader_replicas=(), last_known_elr=())
        return set(keys)

    def _ConfigRecord(self, said: Fact, *_: int) -> set[Key]:
        key = "Config", said["resource_type"], said["resource_name"]
        return self._one_of(key, said["name"], said["value"])

    def _FeatureLevelRecord(self, said: Fact, *_: int) -> set[Key]:
        return self._one_of(("Features",), said["name"], said["feature_level"] or None)

    def _ClientQuotaRecord(self, said: Fact, *_: int) -> set[Key]:
        value = None if said["remove"] else said["value"]
        return self._one_of(("Quota", said["entity"]), said["key"], value)

    def _ProducerIdsRecord(self, said: Fact, *_: int) -> set[Key]:
        """Keeps the next producer id only; images do not hold its owner."""
        return self._one_of(("ProducerIds",), "next_producer_id", said["next_producer_id"])

    def _KRaftVersion(self, said: Fact, *_: int) -> set[Key]:
        return self._one_of(("KRaftVersion",), "level", said["kraft_version"])

    def _one_of(self, key: Key, name: str, value: object) -> set[Key]:
        """Sets one value of a fact; None removes it."""
        fact = {**self.facts.get(key, {}), name: value}
        self.facts[key] = {name: told for name, told in fact.items() if told is not None}
        if not self.facts[key]:
            del self.facts[key]
        return {key}


def _key(rule: tuple[str, tuple[str, ...]], said: Fact) -> Key:
    kind, names = rule
    return kind, *(said[name] for name in names)
