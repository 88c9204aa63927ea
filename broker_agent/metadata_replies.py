"""Metadata (3): the brokers and topics of the image that one simulated broker has fetched.

Clients connect to brokers only (Metadata is not a controller API). A lagging broker returns stale
metadata (rule 5.45).
"""

from collections.abc import Iterable, Iterator

from kraftsim.controller.core import rpc
from kraftsim.controller.core.cluster.describe_cluster import ALL_CLUSTER_OPERATIONS
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition, Topic
from kraftsim.controller.core.rpc.cluster import OPERATIONS_ABSENT
from kraftsim.controller.core.topic_name import INTERNAL_TOPICS, flaw
from kraftsim.controller.core.uuid import LOST_DIRECTORY, ZERO_UUID

ALL_TOPIC_OPERATIONS = 3576  # with no authorizer: bits 3 to 8, 10 and 11


def metadata(
    image: Image,
    request: rpc.MetadataRequest,
    topics: Iterable[rpc.MetadataTopic],
    *,
    cluster_id: str,
    listener: str,
    controller_id: int,
) -> rpc.MetadataResponse:
    """Answer a Metadata request from the fetched image (rules 5.40 to 5.44).

    `topics` are those of `described_topics`, `controller_id` that of any live broker.
    """
    brokers = tuple(
        rpc.MetadataBroker(
            node_id=broker.broker_id,
            host=endpoint.host,
            port=endpoint.port,
            rack=broker.rack,
            start_time_ms=broker.start_time_ms,
        )
        for broker in image.brokers.values()
        if not broker.fenced and (endpoint := broker.listener(listener)) is not None
    )
    wants_operations = request.include_cluster_authorized_operations
    return rpc.MetadataResponse(
        brokers=brokers,
        cluster_id=cluster_id,
        controller_id=controller_id,
        topics=tuple(topics),
        cluster_authorized_operations=(
            ALL_CLUSTER_OPERATIONS if wants_operations else OPERATIONS_ABSENT
        ),
    )


def described_topics(
    image: Image, request: rpc.MetadataRequest, listener: str
) -> Iterator[rpc.MetadataTopic]:
    """Yields the topics that a Metadata request names, or every topic in order of name.

    Each topic is described once. Topics without an id are ignored beside one with an id (rule
    5.44a). Raises UNKNOWN_SERVER_ERROR for a topic without a name and without an id.
    """
    operations = (
        ALL_TOPIC_OPERATIONS if request.include_topic_authorized_operations else OPERATIONS_ABSENT
    )
    if request.topics is None:
        for _, topic_id in sorted(image.topic_ids.items()):
            yield _known(image, image.topics[topic_id], listener, operations)
        return
    by_id = {topic.topic_id: topic for topic in request.topics if topic.topic_id != ZERO_UUID}
    for requested in by_id.values() or dict.fromkeys(request.topics):
        topic = _topic_of(image, requested)
        yield (
            _unknown(requested, operations)
            if topic is None
            else _known(image, topic, listener, operations)
        )


def _topic_of(image: Image, requested: rpc.MetadataRequestTopic) -> Topic | None:
    """Returns the requested topic, None if it does not exist.

    A request in version 12 may have the topic's id instead of its name.
    """
    if requested.topic_id != ZERO_UUID:
        return image.topics.get(requested.topic_id)
    if requested.name is None:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
    topic_id = image.topic_ids.get(requested.name)
    return None if topic_id is None else image.topics[topic_id]


def unknown_name(name: str) -> ErrorCode:
    """Returns UNKNOWN_TOPIC_OR_PARTITION for a valid name, else INVALID_TOPIC_EXCEPTION (5.44b)."""
    if flaw(name) is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ErrorCode.INVALID_TOPIC_EXCEPTION


def _unknown(requested: rpc.MetadataRequestTopic, operations: int) -> rpc.MetadataTopic:
    name = requested.name if requested.topic_id == ZERO_UUID else None
    return rpc.MetadataTopic(
        error_code=ErrorCode.UNKNOWN_TOPIC_ID if name is None else unknown_name(name),
        name=name,
        topic_id=requested.topic_id,
        is_internal=name in INTERNAL_TOPICS,
        topic_authorized_operations=OPERATIONS_ABSENT if name is None else operations,
    )


def _known(image: Image, topic: Topic, listener: str, operations: int) -> rpc.MetadataTopic:
    return rpc.MetadataTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.name in INTERNAL_TOPICS,
        partitions=tuple(
            _partition(image, index, partition, listener)
            for index, partition in sorted(topic.partitions.items())
        ),
        topic_authorized_operations=operations,
    )


def _partition(
    image: Image, index: int, partition: Partition, listener: str
) -> rpc.MetadataPartition:
    error = _leader_error(image, partition.leader, listener)
    return rpc.MetadataPartition(
        error_code=error,
        partition_index=index,
        leader_id=-1 if error else partition.leader,
        leader_epoch=partition.leader_epoch,
        replica_nodes=partition.replicas,
        isr_nodes=partition.isr,
        offline_replicas=tuple(
            replica
            for replica in partition.replicas
            if is_offline(image, partition, replica, listener)
        ),
    )


def _leader_error(image: Image, leader: int, listener: str) -> ErrorCode:
    """Returns the error of a partition whose leader a client cannot reach; otherwise NONE.

    A registered leader is listed even while it is fenced (rule 5.41).
    """
    broker = image.brokers.get(leader)
    if broker is None:
        return ErrorCode.LEADER_NOT_AVAILABLE
    return ErrorCode.NONE if broker.listener(listener) else ErrorCode.LISTENER_NOT_FOUND


def is_offline(image: Image, partition: Partition, replica: int, listener: str) -> bool:
    """True if a client cannot reach the replica (rule 5.42).

    Its broker is unregistered, fenced or without the listener, or its directory is lost.
    """
    broker = image.brokers.get(replica)
    if broker is None or broker.fenced or broker.listener(listener) is None:
        return True
    return partition.directory_of(replica) == LOST_DIRECTORY
