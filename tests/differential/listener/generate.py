"""Draws sequences of requests to a broker's listener: mostly sensible ones, and wrong ones."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.differential.listener.batches import GZIP, LZ4, SNAPPY, ZSTD
from tests.differential.sequence import Ask, Body, Sequence
from tests.differential.settings import Start

LISTENER = Start(has_listener=True)
STEPS = (15, 35)
NAMES = ("a", "b", "c")
MINUTE_MS, HOUR_MS = 60_000, 3_600_000
ALL_ACKS, LEADER_ACK, NO_ACK = -1, 1, 0
CONFIGS: dict[str, tuple[str, ...]] = {
    "max.message.bytes": ("150", "300", "1000", "1048588"),
    "message.timestamp.type": ("CreateTime", "LogAppendTime"),
    "message.timestamp.before.max.ms": ("60000", "9223372036854775807"),
    "message.timestamp.after.max.ms": ("60000", "3600000", "9223372036854775807"),
    "cleanup.policy": ("delete", "compact", "compact,delete"),
    "min.insync.replicas": ("1", "2"),
    "segment.bytes": ("1048576", "2000000"),
    "segment.ms": ("1000", "604800000"),
    "compression.type": ("producer", "uncompressed", "gzip", "snappy", "lz4", "zstd"),
}
SET, DELETE = 0, 1
TOPIC = 2
LARGE = 400_000  # two of them fill a segment
SPECIAL = (-1, -2, -3, -4, -5, -6, -7)


@dataclass(slots=True)
class Producer:
    """`sequences` are the next ones by topic and partition."""

    producer_id: Any
    epoch: int = 0
    sequences: dict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))
    sent: list[tuple[str, int, Body]] = field(default_factory=list)


@dataclass(slots=True)
class Draft:
    """`topics` are the partitions of those that probably exist; `ends` guesses where logs end."""

    random: Random
    converts: bool
    topics: dict[str, int] = field(default_factory=dict)
    created: set[str] = field(default_factory=set)
    ends: dict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))
    producers: list[Producer] = field(default_factory=list)
    ids_given: int = 0
    session: Body | None = None
    stamps: bool = False  # a topic had LogAppendTime: two records may share a millisecond

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def one_of(self, *options: Any) -> Any:
        return self.random.choice(options)

    def between(self, first: int, last: int) -> int:
        return self.random.randint(first, last)

    def name(self) -> str:
        if self.topics and not self.chance(0.06):
            return self.random.choice(sorted(self.topics))
        return self.one_of(*NAMES)

    def partition(self) -> tuple[str, int]:
        name = self.name()
        if self.chance(0.05):
            return name, self.one_of(-1, 7)
        return name, self.random.randrange(max(1, self.topics.get(name, 1)))

    def offset(self, at: tuple[str, int]) -> int:
        """Mostly one that the log has."""
        end = self.ends[at]
        if self.chance(0.15):
            return self.one_of(-1, end + 1, end + 100, 2**40)
        return self.between(0, end)

    def epoch(self) -> int:
        return -1 if self.chance(0.6) else self.one_of(0, 0, 1, 3)


def draw_listener_sequence(seed: int, number: int) -> Sequence:
    """A sequence of topics, batches and questions about them."""
    random = Random(f"listener {seed} {number}")
    draft = Draft(random, converts=random.random() < 0.15)
    steps = [_create(draft)]
    for _ in range(draft.between(*STEPS)):
        ((draw,),) = [random.choices(tuple(DRAWS), tuple(DRAWS.values()))]
        steps.append(draw(draft))
    names = [{"$name": name} for name in sorted(draft.created)]
    cleanup = Ask("DeleteTopics", 5, {"topicNames": names, "timeoutMs": 30_000})
    return Sequence(f"listener-{seed}-{number}", tuple(steps), (cleanup,), LISTENER)


# Topics


def _create(draft: Draft) -> Ask:
    topics = []
    for name in draft.random.sample(NAMES, draft.between(1, 2)):
        partitions = draft.between(1, 3)
        topics.append(
            {
                "name": {"$name": name},
                "numPartitions": partitions,
                "replicationFactor": 1,
                "assignments": [],
                "configs": [{"name": "retention.ms", "value": "-1"}, *_configs(draft)],
            }
        )
        draft.topics.setdefault(name, partitions)
        draft.created.add(name)
    body = {"topics": topics, "timeoutMs": 30_000, "validateOnly": False}
    return Ask("CreateTopics", draft.between(5, 7), body)


def _configs(draft: Draft) -> list[Body]:
    keys = draft.random.sample(sorted(CONFIGS), draft.one_of(0, 0, 1, 2))
    return [{"name": key, "value": _config(draft, key)} for key in keys if _is_allowed(draft, key)]


def _is_allowed(draft: Draft, key: str) -> bool:
    return draft.converts or key != "compression.type"


def _config(draft: Draft, key: str) -> str:
    value: str = draft.one_of(*CONFIGS[key])
    draft.stamps = draft.stamps or value == "LogAppendTime"
    return value


def _alter(draft: Draft) -> Ask:
    keys = [key for key in CONFIGS if _is_allowed(draft, key)]
    configs = [
        {"name": key, "configOperation": SET, "value": _config(draft, key)}
        if draft.chance(0.8)
        else {"name": key, "configOperation": DELETE, "value": None}
        for key in draft.random.sample(keys, draft.between(1, 2))
    ]
    resource = {"resourceType": TOPIC, "resourceName": {"$name": draft.name()}, "configs": configs}
    body = {"resources": [resource], "validateOnly": False}
    return Ask("IncrementalAlterConfigs", draft.between(0, 1), body)


def _delete(draft: Draft) -> Ask:
    name = draft.name()
    draft.topics.pop(name, None)
    for at in [at for at in draft.ends if at[0] == name]:
        del draft.ends[at]
    body = {"topicNames": [{"$name": name}], "timeoutMs": 30_000}
    return Ask("DeleteTopics", draft.between(1, 5), body)


def _grow(draft: Draft) -> Ask:
    name = draft.name()
    count = draft.topics.get(name, 1) + 1
    if name in draft.topics:
        draft.topics[name] = count
    topic = {"name": {"$name": name}, "count": count, "assignments": None}
    body = {"topics": [topic], "timeoutMs": 30_000, "validateOnly": False}
    return Ask("CreatePartitions", draft.between(0, 3), body)


def _metadata(draft: Draft) -> Ask:
    version, names = draft.between(1, 13), set[str]()
    if version >= 10 and draft.chance(0.3):
        topics = [{"topicId": _topic_id(draft, draft.name()), "name": None}]
        version = max(version, 12)
    else:
        names = {draft.name() for _ in range(draft.between(1, 2))}
        topics = [
            {"topicId": _topic_id(draft, ""), "name": {"$name": name}} for name in sorted(names)
        ]
    creates = version < 4 or draft.chance(0.1)
    if creates and topics[0]["name"]:
        for name in names:
            draft.topics.setdefault(name, 1)
        draft.created |= names
    body: Body = {"topics": topics, "allowAutoTopicCreation": creates}
    body |= {"includeClusterAuthorizedOperations": False}
    body |= {"includeTopicAuthorizedOperations": draft.chance(0.2)}
    return Ask("Metadata", version, body)


def _topic_id(draft: Draft, name: str) -> Body:
    return {"$topic_id": [name, -2 if draft.chance(0.05) else -1]}


# Produce


def _produce(draft: Draft) -> Ask:
    version = draft.between(3, 13)
    acks = draft.random.choices((ALL_ACKS, LEADER_ACK, NO_ACK, 2), (45, 45, 7, 3))[0]
    topics: dict[str, list[Body]] = {}
    for _ in range(draft.one_of(1, 1, 1, 2, 3)):
        name, partition = draft.partition()
        batches = _batches(draft, (name, partition))
        known = topics.setdefault(name, [])
        if partition not in [data["index"] for data in known] or draft.chance(0.1):
            known.append({"index": partition, "records": {"$batches": batches}})
    data = [
        _named(draft, version >= 13, "name", name, partitionData=p) for name, p in topics.items()
    ]
    body = {
        "transactionalId": "t" if draft.chance(0.02) else None,
        "acks": acks,
        "timeoutMs": 10_000,
        "topicData": data,
    }
    return Ask("Produce", version, body)


def _named(draft: Draft, by_id: bool, field_name: str, name: str, **fields: Any) -> Body:
    if by_id:
        return {"topicId": _topic_id(draft, name), **fields}
    return {field_name: {"$name": name}, **fields}


def _batches(draft: Draft, at: tuple[str, int]) -> list[Body]:
    if draft.chance(0.02):
        return []
    batches = [_batch(draft, at)]
    if draft.chance(0.02):
        batches.append(_batch(draft, at))
    return batches


def _batch(draft: Draft, at: tuple[str, int]) -> Body:
    if draft.producers and draft.chance(0.35):
        return _idempotent(draft, at)
    batch = _records(draft)
    if draft.chance(0.12):
        batch |= _defect(draft, batch)
    else:
        draft.ends[at] += len(batch["values"])
    return batch


def _records(draft: Draft) -> Body:
    count = draft.one_of(1, 1, 2, 3, 5)
    values = [None if draft.chance(0.05) else draft.one_of(0, 5, 20, 60, 200) for _ in range(count)]
    batch: Body = {"values": values, "at": _time(draft)}
    if draft.chance(0.5):
        keys = [None if draft.chance(0.05) else draft.between(0, 3) for _ in range(count)]
        batch["keys"] = keys
    if draft.chance(0.4):
        batch["times"] = [draft.one_of(0, 1, 50, -50, 1000) for _ in range(count)]
    if draft.chance(0.4):
        batch["codec"] = draft.one_of(GZIP, SNAPPY, LZ4, ZSTD)
    return batch


def _time(draft: Draft) -> Any:
    if draft.chance(0.05):
        return draft.one_of(-1, 0, 1000)
    if draft.chance(0.05):
        return {"$at": draft.one_of(2 * HOUR_MS, 10 * MINUTE_MS, -2 * HOUR_MS)}
    return {"$at": -MINUTE_MS + draft.between(-40, 40) * 500}


def _defect(draft: Draft, batch: Body) -> Body:
    count = len(batch["values"])
    options: tuple[Body, ...] = (
        {"crc": 1},
        {"magic": draft.one_of(0, 1, 3, -1)},
        {"length": draft.one_of(-40, 10)},
        {"count": draft.one_of(0, count - 1, count + 1, -1)},
        {"last_delta": draft.one_of(-1, count, count + 3)},
        {"count": count + 1, "last_delta": count},
        {"count": count - 1, "last_delta": count - 2},
        {"base_offset": draft.one_of(1, 7)},
        {"leader_epoch": 99},
        {"attributes": draft.one_of(8, 64, 128, 32, 16)},
        {"codec": draft.one_of(5, 6, 7)},
        {"codec": draft.one_of(GZIP, ZSTD), "plain": True},
        {"max_time": draft.one_of(100_000_000, -100_000)},
        {"producer": [9, 0, -1]},
        {"producer": [9, -1, draft.one_of(-1, 0, 5)]},
        {"tail": draft.one_of(1, 5, 11, 13)},
        {"values": [3000], "keys": None, "times": None},
        {"values": [LARGE], "keys": [1], "times": None},
        {"values": [LARGE], "keys": [1], "times": None},
        {"values": [2 * LARGE + 300_000], "keys": [2], "times": None},
    )
    return draft.one_of(*options)


def _idempotent(draft: Draft, at: tuple[str, int]) -> Body:
    producer = draft.random.choice(draft.producers)
    if producer.sent and draft.chance(0.25):
        name, index, batch = draft.random.choice(producer.sent[-7:])
        if (name, index) == at:
            return dict(batch)
    batch = _records(draft) | {"at": {"$at": -MINUTE_MS + draft.between(-40, 40) * 500}}
    count = len(batch["values"])
    epoch, sequence = producer.epoch, producer.sequences[at]
    match draft.random.choices(("next", "gap", "old", "new", "wrap"), (80, 6, 4, 6, 2))[0]:
        case "gap":
            sequence += draft.one_of(1, 5, -1)
        case "old":
            epoch -= 1
        case "new":
            producer.epoch = epoch = epoch + draft.one_of(1, 3)
            producer.sequences.clear()
            sequence = draft.one_of(0, 0, 0, 5)
        case "wrap":
            sequence = 2**31 - draft.between(1, 3)
    batch["producer"] = [producer.producer_id, epoch, max(sequence, 0)]
    producer.sequences[at] = (max(sequence, 0) + count) % 2**31
    producer.sent.append((*at, batch))
    draft.ends[at] += count
    return batch


def _init_producer_id(draft: Draft) -> Ask:
    version = draft.between(0, 5)
    body: Body = {"transactionalId": None, "transactionTimeoutMs": draft.one_of(0, 60_000)}
    body |= {"producerId": -1, "producerEpoch": -1}
    if draft.chance(0.1):
        body |= draft.one_of({"transactionalId": ""}, {"producerId": 7}, {"producerEpoch": 3})
    is_given = body["transactionalId"] is None and (
        version < 3 or (body["producerId"] < 0) == (body["producerEpoch"] < 0)
    )
    if is_given:
        draft.producers.append(Producer({"$producer": draft.ids_given}))
        draft.ids_given += 1
    return Ask("InitProducerId", version, body)


# Fetch


def _fetch(draft: Draft) -> Ask:
    version = draft.between(4, 18)
    body: Body = {
        "maxWaitMs": draft.one_of(0, 0, 0, 40),
        "minBytes": draft.one_of(0, 1, 1, 100_000),
        "maxBytes": 2**20 if draft.converts else draft.one_of(0, 100, 250, 1000, 2**20, 2**20),
        "isolationLevel": draft.one_of(0, 0, 1),
        "sessionId": 0,
        "sessionEpoch": -1,
        "topics": _fetched(draft, version),
        "forgottenTopicsData": [],
        "rackId": draft.one_of("", "", "r1"),
    }
    replica = draft.random.choices((-1, -2, -3, 1, 5), (92, 4, 2, 1, 1))[0]
    body |= {"replicaState": {"replicaId": replica, "replicaEpoch": -1}, "replicaId": replica}
    return _in_session(draft, version, body)


def _fetched(draft: Draft, version: int) -> list[Body]:
    topics: dict[str, list[Body]] = {}
    for _ in range(draft.one_of(1, 1, 2, 3)):
        name, partition = draft.partition()
        known = topics.setdefault(name, [])
        if partition in [of["partition"] for of in known] and draft.chance(0.9):
            continue
        last_epoch = -1 if draft.chance(0.85) else draft.one_of(0, 0, 2)
        limit = 2**20 if draft.converts else draft.one_of(2**20, 2**20, 0, 150, 400, -1)
        known.append(
            {
                "partition": partition,
                "currentLeaderEpoch": draft.epoch(),
                "fetchOffset": draft.offset((name, partition)),
                "lastFetchedEpoch": last_epoch,
                "logStartOffset": -1,
                "partitionMaxBytes": limit,
            }
        )
    return [_named(draft, version >= 13, "topic", name, partitions=p) for name, p in topics.items()]


def _in_session(draft: Draft, version: int, body: Body) -> Ask:
    """Mostly none; a session goes on in its version, with the next epoch."""
    if version < 7:
        return Ask("Fetch", version, body)
    session = draft.session
    if session is None or draft.chance(0.15):
        if draft.chance(0.5):
            draft.session = {"version": version, "epoch": 1}
            body["sessionEpoch"] = 0
        return Ask("Fetch", version, body)
    if draft.chance(0.3):
        return Ask("Fetch", version, body)
    body |= {"sessionId": {"$session": -1}, "sessionEpoch": session["epoch"]}
    is_by_id = session["version"] >= 13
    version = session["version"]
    wrong = draft.random.choices(("", "epoch", "end", "id", "version"), (85, 4, 4, 3, 4))[0]
    match wrong:
        case "epoch":
            body["sessionEpoch"] += draft.one_of(1, -1)
        case "end":
            body["sessionEpoch"], draft.session = -1, None
        case "id":
            body["sessionId"] = 77
        case "version":
            version, is_by_id = (12, False) if is_by_id else (13, True)
        case _:
            session["epoch"] += 1
    body["topics"] = _fetched(draft, version) if draft.chance(0.5) else []
    if draft.chance(0.2):
        name, partition = draft.partition()
        body["forgottenTopicsData"] = [
            _named(draft, is_by_id, "topic", name, partitions=[partition])
        ]
    return Ask("Fetch", version, body)


# Offsets, and what logs hold


def _list_offsets(draft: Draft) -> Ask:
    version = draft.between(1, 11)
    topics: dict[str, list[Body]] = {}
    for _ in range(draft.between(1, 3)):
        name, partition = draft.partition()
        timestamp = _asked_time(draft)
        asked = {"partitionIndex": partition, "currentLeaderEpoch": draft.epoch()}
        topics.setdefault(name, []).append(asked | {"timestamp": timestamp})
    body = {
        "replicaId": draft.random.choices((-1, -2, 5), (90, 5, 5))[0],
        "isolationLevel": draft.one_of(0, 0, 1),
        "topics": [
            {"name": {"$name": name}, "partitions": asked} for name, asked in topics.items()
        ],
        "timeoutMs": 1000,
    }
    return Ask("ListOffsets", version, body)


def _asked_time(draft: Draft) -> Any:
    if draft.chance(0.7):
        return draft.one_of(*(time for time in SPECIAL if time != -3 or not draft.stamps))
    if draft.chance(0.2):
        return draft.one_of(0, 1, 1000, 2**60)
    return {"$at": draft.one_of(-MINUTE_MS + draft.between(-42, 42) * 500, 3 * HOUR_MS, -10_000)}


def _epochs(draft: Draft) -> Ask:
    name, partition = draft.partition()
    asked = {"partition": partition, "currentLeaderEpoch": draft.epoch()}
    asked |= {"leaderEpoch": draft.one_of(-1, 0, 0, 1, 5)}
    topic = {"topic": {"$name": name}, "partitions": [asked]}
    body = {"replicaId": draft.one_of(-1, -2, 5), "topics": [topic]}
    return Ask("OffsetForLeaderEpoch", draft.between(2, 4), body)


def _delete_records(draft: Draft) -> Ask:
    at = draft.partition()
    asked = {
        "partitionIndex": at[1],
        "offset": draft.one_of(-1, -2, draft.offset(at), draft.offset(at)),
    }
    body = {"topics": [{"name": {"$name": at[0]}, "partitions": [asked]}], "timeoutMs": 5000}
    return Ask("DeleteRecords", draft.between(0, 2), body)


def _log_dirs(draft: Draft) -> Ask:
    name = draft.name()
    partitions = list(range(draft.topics.get(name, 1))) + draft.one_of([], [7])
    body = {"topics": [{"topic": {"$name": name}, "partitions": partitions}]}
    return Ask("DescribeLogDirs", draft.between(1, 5), body)


def _producers(draft: Draft) -> Ask:
    name, partition = draft.partition()
    body = {"topics": [{"name": {"$name": name}, "partitionIndexes": [partition]}]}
    return Ask("DescribeProducers", 0, body)


DRAWS: dict[Callable[[Draft], Ask], int] = {
    _produce: 40,
    _fetch: 24,
    _list_offsets: 9,
    _init_producer_id: 5,
    _epochs: 3,
    _delete_records: 4,
    _log_dirs: 3,
    _producers: 3,
    _metadata: 3,
    _alter: 4,
    _create: 1,
    _delete: 1,
    _grow: 1,
}
