"""The table of handlers by request, and the responses that carry a refusal.

Planted bugs and profiles replace entries of this table, not lines of code. The wire and HTTP use
the same entries, so each API has one implementation.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from .brokers.decommission import decommission
from .brokers.heartbeats import heartbeat
from .brokers.producer_ids import allocate_producer_ids
from .brokers.registration import register
from .brokers.unregistration import unregister
from .cluster import describe_cluster
from .cluster.controller_registration import register_controller, unregister_controller
from .configs import alteration, description
from .errors import ApiError, ErrorCode
from .features.update_features import update_features
from .partitions.alter_partition import alter_partition
from .partitions.directories import assign_directories
from .partitions.elect_leaders import elect_leaders
from .partitions.reassignment import alter_reassignments
from .partitions.refusals import PARTITION_REFUSALS
from .quotas import alteration as quota_alteration
from .rpc import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    AlterPartitionReassignmentsRequest,
    AlterPartitionRequest,
    AlterPartitionResponse,
    ApiVersionsRequest,
    ApiVersionsResponse,
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsResponse,
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    ControllerRegistrationRequest,
    ControllerRegistrationResponse,
    CreatableTopicResult,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DataPlaneRequest,
    DecommissionBrokerRequest,
    DecommissionBrokerResponse,
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DescribeClusterRequest,
    DescribeClusterResponse,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    ElectLeadersRequest,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    MetadataRequest,
    MetadataResponse,
    MetadataTopic,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    Request,
    Response,
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
    UnregisterControllerRequest,
    UnregisterControllerResponse,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
    VoteRequest,
    VoteResponse,
)
from .rpc.acls import (
    CreateAclsRequest,
    DeleteAclsRequest,
    DescribeAclsRequest,
    DescribeAclsResponse,
)
from .rpc.configs import (
    AlterConfigsRequest,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from .rpc.descriptions import DescribedTopic
from .rpc.quotas import (
    AlterClientQuotasRequest,
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)
from .rpc.scram import AlterUserScramCredentialsRequest, DescribeUserScramCredentialsRequest
from .rpc.telemetry import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
    PushTelemetryRequest,
    PushTelemetryResponse,
)
from .security import acl_creation, acl_deletion, scram_alteration, scram_description
from .state import Decision, State
from .topics.creation import create_topics
from .topics.deletion import delete_topics
from .topics.more_partitions import create_partitions
from .uuid import ZERO_UUID

Handler = Callable[[State, Any, int], Decision]

HANDLERS: Mapping[type, Handler] = {
    BrokerRegistrationRequest: register,
    BrokerHeartbeatRequest: heartbeat,
    UnregisterBrokerRequest: unregister,
    DecommissionBrokerRequest: decommission,
    CreateTopicsRequest: create_topics,
    DeleteTopicsRequest: delete_topics,
    IncrementalAlterConfigsRequest: alteration.incremental_alter_configs,
    AlterConfigsRequest: alteration.alter_configs,
    AlterClientQuotasRequest: quota_alteration.alter_client_quotas,
    AlterUserScramCredentialsRequest: scram_alteration.alter_user_scram_credentials,
    CreateAclsRequest: acl_creation.create_acls,
    DeleteAclsRequest: acl_deletion.delete_acls,
    AlterPartitionRequest: alter_partition,
    ControllerRegistrationRequest: register_controller,
    UnregisterControllerRequest: unregister_controller,
    UpdateFeaturesRequest: update_features,
    CreatePartitionsRequest: create_partitions,
    ElectLeadersRequest: elect_leaders,
    AlterPartitionReassignmentsRequest: alter_reassignments,
    AllocateProducerIdsRequest: allocate_producer_ids,
    AssignReplicasToDirsRequest: assign_directories,
}


def response_to(request: Request, reply: Response | ApiError, version: int) -> Response:
    """Returns the response to `request` as version `version` of its API has it."""
    response = refusal(request, reply) if isinstance(reply, ApiError) else reply
    as_version = _BY_VERSION.get(type(response))
    return response if as_version is None else as_version(version, request, response)


def refusal(request: Request, error: ApiError) -> Response:
    """Returns the response to `request` that has the error code and message of `error`."""
    if isinstance(request, DataPlaneRequest):
        return request.refused(error)
    return _REFUSALS[type(request)](request, error)


LISTENER_NOT_FOUND_SINCE, DELETION_DISABLED_SINCE = 6, 3
_METADATA_WITHOUT_IDS = (10, 11)  # the request has topic ids, but Kafka refuses all but zero


def _deletion_as_version(version: int, _: Request, response: DeleteTopicsResponse) -> Response:
    """Returns a response of DeleteTopics, which lacks TOPIC_DELETION_DISABLED before version 3."""
    if version >= DELETION_DISABLED_SINCE:
        return response
    disabled, instead = ErrorCode.TOPIC_DELETION_DISABLED, ErrorCode.INVALID_REQUEST
    return replace(
        response,
        responses=tuple(
            replace(result, error_code=instead) if result.error_code == disabled else result
            for result in response.responses
        ),
    )


def _metadata_as_version(
    version: int, request: MetadataRequest, response: MetadataResponse
) -> Response:
    """Returns a description as a version of Metadata has it (rule 5.41)."""
    if version in _METADATA_WITHOUT_IDS:
        return _without_ids(request, response)
    if version < LISTENER_NOT_FOUND_SINCE:
        return replace(response, topics=tuple(map(_without_listener_errors, response.topics)))
    return response


def _without_listener_errors(topic: MetadataTopic) -> MetadataTopic:
    """Returns the topic; a leader without the client's listener is one that is not available."""
    missing = ErrorCode.LISTENER_NOT_FOUND
    if all(partition.error_code != missing for partition in topic.partitions):
        return topic
    return replace(
        topic,
        partitions=tuple(
            replace(partition, error_code=ErrorCode.LEADER_NOT_AVAILABLE)
            if partition.error_code == missing
            else partition
            for partition in topic.partitions
        ),
    )


