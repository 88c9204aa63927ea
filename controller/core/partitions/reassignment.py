"""Reassignments: AlterPartitionReassignments and ListPartitionReassignments (KIP-455, rule 4.36).

A reassignment adds its new replicas, then waits until the ISR has them all, then removes the old
replicas. Each change of the partition, an AlterPartition above all, tests the completion
(`change.py`).
"""

from collections.abc import Sequence
from functools import cache

from .. import rpc, slices
from ..errors import ApiError, ErrorCode, expect_time
from ..image.image import Image
from ..image.partition import Partition, Topic, is_reassigning
from ..log.records import PartitionChangeRecord, Record
from ..state import Decision, State
from . import broker_changes
from .change import build
from .manual import bad_assignment, check_manual_replicas
from .target import Assignment, Election, Ids, Rules


def alter_reassignments(
    state: State, request: rpc.AlterPartitionReassignmentsRequest, now_ms: int
) -> Decision:
    """Decide an AlterPartitionReassignments request, separately for each partition."""
    if not request.topics:
        return Decision(reply=rpc.AlterPartitionReassignmentsResponse(error_message=""))  # as Kafka
    expect_time(request.timeout_ms)
    return slices.begin(_Reassignments(state, request))


class _Reassignments(slices.Sliced):
    """The reassignments of one request that are decided so far."""

    def __init__(self, state: State, request: rpc.AlterPartitionReassignmentsRequest) -> None:
        super().__init__()
        self._state, self._request = state, request
        self._asked = [
            (place, wanted)
            for place, topic in enumerate(request.topics)
            for wanted in topic.partitions
        ]
        self._results: list[list[rpc.ReassignablePartitionResponse]] = [[] for _ in request.topics]
        self._decided = 0

    def advance(self) -> bool:
        """Decides the next partitions."""
        shared = _Shared(self._state, self._request)
        begin, self._decided = self._decided, self._decided + slices.CHANGES_PER_SLICE
        for place, wanted in self._asked[begin : self._decided]:
            name = self._request.topics[place].name
            self._results[place].append(_altered(shared, name, wanted, self.records))
        return self._decided >= len(self._asked)

    def decision(self) -> Decision:
        """Returns the decision on all partitions."""
        request = self._request
        reply = rpc.AlterPartitionReassignmentsResponse(
            allow_replication_factor_change=request.allow_replication_factor_change,
            responses=tuple(
                rpc.ReassignableTopicResponse(name=topic.name, partitions=tuple(results))
                for topic, results in zip(request.topics, self._results, strict=True)
            ),
        )
        return Decision(records=tuple(self.records), reply=reply, is_atomic=True)


class _Shared:
    """What the partitions of one slice share.

    `keeps_factor` forbids another number of replicas (KIP-860). `rules_of` allow a clean election
    only, `rules_of_cancelling` those that the topic allows.
    """

    def __init__(self, state: State, request: rpc.AlterPartitionReassignmentsRequest) -> None:
        self.state = state
        self.keeps_factor = not request.allow_replication_factor_change
        self.rules_of = broker_changes.rules_by_topic(state, Election.ONLINE)
        self.rules_of_cancelling = broker_changes.rules_by_topic(state)
        self.may_lead = cache(state.image.is_active)  # by broker id (rule 4.3)


def _altered(
    shared: _Shared, name: str, wanted: rpc.ReassignablePartition, records: list[Record]
) -> rpc.ReassignablePartitionResponse:
    """Returns the result for one partition; adds the record of its change."""
    index = wanted.partition_index
    try:
        topic, partition = _known(shared.state, name, index)
        if wanted.replicas is None:
            record = _cancelled(shared, topic, index, partition)
        else:
            record = _reassigned(shared, topic, index, partition, wanted.replicas)
    except ApiError as error:
        return rpc.ReassignablePartitionResponse(
            partition_index=index, error_code=error.code, error_message=error.message or None
        )
    if record is not None:
        records.append(record)
    return rpc.ReassignablePartitionResponse(partition_index=index)


def _known(state: State, name: str, index: int) -> tuple[Topic, Partition]:
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    topic_id = state.image.topic_ids.get(name)
    if topic_id is None:
        raise ApiError(unknown, f"Unable to find a topic named {name}.")
    topic = state.image.topics[topic_id]
    if index not in topic.partitions:
        raise ApiError(unknown, f"Unable to find partition {name}:{index}.")
    return topic, topic.partitions[index]


