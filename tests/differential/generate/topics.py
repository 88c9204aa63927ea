"""Creations and deletions of topics."""

from typing import Any

from tests.differential.generate.draft import TOPIC_NAMES, Draft
from tests.differential.generate.topic_configs import draw_configs
from tests.differential.sequence import Ask

_ODD_NAMES = ("", ".", "..", "a b", "x" * 249, "x" * 250, "é", "__cluster_metadata", "t/1", "T1")


def create(draft: Draft) -> Ask:
    count = 1 if draft.chance(0.75) else draft.random.randint(0, 3)
    topics = [_topic(draft) for _ in range(count)]
    body = {"topics": topics, "timeoutMs": 10000, "validateOnly": draft.chance(0.12)}
    version = draft.random.randint(2, 6) if draft.chance(0.3) else 7
    return Ask("CreateTopics", version, body)


def create_too_many(draft: Draft) -> Ask:
    """At the bound of 10,000 partitions of one request, or just beyond it, and only validated:
    `big.py` creates such topics."""
    counts = draft.one_of((10_001,), (5_000, 5_001), (4_000, 3_000, 3_001), (9_999, 1))
    topics = [_counted_topic(f"{draft.prefix}m{n}", count) for n, count in enumerate(counts)]
    return Ask("CreateTopics", 7, {"topics": topics, "timeoutMs": 10000, "validateOnly": True})


def _counted_topic(name: str, count: int) -> dict[str, Any]:
    topic: dict[str, Any] = {"name": name, "numPartitions": count, "replicationFactor": 1}
    return topic | {"assignments": [], "configs": []}


def create_plainly(
    draft: Draft, name: str, replica_lists: list[list[int]], configs: dict[str, str] | None = None
) -> Ask:
    """A topic that both sides place alike, because the request places it."""
    draft.topics[name] = len(replica_lists)
    draft.standing[name] = replica_lists
    given = [{"name": name, "value": value} for name, value in (configs or {}).items()]
    topic = {"name": name, "assignments": _assignments(replica_lists), "configs": given}
    topic |= {"numPartitions": -1, "replicationFactor": -1}
    return Ask("CreateTopics", 7, {"topics": [topic], "timeoutMs": 10000, "validateOnly": False})


def create_first(draft: Draft, broker_ids: list[int]) -> list[Ask]:
    """One or two topics, mostly of several replicas, so that their ISRs can shrink and grow."""
    names = draft.random.sample(TOPIC_NAMES[2:], draft.random.randint(1, 2))
    return [create_sensibly(draft, name, broker_ids) for name in names]


def create_sensibly(draft: Draft, name: str, broker_ids: list[int]) -> Ask:
    factor = min(draft.one_of(1, *[2] * 5, *[3] * 6), len(broker_ids))
    count = draft.random.randint(1, 3)
    lists = [draft.random.sample(broker_ids, factor) for _ in range(count)]
    return create_plainly(draft, draft.prefix + name, lists, _election_configs(draft))


def _election_configs(draft: Draft) -> dict[str, str]:
    """Configurations on which elections and the ELR depend."""
    configs = {}
    if draft.chance(0.45):
        configs["min.insync.replicas"] = draft.one_of("2", "2", "2", "3", "4")
    if draft.chance(0.3):
        configs["unclean.leader.election.enable"] = "true"
    return configs


def replica_lists(draft: Draft) -> list[list[int]]:
    factor = draft.random.randint(1, min(3, draft.brokers))
    return [draft.broker_ids(factor) for _ in range(draft.random.randint(1, 3))]


def _topic(draft: Draft) -> dict[str, Any]:
    name = draft.prefix + draft.one_of(*TOPIC_NAMES)
    if draft.chance(0.1) and not draft.is_side_by_side:
        name = draft.one_of(*_ODD_NAMES)
    counts = (-1, -1)
    lists: list[list[int]] = []
    if draft.chance(0.7) or draft.is_side_by_side:  # Kafka would place it on any sequence's brokers
        lists = _odd_lists(draft) if draft.chance(0.15) else replica_lists(draft)
        counts = (-1, -1) if not draft.chance(0.05) else draft.one_of((1, -1), (-1, 1), (1, 1))
    else:
        counts = _counts(draft)
    assignments = _assignments(lists)
    if assignments and draft.chance(0.06):
        assignments[-1]["partitionIndex"] = draft.one_of(0, 7, -1)
    draft.topics.setdefault(name, max(1, len(lists), counts[0]))
    return {
        "name": name,
        "numPartitions": counts[0],
        "replicationFactor": counts[1],
        "assignments": assignments,
        "configs": draw_configs(draft) if draft.chance(0.25) else [],
    }


def _counts(draft: Draft) -> tuple[int, int]:
    if draft.chance(0.15):
        return draft.one_of((0, 1), (-2, 1), (1, 0), (1, -2), (1, 32767), (2, 5), (0, 0))
    return draft.one_of(-1, 1, 2, 3), draft.one_of(-1, 1, 2, 3, 4)


def _odd_lists(draft: Draft) -> list[list[int]]:
    first, two, three, *_ = [*draft.broker_ids(3), draft.first_id, draft.first_id]
    unknown = draft.first_id + draft.brokers + 4
    lists: list[list[int]] = draft.one_of(
        [[]],
        [[first, first]],
        [[first, unknown]],
        [[first, two], [three]],
        [[first], []],
        [[two, first, two]],
        [[-1]],
        [[unknown]],
    )
    return lists


def _assignments(lists: list[list[int]]) -> list[dict[str, Any]]:
    return [
        {"partitionIndex": index, "brokerIds": broker_ids} for index, broker_ids in enumerate(lists)
    ]


def delete(draft: Draft) -> Ask:
    draft.has_deleted = True
    count = 1 if draft.chance(0.6) else draft.random.randint(0, 4)
    if draft.chance(0.3):
        names = [_deleted_name(draft) for _ in range(count)]
        version = draft.random.randint(1, 5)
        return Ask("DeleteTopics", version, {"topicNames": names, "timeoutMs": 10000})
    topics = [_deletion(draft) for _ in range(count)]
    return Ask("DeleteTopics", 6, {"topics": topics, "timeoutMs": 10000})


def _deleted_name(draft: Draft) -> str:
    name = draft.topic_name()
    draft.standing.pop(name, None)
    return name


def _deletion(draft: Draft) -> dict[str, Any]:
    name = _deleted_name(draft)
    none = "AAAAAAAAAAAAAAAAAAAAAA"
    if draft.chance(0.45):
        return {"name": name, "topicId": none}
    if draft.chance(0.8):
        return {"name": None, "topicId": {"$topic": name}}
    return draft.one_of(
        {"name": None, "topicId": none},
        {"name": name, "topicId": {"$topic": name}},
        {"name": name, "topicId": {"$topic": draft.topic_name()}},
        {"name": None, "topicId": {"$topic": "no such topic"}},
        {"name": "", "topicId": none},
    )
