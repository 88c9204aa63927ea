"""AssignReplicasToDirs: a broker reports in which directory each replica is (KIP-858)."""

from dataclasses import replace

from .. import feature_levels, rpc
from ..errors import ApiError, ErrorCode
from ..image.broker import BrokerRegistration
from ..image.partition import Partition, PartitionKey, Topic
from ..log.records import PartitionChangeRecord, Record
from ..state import Decision, State, check_broker_epoch
from ..uuid import Uuid
from . import broker_changes
from .change import build
from .target import Election


def assign_directories(
    state: State, request: rpc.AssignReplicasToDirsRequest, now_ms: int
) -> Decision:
    """Decide an AssignReplicasToDirs request.

    A replica in a directory that is offline also leaves the ISR. Raises UNSUPPORTED_VERSION below
    metadata.version 3.7-IV2, and STALE_BROKER_EPOCH unless the epoch is current.
    """
    if state.image.metadata_version < feature_levels.DIRECTORY_ASSIGNMENT_FROM:
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION, "Directory assignment is not supported yet.")
    broker = check_broker_epoch(state, request.broker_id, request.broker_epoch)
    records: list[Record] = []
    offline: list[PartitionKey] = []
    results = tuple(
        _assigned(state, broker, directory, records, offline) for directory in request.directories
    )
    records += broker_changes.leader_and_isr_changes(
        state, sorted(set(offline)), remove=broker.broker_id
    )
    reply = rpc.AssignReplicasToDirsResponse(directories=results)
    return Decision(records=tuple(records), reply=reply)


def _assigned(
    state: State,
    broker: BrokerRegistration,
    directory: rpc.AssignedDirectory,
    records: list[Record],
    offline: list[PartitionKey],
) -> rpc.AssignedDirectoryResult:
    """Returns the results for one directory; adds records, and partitions that are offline."""
    is_online = broker_changes.is_online(broker, directory.id)
    topics = []
    for asked in directory.topics:
        topic = state.image.topics.get(asked.topic_id)
        results = []
        for index in (partition.partition_index for partition in asked.partitions):
            error = _error(topic, index, broker.broker_id)
            results.append(rpc.AssignedPartitionResult(partition_index=index, error_code=error))
            if topic is not None and error is ErrorCode.NONE:
                record = _record(state, topic, index, broker.broker_id, directory.id)
                records += () if record is None else (record,)
                offline += () if is_online else ((topic.topic_id, index),)
        topics.append(rpc.AssignedTopicResult(topic_id=asked.topic_id, partitions=tuple(results)))
    return rpc.AssignedDirectoryResult(id=directory.id, topics=tuple(topics))


def _error(topic: Topic | None, index: int, broker_id: int) -> ErrorCode:
    if topic is None:
        return ErrorCode.UNKNOWN_TOPIC_ID
    partition: Partition | None = topic.partitions.get(index)
    if partition is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    is_replica = broker_id in partition.replicas
    return ErrorCode.NONE if is_replica else ErrorCode.NOT_LEADER_OR_FOLLOWER


def _record(
    state: State, topic: Topic, index: int, broker_id: int, directory: Uuid
) -> PartitionChangeRecord | None:
    """Returns the change of directory, which permits no unclean election.

    4.1 forgets that the partition may have an ELR, and clears it.
    """
    partition = topic.partitions[index]
    rules = broker_changes.rules_of(state, topic)
    keeps_elr = rules.elr_enabled and state.profile.assignment_keeps_elr
    return build(
        (topic.topic_id, index),
        partition,
        replace(rules, election=Election.ONLINE, elr_enabled=keeps_elr),
        target_isr=partition.isr,
        acceptable=broker_changes.acceptor(state, partition, state.image.is_active),
        directories={broker_id: directory},
    )