def _without_ids(request: MetadataRequest, response: Response) -> Response:
    """Returns the response, or a refusal if a topic has an id or no name (KafkaApis.scala)."""
    if all(
        topic.name is not None and topic.topic_id == ZERO_UUID for topic in request.topics or ()
    ):
        return response
    return refusal(request, ApiError(ErrorCode.INVALID_REQUEST, "expected topics by name"))


def _described_none(request: MetadataRequest, error: ApiError) -> MetadataResponse:
    topics = (
        MetadataTopic(error_code=error.code, name=topic.name or "", topic_id=topic.topic_id)
        for topic in request.topics or ()
    )
    return MetadataResponse(topics=tuple(topics), error_code=error.code)


def _created_none(request: CreateTopicsRequest, error: ApiError) -> CreateTopicsResponse:
    return CreateTopicsResponse(
        topics=tuple(
            CreatableTopicResult(
                name=topic.name, error_code=error.code, error_message=error.message or None
            )
            for topic in request.topics
        )
    )


def _deleted_none(request: DeleteTopicsRequest, error: ApiError) -> DeleteTopicsResponse:
    topics = [(topic.name, topic.topic_id) for topic in request.topics]
    topics += [(name, ZERO_UUID) for name in request.topic_names]
    return DeleteTopicsResponse(
        responses=tuple(
            DeletableTopicResult(
                name=name,
                topic_id=topic_id,
                error_code=error.code,
                error_message=error.message or None,
            )
            for name, topic_id in topics
        )
    )


def _altered_none(
    request: IncrementalAlterConfigsRequest | AlterConfigsRequest, error: ApiError
) -> tuple[AlterConfigsResourceResponse, ...]:
    return tuple(alteration.refused(resource, error) for resource in request.resources)


def _cluster_as_version(version: int, _: Request, response: DescribeClusterResponse) -> Response:
    return response if version else describe_cluster.as_version_0(response)


_BY_VERSION: Mapping[type, Callable[[int, Any, Any], Response]] = {
    DescribeClusterResponse: _cluster_as_version,
    DeleteTopicsResponse: _deletion_as_version,
    MetadataResponse: _metadata_as_version,
}


def _with_code(response: Any) -> Callable[[Any, ApiError], Response]:
    """Returns the function that makes a refusal of a response with a code for the whole."""

    def refused(_: Any, error: ApiError) -> Response:
        made: Response = response(error_code=error.code)
        return made

    return refused