def _reassigned(
    shared: _Shared, topic: Topic, index: int, partition: Partition, wanted: Ids
) -> PartitionChangeRecord | None:
    """Returns the record that begins a reassignment, or completes it at once.

    An empty list of removed or added replicas does not end what an earlier reassignment removes or
    adds, as in Kafka.
    """
    check_manual_replicas(shared.state, wanted)
    if shared.keeps_factor:
        _check_factor(partition, wanted)
    removing = tuple(sorted(set(partition.replicas) - set(wanted)))
    adding = tuple(sorted(set(wanted) - set(partition.replicas)))
    assignment = Assignment(
        replicas=wanted + removing,
        removing=removing or partition.removing_replicas,
        adding=adding or partition.adding_replicas,
    )
    rules = shared.rules_of(topic)
    return _change(shared, topic, index, rules, assignment, partition.isr)


def _check_factor(partition: Partition, wanted: Ids) -> None:
    """Raises INVALID_REPLICATION_FACTOR if the number of replicas would change (KIP-860).

    A partition that one request names twice may add a replica that it does not have.
    """
    replicas = {*partition.replicas, *partition.adding_replicas}
    ends_with = replicas - set(partition.removing_replicas)
    if len(ends_with) != len(wanted):
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"The replication factor is changed from {len(ends_with)} to {len(wanted)}",
        )


def _cancelled(
    shared: _Shared, topic: Topic, index: int, partition: Partition
) -> PartitionChangeRecord | None:
    """Returns the record that takes the added replicas out again.

    If no other replica is in sync, the first of the original replicas becomes the ISR, which
    is an unclean election.
    """
    adding = partition.adding_replicas
    if not is_reassigning(partition):
        raise ApiError(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "")
    replicas = tuple(replica for replica in partition.replicas if replica not in adding)
    isr = tuple(replica for replica in partition.isr if replica not in adding)
    if not replicas and not isr:
        raise bad_assignment("Invalid replica assignment: addingReplicas contains all replicas.")
    rules = shared.rules_of_cancelling(topic)
    if not isr and rules.election is not Election.UNCLEAN:
        raise bad_assignment(
            f"Unable to revert partition assignment for {topic.name}:{index} because it would "
            "require an unclean leader election."
        )
    assignment = Assignment(replicas=replicas, removing=(), adding=())
    return _change(shared, topic, index, rules, assignment, isr or replicas[:1])


def _change(
    shared: _Shared, topic: Topic, index: int, rules: Rules, assignment: Assignment, isr: Ids
) -> PartitionChangeRecord | None:
    partition = topic.partitions[index]
    return build(
        (topic.topic_id, index),
        partition,
        rules,
        target_isr=isr,
        acceptable=broker_changes.acceptor(shared.state, partition, shared.may_lead),
        assignment=assignment,
    )


def list_reassignments(
    image: Image, request: rpc.ListPartitionReassignmentsRequest
) -> rpc.ListPartitionReassignmentsResponse:
    """Returns the reassignments in progress; partitions and topics without any are left out."""
    found = []
    for name, indexes in _listed(image, request):
        topic_id = image.topic_ids.get(name)
        partitions = {} if topic_id is None else image.topics[topic_id].partitions
        ongoing = tuple(
            _ongoing(index, partitions[index])
            for index in indexes
            if index in partitions and is_reassigning(partitions[index])
        )
        if ongoing:
            found.append(rpc.OngoingTopicReassignment(name=name, partitions=ongoing))
    return rpc.ListPartitionReassignmentsResponse(topics=tuple(found))


def _listed(
    image: Image, request: rpc.ListPartitionReassignmentsRequest
) -> list[tuple[str, Sequence[int]]]:
    """Returns the requested partitions by topic; of all topics, those with a reassignment."""
    if request.topics is not None:
        return [(topic.name, topic.partition_indexes) for topic in request.topics]
    ongoing = image.index.reassigning_by_topic()
    return [
        (name, ongoing[topic_id])
        for name, topic_id in image.topic_ids.items()
        if topic_id in ongoing
    ]


def _ongoing(index: int, partition: Partition) -> rpc.OngoingPartitionReassignment:
    return rpc.OngoingPartitionReassignment(
        partition_index=index,
        replicas=partition.replicas,
        adding_replicas=partition.adding_replicas,
        removing_replicas=partition.removing_replicas,
    )
