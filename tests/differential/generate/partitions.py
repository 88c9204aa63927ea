"""AlterPartition: what leaders propose."""

from typing import Any

from tests.differential.generate.draft import Draft
from tests.differential.sequence import Ask


def alter(draft: Draft) -> Ask:
    if draft.chance(0.003) and not draft.is_side_by_side:  # a released controller resigns
        return alter_recovery_state(draft, draft.topic_name(), draft.one_of(2, -1))
    version = 2 if draft.chance(0.25) else 3
    count = 1 if draft.chance(0.8) else draft.one_of(*[2, 3] * 10, 0)
    partitions = [_chosen(draft) for _ in range(max(1, count))]
    name, index = partitions[0]
    body = {
        "brokerId": {"$leader": [name, index]},
        "brokerEpoch": {"$epoch_of_leader": [name, index]},
        "topics": [_topic(draft, *partition, version) for partition in partitions[:count]],
    }
    if draft.chance(0.07):
        broker_id = draft.broker_id()
        body |= {"brokerId": broker_id, "brokerEpoch": draft.broker_epoch(broker_id)}
    return Ask("AlterPartition", version, body)


def _chosen(draft: Draft) -> tuple[str, int]:
    return draft.standing_partition() or draft.partition()


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
    plus = 0 if draft.chance(0.95) else draft.one_of(1, -1)
    partition: dict[str, Any] = {
        "partitionIndex": index if not draft.chance(0.03) else 9,
        "leaderEpoch": {"$leader_epoch": [name, index, _off(draft)]},
        "leaderRecoveryState": int(draft.chance(0.04)),
        "partitionEpoch": {"$partition_epoch": [name, index, _off(draft)]},
    }
    is_odd = name not in draft.standing or draft.chance(0.1)
    isr, arguments = _odd_isr(draft) if is_odd else _sensible_isr(draft)
    if version >= 3:
        partition["newIsrWithEpochs"] = {f"{isr}_with_epochs": [name, index, *arguments, plus]}
    else:
        partition["newIsr"] = {isr: [name, index, *arguments]}
    return partition


def _odd_isr(draft: Draft) -> tuple[str, list[list[int]]]:
    """Any brokers added and removed, replicas or not, the leader among them."""
    return "$isr", [draft.broker_ids(draft.one_of(0, 1, 1, 2)) for _ in range(2)]


def _sensible_isr(draft: Draft) -> tuple[str, list[list[int]]]:
    """Followers leave or join."""
    return "$toggled_isr", [draft.one_of([0], [0], [1], [0, 1])]


def _off(draft: Draft) -> int:
    return 0 if draft.chance(0.97) else draft.one_of(1, -1)
