"""CreatePartitions: topics get more partitions (rule 4.59).

Each topic of a request succeeds or fails separately. Many topics are decided in slices; all new
partitions are written in one batch.
"""

from collections import Counter

from .. import rpc, slices
from ..errors import ApiError, ErrorCode, expect_time
from ..hash_order import in_hash_order
from ..image.partition import Topic
from ..log.records import Record
from ..partitions.broker_changes import replica_count
from ..partitions.manual import bad_assignment, check_any_active, check_manual_replicas
from ..state import RECORDS_PER_OPERATION_MAX, Decision, State
from .creation import DUPLICATE_NAME, NONE_ACTIVE, TOPICS_PER_SLICE, Survey, partition_record

ReplicaLists = list[tuple[int, ...]]
_TOO_MANY = "Excessively large number of additional partitions per request."


def create_partitions(state: State, request: rpc.CreatePartitionsRequest, now_ms: int) -> Decision:
    """Decide a CreatePartitions request.

    Names that are given twice are refused first, and both groups are in a HashSet's order.
    """
    if 1 in Counter(topic.name for topic in request.topics).values():
        expect_time(request.timeout_ms)
    if state.profile.bounds_added_partitions:
        _check_added(state, request)
    return slices.begin(_Growth(state, request, now_ms))


class _Growth(slices.Sliced):
    """The topics of one request that are decided so far."""

    def __init__(self, state: State, request: rpc.CreatePartitionsRequest, now_ms: int) -> None:
        super().__init__()
        self._request = request
        self._now_ms = now_ms
        counts = Counter(topic.name for topic in request.topics)
        names = in_hash_order(counts)
        self._topics = {topic.name: topic for topic in request.topics}
        self._pending = [name for name in names if counts[name] == 1]
        self._pending.reverse()
        self._results = [_refused(name, DUPLICATE_NAME) for name in names if counts[name] > 1]
        self._allowance = state.mutations.allowance(state.image, request, now_ms)
        self._survey = Survey(state, self._allowance)

    def advance(self) -> bool:
        """Decides the next topics."""
        records_max = len(self.records) + slices.RECORDS_PER_SLICE
        for _ in range(min(TOPICS_PER_SLICE, len(self._pending))):
            capacity = RECORDS_PER_OPERATION_MAX - len(self.records)
            topic = self._topics[self._pending.pop()]
            result, created = _grow(self._survey, topic, capacity)
            self._results.append(result)
            self.records += created
            if len(self.records) >= records_max:
                break
        return not self._pending

    def decision(self) -> Decision:
        """Returns the decision on all topics."""
        return Decision(
            records=() if self._request.validate_only else tuple(self.records),
            reply=rpc.CreatePartitionsResponse(
                throttle_time_ms=self._allowance.throttle_ms, results=tuple(self._results)
            ),
            is_atomic=True,
            mutation=self._allowance.note(self._now_ms),
        )


def _check_added(state: State, request: rpc.CreatePartitionsRequest) -> None:
    """Raises POLICY_VIOLATION for more new partitions than the records of an operation.

    The topics that are named once are counted, whether the rest of their request is valid or not.
    """
    counts = Counter(topic.name for topic in request.topics)
    added = 0
    for topic in request.topics:
        topic_id = state.image.topic_ids.get(topic.name)
        if topic_id is not None and counts[topic.name] == 1:
            added += max(0, topic.count - len(state.image.topics[topic_id].partitions))
    if added > RECORDS_PER_OPERATION_MAX:
        raise ApiError(ErrorCode.POLICY_VIOLATION, _TOO_MANY)


def _refused(name: str, error: ApiError) -> rpc.CreatePartitionsTopicResult:
    message = error.message or None
    return rpc.CreatePartitionsTopicResult(name=name, error_code=error.code, error_message=message)


def _grow(
    survey: Survey, request: rpc.CreatePartitionsTopic, capacity: int
) -> tuple[rpc.CreatePartitionsTopicResult, list[Record]]:
    """Returns the result of a topic and its records, at most `capacity` of them.

    Before 4.4 Kafka answers -1 to a topic that exceeds it, and writes what fits (4.3.1).
    """
    try:
        topic = _known(survey.state, request)
        replica_lists = _replica_lists(survey, topic, request, capacity)
    except ApiError as error:
        return _refused(request.name, error), []
    first = len(topic.partitions)
    records: list[Record] = [
        partition_record(survey, topic.topic_id, partition_id, replicas)
        for partition_id, replicas in enumerate(replica_lists[:capacity], first)
    ]
    if request.count - first > capacity:
        return _refused(request.name, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")), records
    return rpc.CreatePartitionsTopicResult(name=request.name), records


def _known(state: State, request: rpc.CreatePartitionsTopic) -> Topic:
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


def _replica_lists(
    survey: Survey, topic: Topic, request: rpc.CreatePartitionsTopic, capacity: int
) -> ReplicaLists:
    """Returns the replicas of the new partitions; it places `capacity` of them at most."""
    factor = replica_count(topic)
    additional = request.count - len(topic.partitions)
    if request.assignments is not None and len(request.assignments) != additional:
        raise bad_assignment(
            f"Attempted to add {additional} additional partition(s), but only "
            f"{len(request.assignments)} assignment(s) were specified."
        )
    survey.allowance.take(additional)
    if request.assignments is None:
        return _placed(survey, min(additional, capacity), factor)
    replica_lists = [assignment.broker_ids for assignment in request.assignments]
    for partition_id, replicas in enumerate(replica_lists, len(topic.partitions)):
        check_manual_replicas(survey.state, replicas, factor)
        check_any_active(survey.state, replicas, partition_id)
    return replica_lists


def _placed(survey: Survey, count: int, factor: int) -> ReplicaLists:
    """Places the replicas.

    Unlike CreateTopics, the placer's own refusals get no prefix; "none active" does (rule 4.59).
    """
    placed = survey.placer().place(partitions=count, replication_factor=factor)
    if any(map(survey.active.isdisjoint, placed)):
        prefix = f"Unable to replicate the partition {factor} time(s): "
        raise ApiError(ErrorCode.INVALID_REPLICATION_FACTOR, prefix + NONE_ACTIVE)
    return placed
