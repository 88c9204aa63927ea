"""More partitions, elections, reassignments, directories of replicas, and producer ids."""

from typing import Any

from tests.differential.generate.draft import Draft
from tests.differential.sequence import Ask

UNKNOWN_ELECTION = 9
_ADDED_MAX = 10_000  # partitions that a request may add (rule 4.59)
RESERVED_DIRECTORIES = (
    "AAAAAAAAAAAAAAAAAAAAAA",  # unassigned
    "AAAAAAAAAAAAAAAAAAAAAQ",  # lost
    "AAAAAAAAAAAAAAAAAAAAAg",  # migrating
)


def create_partitions(draft: Draft) -> Ask:
    count = 1 if draft.chance(0.75) else draft.random.randint(0, 3)
    body = {
        "topics": [_growth(draft) for _ in range(count)],
        "timeoutMs": 10000,
        "validateOnly": draft.chance(0.12),
    }
    return Ask("CreatePartitions", draft.random.randint(0, 3), body)


def create_too_many_partitions(draft: Draft) -> Ask:
    """As many as a request may add, one more, or of two topics together; it only validates."""
    names = sorted(draft.standing) or [draft.topic_name()]
    chosen = draft.random.sample(names, min(len(names), draft.one_of(1, 1, 2)))
    added = draft.one_of(0, 1, 1, 2, 1_000) + _ADDED_MAX // len(chosen)
    topics = [
        {"name": name, "count": draft.topics.get(name, 1) + added, "assignments": None}
        for name in chosen
        if name not in draft.reassigned
    ]
    body = {"topics": topics, "timeoutMs": 10000, "validateOnly": True}
    return Ask("CreatePartitions", draft.random.randint(1, 3), body)


def _growth(draft: Draft) -> dict[str, Any]:
    name = draft.topic_name()
    if draft.standing and draft.chance(0.8):
        name = draft.random.choice(sorted(draft.standing))
    known = draft.topics.get(name, 1)
    count = known + draft.one_of(0, 1, 1, 1, 2, 2, -1)
    if name in draft.reassigned:
        count = 0  # Kafka counts the replicas of whichever partition its hash map has first
    assignments = None if draft.chance(0.25) else _lists(draft, name, max(0, count - known))
    if assignments is not None and draft.chance(0.06):
        assignments = assignments[1:]
    if count > known:
        draft.topics[name] = count
    return {"name": name, "count": count, "assignments": assignments}


def _lists(draft: Draft, name: str, count: int) -> list[dict[str, list[int]]]:
    standing = draft.standing.get(name)
    factor = len(standing[0]) if standing else draft.random.randint(1, 3)
    if draft.chance(0.06):
        factor += draft.one_of(1, -1)
    return [{"brokerIds": _replicas(draft, factor)} for _ in range(count)]


def _replicas(draft: Draft, factor: int) -> list[int]:
    if draft.chance(0.06):
        first, unknown = draft.first_id, draft.first_id + draft.brokers + 4
        odd: list[int] = draft.one_of([], [first, first], [unknown], [first, unknown], [-1])
        return odd
    return draft.broker_ids(factor)


def elect_leaders(draft: Draft) -> Ask:
    election = draft.one_of(0, 0, 0, 1, 1)
    if draft.chance(0.04):
        election = draft.one_of(UNKNOWN_ELECTION, -1)
    asked: list[dict[str, Any]] | None = None
    if draft.chance(0.85):
        names = dict.fromkeys(_partition(draft)[0] for _ in range(draft.random.randint(0, 3)))
        asked = [{"topic": name, "partitions": _indexes(draft, name)} for name in names]
    version = draft.random.randint(0, 2)
    body = {"electionType": election, "topicPartitions": asked, "timeoutMs": 10000}
    return Ask("ElectLeaders", version, body if version else body | {"electionType": 0})


def _indexes(draft: Draft, name: str) -> list[int]:
    count = draft.topics.get(name, 1)
    indexes = draft.random.sample(range(count), draft.random.randint(1, count))
    return [*indexes, 9] if draft.chance(0.05) else indexes


def _partition(draft: Draft) -> tuple[str, int]:
    return draft.standing_partition() or draft.partition()


def alter_reassignments(draft: Draft) -> Ask:
    body: dict[str, Any] = {
        "timeoutMs": 10000,
        "topics": [_reassigned(draft) for _ in range(draft.one_of(1, 1, 1, 1, 2, 0))],
    }
    version = draft.one_of(0, 1) if draft.release.version != "3.9.1" else 0
    if version and draft.chance(0.4):
        body["allowReplicationFactorChange"] = False
    return Ask("AlterPartitionReassignments", version, body)


def reassign(version: int, name: str, replicas: list[int]) -> Ask:
    """Reassign partition 0 of a topic."""
    partition = {"partitionIndex": 0, "replicas": replicas}
    topic = {"name": name, "partitions": [partition]}
    return Ask("AlterPartitionReassignments", version, {"timeoutMs": 10000, "topics": [topic]})


def _reassigned(draft: Draft) -> dict[str, Any]:
    name, index = _partition(draft)
    draft.reassigned.add(name)
    indexes = [index] if draft.chance(0.85) else _indexes(draft, name)
    return {
        "name": name,
        "partitions": [
            {"partitionIndex": index, "replicas": _new_replicas(draft)} for index in indexes
        ],
    }


def _new_replicas(draft: Draft) -> list[int] | None:
    if draft.chance(0.25):
        return None
    return _replicas(draft, draft.random.randint(1, 3))


def list_reassignments(draft: Draft) -> Ask:
    topics: list[dict[str, Any]] | None = None
    if draft.chance(0.5):
        names = [_partition(draft)[0] for _ in range(draft.random.randint(0, 2))]
        topics = [{"name": name, "partitionIndexes": _indexes(draft, name)} for name in names]
    return Ask("ListPartitionReassignments", 0, {"timeoutMs": 10000, "topics": topics})


def allocate_producer_ids(draft: Draft) -> Ask:
    broker_id = draft.broker_id()
    body = {"brokerId": broker_id, "brokerEpoch": draft.broker_epoch(broker_id)}
    return Ask("AllocateProducerIds", 0, body)


def assign_directories(draft: Draft) -> Ask:
    broker_id = draft.broker_id()
    body = {
        "brokerId": broker_id,
        "brokerEpoch": draft.broker_epoch(broker_id),
        "directories": [_directory(draft, broker_id) for _ in range(draft.one_of(1, 1, 1, 2, 0))],
    }
    return Ask("AssignReplicasToDirs", 0, body)


def _directory(draft: Draft, broker_id: int) -> dict[str, Any]:
    directory = draft.directory(broker_id, draft.one_of(0, 0, 1, 2))
    if draft.chance(0.15):
        directory = draft.one_of(*RESERVED_DIRECTORIES)
    names = dict.fromkeys(_partition(draft)[0] for _ in range(draft.random.randint(1, 2)))
    topics = [
        {
            "topicId": {"$topic": name if not draft.chance(0.04) else "no such topic"},
            "partitions": [{"partitionIndex": index} for index in _indexes(draft, name)],
        }
        for name in names
    ]
    return {"id": directory, "topics": topics}
