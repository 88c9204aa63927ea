"""Draws sequences of requests to a broker's listener: mostly sensible ones, and wrong ones."""

from collections.abc import Callable
from random import Random
from typing import Any

from tests.differential.listener.draft import NAMES, Draft, named, topic_id
from tests.differential.listener.produce import HOUR_MS, MINUTE_MS, init_producer_id, produce
from tests.differential.sequence import Ask, Body, Sequence
from tests.differential.settings import Start

LISTENER = Start(has_listener=True)
STEPS = (15, 35)
CONFIGS: dict[str, tuple[str, ...]] = {
    "max.message.bytes": ("150", "300", "1000", "1048588", "2000000"),
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
SPECIAL = (-1, -2, -3, -4, -5, -6, -7)
RATES = ("producer_byte_rate", "consumer_byte_rate")
CLIENT_ID = "judge"
ENTITIES = tuple(
    [{"entityType": kind, "entityName": name} for kind, name in entity.items()]
    for entity in (
        *({"client-id": name} for name in (CLIENT_ID, None)),
        *({"user": name} for name in ("ANONYMOUS", None)),
        *(
            {"user": user, "client-id": client}
            for user in ("ANONYMOUS", None)
            for client in (CLIENT_ID, None)
        ),
    )
)


def draw_listener_sequence(seed: int, number: int) -> Sequence:
    """A sequence of topics, batches and questions about them."""
    random = Random(f"listener {seed} {number}")
    draft = Draft(random, converts=random.random() < 0.15, has_quotas=random.random() < 0.12)
    steps = [_create(draft)]
    for _ in range(draft.between(*STEPS)):
        ((draw,),) = [random.choices(tuple(DRAWS), tuple(DRAWS.values()))]
        steps.append(draw(draft))
    names = [{"$name": name} for name in sorted(draft.created)]
    cleanup = [Ask("DeleteTopics", 5, {"topicNames": names, "timeoutMs": 30_000})]
    cleanup += [unlimited()] if draft.has_quotas else []
    return Sequence(f"listener-{seed}-{number}", tuple(steps), tuple(cleanup), LISTENER)


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
        draft.deleted.discard(name)
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
    draft.deleted.add(name)
    for at in [at for at in draft.ends if at[0] == name]:
        del draft.ends[at]
    if draft.chance(0.3):
        topic = {"name": None, "topicId": topic_id(draft, name)}
        return Ask("DeleteTopics", 6, {"topics": [topic], "timeoutMs": 30_000})
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
        topics = [{"topicId": topic_id(draft, draft.name()), "name": None}]
        version = max(version, 12)
    else:
        names = {draft.name() for _ in range(draft.between(1, 2))}
        topics = [
            {"topicId": topic_id(draft, ""), "name": {"$name": name}} for name in sorted(names)
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


# Fetch


def _fetch(draft: Draft) -> Ask:
    if draft.fetched is not None and draft.chance(0.35):
        return _fetch_again(draft, *draft.fetched)
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
    if draft.chance(0.25):
        draft.fetched = version, body | {"minBytes": 1, "rackId": ""}, draft.partition()
        return _fetch_again(draft, *draft.fetched)
    return _in_session(draft, version, body)


def _fetch_again(draft: Draft, version: int, body: Body, at: tuple[str, int]) -> Ask:
    """A request for one partition, alike but for the offset."""
    name, partition = at
    by_id = version >= 13
    topic = {"topicId": {"$topic_id": [name, -1]}} if by_id else {"topic": {"$name": name}}
    position = {
        "partition": partition,
        "currentLeaderEpoch": -1,
        "fetchOffset": draft.offset(at),
        "lastFetchedEpoch": -1,
        "logStartOffset": -1,
        "partitionMaxBytes": 2**20,
    }
    return Ask("Fetch", version, body | {"topics": [topic | {"partitions": [position]}]})


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
    return [named(draft, version >= 13, "topic", name, partitions=p) for name, p in topics.items()]


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
            named(draft, is_by_id, "topic", name, partitions=[partition])
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


def _move(draft: Draft) -> Ask:
    """Mostly to one of the broker's directories."""
    dirs = []
    for _ in range(draft.one_of(1, 1, 1, 2)):
        name, partition = draft.partition()
        is_own = draft.chance(0.85)
        path = {"$dir": draft.one_of(0, 1)} if is_own else draft.one_of("/nowhere", "relative", "")
        partitions = [partition, *draft.one_of([], [], [0], [7])]
        dirs.append({"path": path, "topics": [{"name": {"$name": name}, "partitions": partitions}]})
    return Ask("AlterReplicaLogDirs", draft.between(1, 2), {"dirs": dirs})


def _producers(draft: Draft) -> Ask:
    name, partition = draft.partition()
    body = {"topics": [{"name": {"$name": name}, "partitionIndexes": [partition]}]}
    return Ask("DescribeProducers", 0, body)


# Quotas


def _limit(draft: Draft) -> Ask:
    """A rate that every request exceeds, one that none does, or none."""
    if not draft.has_quotas:
        return produce(draft)
    value = draft.one_of(1.0, 1.0, 1e12, None)
    op = {"key": draft.one_of(*RATES), "value": value or 0.0, "remove": value is None}
    return _quotas([{"entity": draft.one_of(*ENTITIES), "ops": [op]}])


def unlimited() -> Ask:
    """Takes away every quota that a sequence may have set."""
    ops = [{"key": key, "value": 0.0, "remove": True} for key in RATES]
    return _quotas([{"entity": entity, "ops": ops} for entity in ENTITIES])


def _quotas(entries: list[Body]) -> Ask:
    return Ask("AlterClientQuotas", 1, {"entries": entries, "validateOnly": False})


DRAWS: dict[Callable[[Draft], Ask], int] = {
    produce: 40,
    _fetch: 24,
    _list_offsets: 9,
    init_producer_id: 5,
    _epochs: 3,
    _delete_records: 4,
    _log_dirs: 3,
    _producers: 3,
    _move: 2,
    _metadata: 3,
    _alter: 4,
    _create: 2,
    _delete: 2,
    _grow: 1,
    _limit: 6,
}
