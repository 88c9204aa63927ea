"""ElectLeaders: preferred and unclean elections on request (rules 4.32 and 4.33)."""

from collections.abc import Callable, Iterable, Sequence

from .. import rpc, slices
from ..errors import ApiError, ErrorCode, expect_time
from ..image.partition import Topic, is_imbalanced
from ..log.records import NO_LEADER, PartitionChangeRecord, Record
from ..rpc.partitions import PREFERRED_ELECTION, UNCLEAN_ELECTION
from ..state import RECORDS_PER_OPERATION_MAX, Decision, State
from . import broker_changes
from .change import build
from .target import Election, Rules

ELECTIONS = {"preferred": PREFERRED_ELECTION, "unclean": UNCLEAN_ELECTION}
"""The types of elections by the words of users."""
_TYPES = {PREFERRED_ELECTION: Election.PREFERRED, UNCLEAN_ELECTION: Election.UNCLEAN}
_NOT_AVAILABLE = {
    Election.PREFERRED: ApiError(
        ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, "The preferred leader was not available."
    ),
    Election.UNCLEAN: ApiError(
        ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
        "Eligible topic partition leaders are not available.",
    ),
}


def elect_leaders(state: State, request: rpc.ElectLeadersRequest, now_ms: int) -> Decision:
    """Decide an ElectLeaders request.

    Raises INVALID_REQUEST for an unknown type of election and POLICY_VIOLATION for more than 10,000
    records; a request for no partition is not looked at.
    """
    if request.topic_partitions == ():
        return Decision(reply=rpc.ElectLeadersResponse())
    expect_time(request.timeout_ms)
    election = _TYPES.get(request.election_type)
    if election is None:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Unknown election type {request.election_type}")
    return slices.begin(_Elections(state, request, election))


class _Elections(slices.Sliced):
    """The elections of one request that are decided so far."""

    def __init__(self, state: State, request: rpc.ElectLeadersRequest, election: Election) -> None:
        super().__init__()
        self._state, self._election = state, election
        asked = _asked(state, request, election)
        self._names = [name for name, _ in asked]
        self._asked = [
            (place, partition_id)
            for place, (_, partition_ids) in enumerate(asked)
            for partition_id in partition_ids
        ]
        self._results: list[list[rpc.ElectedPartitionResult]] = [[] for _ in asked]
        self._decided = 0

    def advance(self) -> bool:
        """Decides the next partitions; raises POLICY_VIOLATION for too many records."""
        state, election, names = self._state, self._election, self._names
        rules_of = broker_changes.rules_by_topic(state, election)
        begin, self._decided = self._decided, self._decided + slices.CHANGES_PER_SLICE
        for place, partition_id in self._asked[begin : self._decided]:
            result = _elected(state, rules_of, names[place], partition_id, election, self.records)
            self._results[place].append(result)
        if len(self.records) > RECORDS_PER_OPERATION_MAX:
            raise ApiError(
                ErrorCode.POLICY_VIOLATION, "Unable to perform excessively large batch operation."
            )
        return self._decided >= len(self._asked)

    def decision(self) -> Decision:
        """Returns the decision on all partitions."""
        results = [
            rpc.ReplicaElectionResult(topic=name, partition_result=tuple(elected))
            for name, elected in zip(self._names, self._results, strict=True)
        ]
        reply = rpc.ElectLeadersResponse(replica_election_results=tuple(results))
        return Decision(records=tuple(self.records), reply=reply)


def _asked(
    state: State, request: rpc.ElectLeadersRequest, election: Election
) -> Sequence[tuple[str, Iterable[int]]]:
    """Returns the requested partitions by topic; of all topics, those that need the election."""
    if request.topic_partitions is not None:
        return [(topic.topic, topic.partitions) for topic in request.topic_partitions]
    index = state.image.index
    needed = (
        index.imbalanced_by_topic()
        if election is Election.PREFERRED
        else index.leaderless_by_topic()
    )
    return [(name, needed.get(topic_id, ())) for name, topic_id in state.image.topic_ids.items()]


def _elected(
    state: State,
    rules_of: Callable[[Topic], Rules],
    name: str,
    partition_id: int,
    election: Election,
    records: list[Record],
) -> rpc.ElectedPartitionResult:
    """Returns the result for one partition; adds the record of its election."""
    try:
        topic = _electable(state, name, partition_id, election)
        record = election_record(state, rules_of(topic), topic, partition_id)
        if record is None:
            raise _NOT_AVAILABLE[election]
    except ApiError as error:
        return rpc.ElectedPartitionResult(
            partition_id=partition_id, error_code=error.code, error_message=error.message
        )
    records.append(record)
    return rpc.ElectedPartitionResult(partition_id=partition_id)


def _electable(state: State, name: str, partition_id: int, election: Election) -> Topic:
    """Returns the topic of a partition that needs the election."""
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    topic_id = state.image.topic_ids.get(name)
    if topic_id is None:
        raise ApiError(unknown, f"No such topic as {name}")
    topic = state.image.topics[topic_id]
    partition = topic.partitions.get(partition_id)
    if partition is None:
        raise ApiError(unknown, f"No such partition as {name}-{partition_id}")
    has_leader = (
        not is_imbalanced(partition)
        if election is Election.PREFERRED
        else partition.leader != NO_LEADER
    )
    if has_leader:
        text = "Leader election not needed for topic partition."
        raise ApiError(ErrorCode.ELECTION_NOT_NEEDED, text)
    return topic


def election_record(
    state: State, rules: Rules, topic: Topic, partition_id: int
) -> PartitionChangeRecord | None:
    """Returns the record of the election that `rules` name; None if it changes nothing."""
    partition = topic.partitions[partition_id]
    return build(
        (topic.topic_id, partition_id),
        partition,
        rules,
        target_isr=partition.isr,
        acceptable=broker_changes.acceptor(state, partition, state.image.is_active),
    )
