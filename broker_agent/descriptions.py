"""DescribeTopicPartitions and DescribeLogDirs, from the metadata that a broker has fetched."""

from collections.abc import Container, Iterable, Mapping, Sequence

from kraftsim.broker_agent.metadata_replies import ALL_TOPIC_OPERATIONS, is_offline, unknown_name
from kraftsim.broker_agent.replica_store import FutureReplica, StoredReplica
from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition, Topic
from kraftsim.controller.core.log.records import NO_LEADER
from kraftsim.controller.core.topic_name import INTERNAL_TOPICS
from kraftsim.controller.core.uuid import Uuid

from .directories.log_directories import LogDirectory

PARTITIONS_MAX = 2000  # of a response: the default of max.request.partition.size.limit


def describe_topic_partitions(
    image: Image,
    request: rpc.DescribeTopicPartitionsRequest,
    listener: str,
    partitions_max: int = PARTITIONS_MAX,
) -> rpc.DescribeTopicPartitionsResponse:
    """Returns a page of topics in the order of their names, from the request's cursor on.

    A page has at most `partitions_max` partitions, and at least one (rule 5.44c). Raises ApiError
    as `_check` does.
    """
    _check(request)
    cursor = request.cursor
    names = sorted({topic.name for topic in request.topics} or image.topic_ids)
    left = max(1, min(partitions_max, request.response_partition_limit))
    described: list[rpc.DescribedTopic] = []
    for name in names:
        if cursor is not None and name < cursor.topic_name:
            continue
        start = cursor.partition_index if cursor is not None and name == cursor.topic_name else 0
        if left <= 0:
            return _page(described, rpc.TopicCursor(topic_name=name, partition_index=0))
        end = min(start + left, _size(image, name))
        topic = _described(image, name, range(start, end), listener)
        described.append(topic)
        left -= len(topic.partitions)
        if start + len(topic.partitions) < _size(image, name):
            following = start + len(topic.partitions)
            return _page(described, rpc.TopicCursor(topic_name=name, partition_index=following))
    return _page(described, None)


def _check(request: rpc.DescribeTopicPartitionsRequest) -> None:
    """Raises ApiError for an invalid cursor (rule 5.44c) or an empty name (rule 5.44b)."""
    names, cursor = {topic.name for topic in request.topics}, request.cursor
    if cursor is not None and cursor.partition_index < 0:
        text = f"DescribeTopicPartitionsRequest cursor partition must be valid: {cursor}"
        raise ApiError(ErrorCode.INVALID_REQUEST, text)
    if cursor is not None and names and cursor.topic_name not in names:
        raise ApiError(ErrorCode.INVALID_REQUEST, "")  # the response has no text
    if "" in names:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")


def _page(
    topics: Sequence[rpc.DescribedTopic], following: rpc.TopicCursor | None
) -> rpc.DescribeTopicPartitionsResponse:
    return rpc.DescribeTopicPartitionsResponse(topics=tuple(topics), next_cursor=following)


def _topic(image: Image, name: str) -> Topic | None:
    topic_id = image.topic_ids.get(name)
    return None if topic_id is None else image.topics[topic_id]


def _size(image: Image, name: str) -> int:
    topic = _topic(image, name)
    return 0 if topic is None else len(topic.partitions)


def _described(image: Image, name: str, indexes: range, listener: str) -> rpc.DescribedTopic:
    topic = _topic(image, name)
    if topic is None:
        return rpc.DescribedTopic(
            error_code=unknown_name(name),
            name=name,
            topic_authorized_operations=ALL_TOPIC_OPERATIONS,
        )
    return rpc.DescribedTopic(
        name=name,
        topic_id=topic.topic_id,
        is_internal=name in INTERNAL_TOPICS,
        partitions=tuple(
            _partition(image, index, topic.partitions[index], listener)
            for index in indexes
            if index in topic.partitions
        ),
        topic_authorized_operations=ALL_TOPIC_OPERATIONS,
    )


def _partition(
    image: Image, index: int, partition: Partition, listener: str
) -> rpc.DescribedPartition:
    """Returns a partition; unlike Metadata, an unreachable leader is no error (KIP-966)."""
    leader = image.brokers.get(partition.leader)
    is_reachable = leader is not None and leader.listener(listener) is not None
    return rpc.DescribedPartition(
        partition_index=index,
        leader_id=partition.leader if is_reachable else NO_LEADER,
        leader_epoch=partition.leader_epoch,
        replica_nodes=partition.replicas,
        isr_nodes=partition.isr,
        eligible_leader_replicas=partition.elr,
        last_known_elr=partition.last_known_elr,
        offline_replicas=tuple(
            replica
            for replica in partition.replicas
            if is_offline(image, partition, replica, listener)
        ),
    )


def describe_log_dirs(
    stored: Iterable[StoredReplica],
    futures: Iterable[FutureReplica],
    request: rpc.DescribeLogDirsRequest,
    directories: Sequence[LogDirectory],
    cordoned: Container[Uuid],
    failed: Container[Uuid],
    sizes: Mapping[tuple[str, int], int],
) -> rpc.DescribeLogDirsResponse:
    """Returns the broker's log directories with the replicas on its disk, and the future ones.

    `sizes` has the bytes of the replicas, by topic and partition, that have had messages. A replica
    without an assigned directory is in the first. Stray replicas are not listed, as in Kafka.
    `cordoned` has the ids of the cordoned directories, `failed` those of the failed ones, of which
    a broker knows only the path.
    """
    wanted = {row.topic: row.partitions for row in request.topics or ()}
    replicas: dict[Uuid, dict[str, list[rpc.LogDirPartition]]] = {
        directory.directory_id: {} for directory in directories
    }
    listed = [(replica, _current(replica, sizes)) for replica in stored]
    listed += [(future.replica, _future(future)) for future in futures]
    for replica, row in sorted(listed, key=lambda pair: (pair[0].topic, pair[0].partition)):
        if request.topics is None or replica.partition in wanted.get(replica.topic, ()):
            place = replicas.get(replica.directory or b"", replicas[directories[0].directory_id])
            place.setdefault(replica.topic, []).append(row)
    return rpc.DescribeLogDirsResponse(
        results=tuple(
            rpc.LogDir(log_dir=described.path, error_code=ErrorCode.KAFKA_STORAGE_ERROR)
            if described.directory_id in failed
            else rpc.LogDir(
                log_dir=described.path,
                topics=tuple(
                    rpc.LogDirTopicReplicas(name=name, partitions=tuple(partitions))
                    for name, partitions in replicas[described.directory_id].items()
                ),
                is_cordoned=described.directory_id in cordoned,
            )
            for described in directories
        )
    )


def _current(replica: StoredReplica, sizes: Mapping[tuple[str, int], int]) -> rpc.LogDirPartition:
    """Returns a replica without a lag: it is against its own high watermark (B7.41)."""
    size = sizes.get((replica.topic, replica.partition), 0)
    return rpc.LogDirPartition(partition_index=replica.partition, partition_size=size)


def _future(future: FutureReplica) -> rpc.LogDirPartition:
    return rpc.LogDirPartition(
        partition_index=future.replica.partition,
        partition_size=future.size_bytes,
        offset_lag=future.offset_lag,
        is_future_key=True,
    )
