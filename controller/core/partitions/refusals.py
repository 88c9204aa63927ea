"""Responses that refuse a request about partitions: Kafka repeats the error for each part of it."""

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ApiError
from ..rpc import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
    ElectedPartitionResult,
    ElectLeadersRequest,
    ElectLeadersResponse,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
    ReplicaElectionResult,
    Response,
)


def _grown_none(request: CreatePartitionsRequest, error: ApiError) -> CreatePartitionsResponse:
    return CreatePartitionsResponse(
        results=tuple(
            CreatePartitionsTopicResult(
                name=topic.name, error_code=error.code, error_message=error.message or None
            )
            for topic in request.topics
        )
    )


def _elected_none(request: ElectLeadersRequest, error: ApiError) -> ElectLeadersResponse:
    def refused(partition_id: int) -> ElectedPartitionResult:
        return ElectedPartitionResult(
            partition_id=partition_id, error_code=error.code, error_message=error.message or None
        )

    return ElectLeadersResponse(
        error_code=error.code,
        replica_election_results=tuple(
            ReplicaElectionResult(
                topic=topic.topic, partition_result=tuple(map(refused, topic.partitions))
            )
            for topic in request.topic_partitions or ()
        ),
    )


def _reassigned_none(
    request: AlterPartitionReassignmentsRequest, error: ApiError
) -> AlterPartitionReassignmentsResponse:
    def refused(index: int) -> ReassignablePartitionResponse:
        return ReassignablePartitionResponse(
            partition_index=index, error_code=error.code, error_message=error.message or None
        )

    return AlterPartitionReassignmentsResponse(
        error_code=error.code,
        error_message=error.message or None,
        responses=tuple(
            ReassignableTopicResponse(
                name=topic.name,
                partitions=tuple(refused(p.partition_index) for p in topic.partitions),
            )
            for topic in request.topics
        ),
    )


def _listed_none(
    request: ListPartitionReassignmentsRequest, error: ApiError
) -> ListPartitionReassignmentsResponse:
    def unknown(index: int) -> OngoingPartitionReassignment:
        return OngoingPartitionReassignment(
            partition_index=index, replicas=(), adding_replicas=(), removing_replicas=()
        )

    return ListPartitionReassignmentsResponse(
        error_code=error.code,
        error_message=error.message,
        topics=tuple(
            OngoingTopicReassignment(
                name=topic.name, partitions=tuple(map(unknown, topic.partition_indexes))
            )
            for topic in request.topics or ()
        ),
    )


PARTITION_REFUSALS: Mapping[type, Callable[[Any, ApiError], Response]] = {
    CreatePartitionsRequest: _grown_none,
    ElectLeadersRequest: _elected_none,
    AlterPartitionReassignmentsRequest: _reassigned_none,
    ListPartitionReassignmentsRequest: _listed_none,
}