_OF_THE_QUORUM: Mapping[type, Any] = {  # which the node answers, and not a handler of this table
    ApiVersionsRequest: ApiVersionsResponse,
    FetchRequest: FetchResponse,
    FetchSnapshotRequest: FetchSnapshotResponse,
    VoteRequest: VoteResponse,
    BeginQuorumEpochRequest: BeginQuorumEpochResponse,
    EndQuorumEpochRequest: EndQuorumEpochResponse,
    DescribeQuorumRequest: DescribeQuorumResponse,
    AddRaftVoterRequest: AddRaftVoterResponse,
    RemoveRaftVoterRequest: RemoveRaftVoterResponse,
    UpdateRaftVoterRequest: UpdateRaftVoterResponse,
}
_REFUSALS: Mapping[type, Callable[[Any, ApiError], Response]] = {
    BrokerRegistrationRequest: lambda _, e: BrokerRegistrationResponse(error_code=e.code),
    BrokerHeartbeatRequest: lambda _, e: BrokerHeartbeatResponse(error_code=e.code),
    UnregisterBrokerRequest: lambda _, e: UnregisterBrokerResponse(
        error_code=e.code, error_message=e.message
    ),
    UnregisterControllerRequest: lambda _, e: UnregisterControllerResponse(
        error_code=e.code, error_message=e.message
    ),
    DecommissionBrokerRequest: lambda _, e: DecommissionBrokerResponse(
        error_code=e.code, error_message=e.message
    ),
    AlterPartitionRequest: lambda _, e: AlterPartitionResponse(error_code=e.code),
    UpdateFeaturesRequest: lambda _, e: UpdateFeaturesResponse(
        error_code=e.code, error_message=e.message or None
    ),
    ControllerRegistrationRequest: lambda _, e: ControllerRegistrationResponse(
        error_code=e.code, error_message=e.message
    ),
    DescribeClusterRequest: lambda _, e: DescribeClusterResponse(
        error_code=e.code, error_message=e.message
    ),
    **{request: _with_code(response) for request, response in _OF_THE_QUORUM.items()},
    AllocateProducerIdsRequest: lambda _, e: AllocateProducerIdsResponse(error_code=e.code),
    AssignReplicasToDirsRequest: lambda _, e: AssignReplicasToDirsResponse(error_code=e.code),
    **PARTITION_REFUSALS,
    CreateTopicsRequest: _created_none,
    DescribeTopicPartitionsRequest: lambda request, error: DescribeTopicPartitionsResponse(
        topics=tuple(
            DescribedTopic(name=topic.name, error_code=error.code) for topic in request.topics
        )
    ),
    DescribeLogDirsRequest: _with_code(DescribeLogDirsResponse),
    DescribeConfigsRequest: lambda request, e: DescribeConfigsResponse(
        results=tuple(description.refused(resource, e) for resource in request.resources)
    ),
    GetTelemetrySubscriptionsRequest: _with_code(GetTelemetrySubscriptionsResponse),
    PushTelemetryRequest: _with_code(PushTelemetryResponse),
    ListConfigResourcesRequest: lambda _, e: ListConfigResourcesResponse(error_code=e.code),
    IncrementalAlterConfigsRequest: lambda request, e: IncrementalAlterConfigsResponse(
        responses=_altered_none(request, e)
    ),
    AlterConfigsRequest: lambda request, e: AlterConfigsResponse(
        responses=_altered_none(request, e)
    ),
    AlterClientQuotasRequest: quota_alteration.refused,
    AlterUserScramCredentialsRequest: scram_alteration.refused,
    DescribeUserScramCredentialsRequest: scram_description.refused,
    CreateAclsRequest: acl_creation.refused,
    DeleteAclsRequest: acl_deletion.refused,
    DescribeAclsRequest: lambda _, e: DescribeAclsResponse(
        error_code=e.code, error_message=e.message or None
    ),
    DescribeClientQuotasRequest: lambda _, e: DescribeClientQuotasResponse(
        error_code=e.code, error_message=e.message, entries=None
    ),
    DeleteTopicsRequest: _deleted_none,
    MetadataRequest: _described_none,
}
