"""AlterPartition: what leaders propose."""

from typing import Any

from tests.differential.generate.draft import Draft
from tests.differential.sequence import Ask


def alter(draft: Draft) -> Ask:
    version = 2 if draft.chance(0.25) else 3
    count = 1 if draft.chance(0.8) else draft.random.randint(0, 3)
    partitions = [draft.partition() for _ in range(count)] or [draft.partition()]
    name, index = partitions[0]
    body = {
        "brokerId": {"$leader": [name, index]},
        "brokerEpoch": {"$epoch_of_leader": [name, index]},
        "topics": [_topic(draft, *partition, version) for partition in partitions[: max(count, 0)]],
    }
    if draft.chance(0.1):
        broker_id = draft.broker_id()
        body |= {"brokerId": broker_id, "brokerEpoch": draft.broker_epoch(broker_id)}
    return Ask("AlterPartition", version, body)


def alter_recovery_state(draft: Draft, name: str, state: int) -> Ask:
    """Propose the ISR as it is, with another leader recovery state."""
    partition = {
        "partitionIndex": 0,
        "leaderEpoch": {"$leader_epoch": [name, 0, 0]},
        "leaderRecoveryState": state,
        "partitionEpoch": {"$partition_epoch": [name, 0, 0]},
        "newIsr": {"$isr": [name, 0, [], []]},
    }
    body = {
        "brokerId": {"$leader": [name, 0]},
        "brokerEpoch": {"$epoch_of_leader": [name, 0]},
        "topics": [{"topicId": {"$topic": name}, "partitions": [partition]}],
    }
    return Ask("AlterPartition", 2, body)


def _topic(draft: Draft, name: str, index: int, version: int) -> dict[str, Any]:
    topic_id: Any = {"$topic": name}
    if draft.chance(0.04):
        topic_id = {"$topic": draft.one_of("no such topic", "")}
    return {"topicId": topic_id, "partitions": [_partition(draft, name, index, version)]}


def _partition(draft: Draft, name: str, index: int, version: int) -> dict[str, Any]:
    added = draft.broker_ids(draft.one_of(0, 1, 1, 2))
    removed = draft.broker_ids(draft.one_of(0, 1, 1, 2))
    plus = 0 if draft.chance(0.9) else draft.one_of(1, -1)
    partition: dict[str, Any] = {
        "partitionIndex": index if not draft.chance(0.03) else 9,
        "leaderEpoch": {"$leader_epoch": [name, index, _off(draft)]},
        "leaderRecoveryState": draft.one_of(2, -1)
        if draft.chance(0.003)
        else int(draft.chance(0.06)),
        "partitionEpoch": {"$partition_epoch": [name, index, _off(draft)]},
    }
    if version >= 3:
        partition["newIsrWithEpochs"] = {"$isr_with_epochs": [name, index, added, removed, plus]}
    else:
        partition["newIsr"] = {"$isr": [name, index, added, removed]}
    return partition


def _off(draft: Draft) -> int:
    return 0 if draft.chance(0.92) else draft.one_of(1, -1)
