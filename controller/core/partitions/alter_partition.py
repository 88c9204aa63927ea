"""AlterPartition: the leader of a partition proposes its in-sync replicas (rules 4.34 to 4.36).

Checks run in Kafka's order, separately for each partition; the first failed check decides its
error. A refused partition does not affect the others.
"""

from .. import rpc
from ..errors import ErrorCode
from ..image.partition import Partition, changed
from ..log.records import NO_LEADER_CHANGE, RECOVERED, RECOVERING, PartitionChangeRecord, Record
from ..state import Decision, State, check_broker_epoch
from ..uuid import Uuid
from . import broker_changes
from .change import build

Answer = tuple[rpc.AlterPartitionResult, PartitionChangeRecord | None]


def alter_partition(state: State, request: rpc.AlterPartitionRequest, now_ms: int) -> Decision:
    """Decide an AlterPartition request.

    Raises STALE_BROKER_EPOCH (77) if the broker's epoch is not current, unless the request is
    empty.
    """
    if not request.topics:
        return Decision(reply=rpc.AlterPartitionResponse())
    check_broker_epoch(state, request.broker_id, request.broker_epoch)
    records: list[Record] = []
    topics = []
    for topic in request.topics:
        answers = [_answer(state, request.broker_id, topic, data) for data in topic.partitions]
        records += [record for _, record in answers if record is not None]
        results = tuple(result for result, _ in answers)
        topics.append(rpc.AlterPartitionTopicResult(topic_id=topic.topic_id, partitions=results))
    return Decision(records=tuple(records), reply=rpc.AlterPartitionResponse(topics=tuple(topics)))


def _answer(
    state: State, broker_id: int, topic: rpc.AlterPartitionTopic, data: rpc.AlterPartitionData
) -> Answer:
    known = state.image.topics.get(topic.topic_id)
    if known is None:
        return _refused(data, ErrorCode.UNKNOWN_TOPIC_ID), None
    partition = known.partitions.get(data.partition_index)
    if partition is None:
        return _refused(data, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION), None
    error = _error(state, broker_id, partition, data)
    if error is not ErrorCode.NONE:
        return _refused(data, error), None
    return _altered(state, broker_id, topic.topic_id, partition, data)


def _refused(data: rpc.AlterPartitionData, error: ErrorCode) -> rpc.AlterPartitionResult:
    return rpc.AlterPartitionResult(partition_index=data.partition_index, error_code=error)


def _error(
    state: State, broker_id: int, partition: Partition, data: rpc.AlterPartitionData
) -> ErrorCode:
    """Returns the error of the first failed check, in the order of rule 4.34."""
    isr = [member.broker_id for member in _proposed(data)]
    recovery = data.leader_recovery_state
    checks = (
        (data.leader_epoch > partition.leader_epoch, ErrorCode.NOT_CONTROLLER),
        (data.partition_epoch > partition.partition_epoch, ErrorCode.NOT_CONTROLLER),
        (data.leader_epoch < partition.leader_epoch, ErrorCode.FENCED_LEADER_EPOCH),
        (broker_id != partition.leader, ErrorCode.INVALID_REQUEST),
        (data.partition_epoch < partition.partition_epoch, ErrorCode.INVALID_UPDATE_VERSION),
        (not _is_subset(isr, partition.replicas), ErrorCode.INVALID_REQUEST),
        (partition.leader not in isr, ErrorCode.INVALID_REQUEST),
        (recovery not in (RECOVERED, RECOVERING), ErrorCode.INVALID_REQUEST),
        (recovery == RECOVERING and len(isr) > 1, ErrorCode.INVALID_REQUEST),
        (
            partition.leader_recovery_state == RECOVERED and recovery == RECOVERING,
            ErrorCode.INVALID_REQUEST,
        ),
        (not _all_eligible(state, data), ErrorCode.INELIGIBLE_REPLICA),
    )
    return next((error for failed, error in checks if failed), ErrorCode.NONE)


def _proposed(data: rpc.AlterPartitionData) -> tuple[rpc.AlterPartitionBrokerState, ...]:
    """Returns the proposed ISR as pairs of id and broker epoch.

    Version 2 of the request has ids only; the epoch is then -1 ("do not check").
    """
    if data.new_isr_with_epochs:
        return data.new_isr_with_epochs
    return tuple(rpc.AlterPartitionBrokerState(broker_id=member) for member in data.new_isr)


def _is_subset(isr: list[int], replicas: tuple[int, ...]) -> bool:
    return bool(isr) and len(set(isr)) == len(isr) and set(isr) <= set(replicas)


def _all_eligible(state: State, data: rpc.AlterPartitionData) -> bool:
    return all(
        state.image.is_active(member.broker_id)
        and member.broker_epoch in (-1, state.image.brokers[member.broker_id].broker_epoch)
        for member in _proposed(data)
    )


def _altered(
    state: State, broker_id: int, topic_id: Uuid, partition: Partition, data: rpc.AlterPartitionData
) -> Answer:
    key = (topic_id, data.partition_index)
    record = build(
        key,
        partition,
        broker_changes.rules_of(state, state.image.topics[topic_id]),
        target_isr=tuple(member.broker_id for member in _proposed(data)),
        acceptable=broker_changes.acceptor(state, partition, state.image.is_active),
        target_recovery_state=data.leader_recovery_state,
    )
    merged = partition if record is None else changed(partition, record)
    if record is not None and record.leader not in (broker_id, NO_LEADER_CHANGE):
        return _refused(data, ErrorCode.NEW_LEADER_ELECTED), record  # the record is still written
    result = rpc.AlterPartitionResult(
        partition_index=data.partition_index,
        leader_id=merged.leader,
        leader_epoch=merged.leader_epoch,
        isr=merged.isr,
        leader_recovery_state=merged.leader_recovery_state,
        partition_epoch=merged.partition_epoch,
    )
    return result, record
