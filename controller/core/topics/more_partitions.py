"""CreatePartitions: topics get more partitions (rule 4.59).

Each topic of a request succeeds or fails separately. All new partitions are written in one batch.
"""

from collections import Counter

from ..errors import ApiError, ErrorCode
from ..hash_order import in_hash_order
from ..image.partition import Topic
from ..log.records import Record
from ..partitions.broker_changes import replica_count
from ..partitions.manual import bad_assignment, check_any_active, check_manual_replicas
from ..rpc import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)
from ..state import Decision, State
from .creation import DUPLICATE_NAME, NONE_ACTIVE, Survey, partition_record

ReplicaLists = list[tuple[int, ...]]
PLACED_MAX = 19_999
"""New partitions of one request whose replicas are placed.

Kafka 4.3.1 adds 10,001 of them to a topic and answers UNKNOWN_SERVER_ERROR to 20,000.
"""


def create_partitions(state: State, request: CreatePartitionsRequest, now_ms: int) -> Decision:
    """Decide a CreatePartitions request.

    Names that are given twice are refused first, and both groups are in a HashSet's order. Raises
    UNKNOWN_SERVER_ERROR for more than PLACED_MAX partitions, before any of them is placed.
    """
    if sum(_placed_count(state, topic) for topic in request.topics) > PLACED_MAX:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
    counts = Counter(topic.name for topic in request.topics)
    topics = {topic.name: topic for topic in request.topics}
    names = in_hash_order(counts)
    results = [_refused(name, DUPLICATE_NAME) for name in names if counts[name] > 1]
    records: list[Record] = []
    allowance = state.mutations.allowance(state.image, request, now_ms)
    survey = Survey(state, allowance)
    for name in names:
        if counts[name] == 1:
            result, created = _grow(survey, topics[name])
            results.append(result)
            records += created
    return Decision(
        records=() if request.validate_only else tuple(records),
        reply=CreatePartitionsResponse(
            throttle_time_ms=allowance.throttle_ms, results=tuple(results)
        ),
        note=allowance.note(now_ms),
        is_atomic=True,
    )


def _placed_count(state: State, request: CreatePartitionsTopic) -> int:
    """Returns how many new partitions the request asks to place."""
    topic_id = state.image.topic_ids.get(request.name)
    if topic_id is None or request.assignments is not None:
        return 0
    return max(0, request.count - len(state.image.topics[topic_id].partitions))


def _refused(name: str, error: ApiError) -> CreatePartitionsTopicResult:
    message = error.message or None
    return CreatePartitionsTopicResult(name=name, error_code=error.code, error_message=message)


def _grow(
    survey: Survey, request: CreatePartitionsTopic
) -> tuple[CreatePartitionsTopicResult, list[Record]]:
    try:
        topic = _known(survey.state, request)
        replica_lists = _replica_lists(survey, topic, request)
    except ApiError as error:
        return _refused(request.name, error), []
    first = len(topic.partitions)
    records: list[Record] = [
        partition_record(survey, topic.topic_id, partition_id, replicas)
        for partition_id, replicas in enumerate(replica_lists, first)
    ]
    return CreatePartitionsTopicResult(name=request.name), records


def _known(state: State, request: CreatePartitionsTopic) -> Topic:
    """Returns the topic; raises INVALID_PARTITIONS unless the request asks for more partitions."""
    topic_id = state.image.topic_ids.get(request.name)
    if topic_id is None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "")
    topic = state.image.topics[topic_id]
    present = len(topic.partitions)
    if request.count == present:
        raise _no_increase(f"Topic already has {present} partition(s).")
    if request.count < present:
        raise _no_increase(
            f"The topic {request.name} currently has {present} partition(s); {request.count} "
            "would not be an increase."
        )
    return topic


def _no_increase(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_PARTITIONS, message)


def _replica_lists(survey: Survey, topic: Topic, request: CreatePartitionsTopic) -> ReplicaLists:
    factor = replica_count(topic)
    additional = request.count - len(topic.partitions)
    if request.assignments is not None and len(request.assignments) != additional:
        raise bad_assignment(
            f"Attempted to add {additional} additional partition(s), but only "
            f"{len(request.assignments)} assignment(s) were specified."
        )
    survey.allowance.take(additional)
    if request.assignments is None:
        return _placed(survey, additional, factor)
    replica_lists = [assignment.broker_ids for assignment in request.assignments]
    for partition_id, replicas in enumerate(replica_lists, len(topic.partitions)):
        check_manual_replicas(survey.state, replicas, factor)
        check_any_active(survey.state, replicas, partition_id)
    return replica_lists


def _placed(survey: Survey, count: int, factor: int) -> ReplicaLists:
    """Places the replicas; Kafka's refusals have no prefix here (rule 4.59)."""
    placed = survey.placer().place(partitions=count, replication_factor=factor)
    if not all(any(map(survey.is_active, replicas)) for replicas in placed):
        prefix = f"Unable to replicate the partition {factor} time(s): "
        raise ApiError(ErrorCode.INVALID_REPLICATION_FACTOR, prefix + NONE_ACTIVE)
    return placed
