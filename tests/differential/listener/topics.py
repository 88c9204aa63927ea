"""Draws requests that create, change and delete topics."""

from tests.differential.listener.draft import NAMES, Draft, topic_id
from tests.differential.sequence import Ask, Body

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
LEADER, FOLLOWER = 1, 2  # brokers


def create(draft: Draft) -> Ask:
    topics = []
    for name in draft.random.sample(NAMES, draft.between(1, 2)):
        partitions = draft.between(1, 3)
        topics.append(
            {
                "name": {"$name": name},
                **_placed(draft, name, partitions),
                "configs": [{"name": "retention.ms", "value": "-1"}, *_configs(draft)],
            }
        )
        draft.topics.setdefault(name, partitions)
        draft.created.add(name)
        draft.deleted.discard(name)
    body = {"topics": topics, "timeoutMs": 30_000, "validateOnly": False}
    return Ask("CreateTopics", draft.between(5, 7), body)


def _placed(draft: Draft, name: str, partitions: int) -> Body:
    """Of two brokers the one that is asked leads each partition."""
    if not draft.has_follower:
        return {"numPartitions": partitions, "replicationFactor": 1, "assignments": []}
    replicas = draft.replicas[name] = draft.one_of([LEADER], [LEADER, FOLLOWER], [LEADER, FOLLOWER])
    assignments = [{"partitionIndex": index, "brokerIds": replicas} for index in range(partitions)]
    return {"numPartitions": -1, "replicationFactor": -1, "assignments": assignments}


def _configs(draft: Draft) -> list[Body]:
    keys = draft.random.sample(sorted(CONFIGS), draft.one_of(0, 0, 1, 2))
    return [{"name": key, "value": _config(draft, key)} for key in keys if _is_allowed(draft, key)]


def _is_allowed(draft: Draft, key: str) -> bool:
    return draft.converts or key != "compression.type"


def _config(draft: Draft, key: str) -> str:
    value: str = draft.one_of(*CONFIGS[key])
    draft.stamps = draft.stamps or value == "LogAppendTime"
    return value


def alter(draft: Draft) -> Ask:
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


def delete(draft: Draft) -> Ask:
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


def grow(draft: Draft) -> Ask:
    name = draft.name()
    count = draft.topics.get(name, 1) + 1
    if name in draft.topics:
        draft.topics[name] = count
    assignments = [{"brokerIds": draft.replicas.get(name, [LEADER])}]
    topic = {"name": {"$name": name}, "count": count}
    topic["assignments"] = assignments if draft.has_follower else None
    body = {"topics": [topic], "timeoutMs": 30_000, "validateOnly": False}
    return Ask("CreatePartitions", draft.between(0, 3), body)


def metadata(draft: Draft) -> Ask:
    version, names = draft.between(4 if draft.has_follower else 1, 13), set[str]()
    if version >= 10 and draft.chance(0.3):
        topics = [{"topicId": topic_id(draft, draft.name()), "name": None}]
        version = max(version, 12)
    else:
        names = {draft.name() for _ in range(draft.between(1, 2))}
        topics = [
            {"topicId": topic_id(draft, ""), "name": {"$name": name}} for name in sorted(names)
        ]
    creates = version < 4 or (draft.chance(0.1) and not draft.has_follower)
    if creates and topics[0]["name"]:
        for name in names:
            draft.topics.setdefault(name, 1)
        draft.created |= names
    body: Body = {"topics": topics, "allowAutoTopicCreation": creates}
    body |= {"includeClusterAuthorizedOperations": False}
    body |= {"includeTopicAuthorizedOperations": draft.chance(0.2)}
    return Ask("Metadata", version, body)
