"""Partitions: CreatePartitions (37), ElectLeaders (43) and the reassignments (45, 46)."""

from dataclasses import field

from ..value import value
from .requester import NOBODY, Requester

PREFERRED_ELECTION = 0
UNCLEAN_ELECTION = 1
ELECTIONS = {"preferred": PREFERRED_ELECTION, "unclean": UNCLEAN_ELECTION}
"""The kinds of elections by the words of Kafka's kafka-leader-election."""


@value
class CreatePartitionsAssignment:
    """The replicas of one new partition."""

    broker_ids: tuple[int, ...]


@value
class CreatePartitionsTopic:
    """A topic that shall have `count` partitions; without `assignments` the controller places."""

    name: str
    count: int
    assignments: tuple[CreatePartitionsAssignment, ...] | None = None


@value
class CreatePartitionsRequest:
    """CreatePartitions (37)."""

    topics: tuple[CreatePartitionsTopic, ...]
    timeout_ms: int = 60000
    validate_only: bool = False
    requester: Requester = field(default=NOBODY, compare=False)


@value
class CreatePartitionsTopicResult:
    """The result for one topic."""

    name: str
    error_code: int = 0
    error_message: str | None = None


@value
class CreatePartitionsResponse:
    """The reply to a CreatePartitions request."""

    throttle_time_ms: int = 0
    results: tuple[CreatePartitionsTopicResult, ...] = ()


@value
class ElectedTopicPartitions:
    """The partitions of one topic that shall have an election."""

    topic: str
    partitions: tuple[int, ...]


@value
class ElectLeadersRequest:
    """ElectLeaders (43): null `topic_partitions` means every partition.

    The `election_type` is 0 for preferred (the only type of version 0) and 1 for unclean.
    """

    election_type: int = PREFERRED_ELECTION
    topic_partitions: tuple[ElectedTopicPartitions, ...] | None = None
    timeout_ms: int = 60000


@value
class ElectedPartitionResult:
    """The result of one election."""

    partition_id: int
    error_code: int = 0
    error_message: str | None = None


@value
class ReplicaElectionResult:
    """The results of a topic's elections."""

    topic: str
    partition_result: tuple[ElectedPartitionResult, ...]


@value
class ElectLeadersResponse:
    """The reply to an ElectLeaders request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    replica_election_results: tuple[ReplicaElectionResult, ...] = ()


@value
class ReassignablePartition:
    """A partition and its new replicas; null cancels its reassignment."""

    partition_index: int
    replicas: tuple[int, ...] | None = None


@value
class ReassignableTopic:
    """A topic of an AlterPartitionReassignments request."""

    name: str
    partitions: tuple[ReassignablePartition, ...]


@value
class AlterPartitionReassignmentsRequest:
    """AlterPartitionReassignments (45).

    With `allow_replication_factor_change` false (version 1, KIP-860), a reassignment must keep the
    number of replicas.
    """

    timeout_ms: int = 60000
    allow_replication_factor_change: bool = True
    topics: tuple[ReassignableTopic, ...]


@value
class ReassignablePartitionResponse:
    """The result for one partition."""

    partition_index: int
    error_code: int = 0
    error_message: str | None = None


@value
class ReassignableTopicResponse:
    """The results for one topic."""

    name: str
    partitions: tuple[ReassignablePartitionResponse, ...]


@value
class AlterPartitionReassignmentsResponse:
    """The reply to an AlterPartitionReassignments request."""

    throttle_time_ms: int = 0
    allow_replication_factor_change: bool = True
    error_code: int = 0
    error_message: str | None = None
    responses: tuple[ReassignableTopicResponse, ...] = ()


@value
class ListPartitionReassignmentsTopic:
    """A topic and its partitions whose reassignments are listed."""

    name: str
    partition_indexes: tuple[int, ...]


@value
class ListPartitionReassignmentsRequest:
    """ListPartitionReassignments (46): null `topics` means every partition."""

    timeout_ms: int = 60000
    topics: tuple[ListPartitionReassignmentsTopic, ...] | None = None


@value
class OngoingPartitionReassignment:
    """A partition whose reassignment is in progress; `replicas` include both other lists."""

    partition_index: int
    replicas: tuple[int, ...]
    adding_replicas: tuple[int, ...]
    removing_replicas: tuple[int, ...]


@value
class OngoingTopicReassignment:
    """The reassignments of one topic."""

    name: str
    partitions: tuple[OngoingPartitionReassignment, ...]


@value
class ListPartitionReassignmentsResponse:
    """The reply to a ListPartitionReassignments request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    topics: tuple[OngoingTopicReassignment, ...] = ()
