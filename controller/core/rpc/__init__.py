"""The one model of every Kafka API: version-free requests and responses, in Kafka's own names.

The wire (`controller/wire/api_*.py`) and HTTP only spell these. A field that a version of the API
does not carry has its default here. Enumerations are plain numbers, so that a peer's unknown
error code survives the journey.
"""

from .brokers import (
    BrokerFeature,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerListener,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    DecommissionBrokerRequest,
    DecommissionBrokerResponse,
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
)
from .cluster import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
    FinalizedFeatureKey,
    MetadataBroker,
    MetadataPartition,
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataTopic,
    SupportedFeatureKey,
)
from .fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchPartition,
    FetchPartitionData,
    FetchReplicaState,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    FetchTopicData,
    ForgottenTopic,
    LeaderIdAndEpoch,
    NodeEndpoint,
    SnapshotId,
)
from .topics import (
    AlterPartitionBrokerState,
    AlterPartitionData,
    AlterPartitionRequest,
    AlterPartitionResponse,
    AlterPartitionResult,
    AlterPartitionTopic,
    AlterPartitionTopicResult,
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicConfigEntry,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)

Request = (
    BrokerRegistrationRequest
    | BrokerHeartbeatRequest
    | UnregisterBrokerRequest
    | DecommissionBrokerRequest
    | DescribeClusterRequest
    | ApiVersionsRequest
    | MetadataRequest
    | FetchRequest
    | CreateTopicsRequest
    | DeleteTopicsRequest
    | AlterPartitionRequest
)
Response = (
    BrokerRegistrationResponse
    | BrokerHeartbeatResponse
    | UnregisterBrokerResponse
    | DecommissionBrokerResponse
    | DescribeClusterResponse
    | ApiVersionsResponse
    | MetadataResponse
    | FetchResponse
    | CreateTopicsResponse
    | DeleteTopicsResponse
    | AlterPartitionResponse
)

__all__ = [
    "AbortedTransaction",
    "AlterPartitionBrokerState",
    "AlterPartitionData",
    "AlterPartitionRequest",
    "AlterPartitionResponse",
    "AlterPartitionResult",
    "AlterPartitionTopic",
    "AlterPartitionTopicResult",
    "ApiVersion",
    "ApiVersionsRequest",
    "ApiVersionsResponse",
    "BrokerFeature",
    "BrokerHeartbeatRequest",
    "BrokerHeartbeatResponse",
    "BrokerListener",
    "BrokerRegistrationRequest",
    "BrokerRegistrationResponse",
    "CreatableReplicaAssignment",
    "CreatableTopic",
    "CreatableTopicConfig",
    "CreatableTopicConfigEntry",
    "CreatableTopicResult",
    "CreateTopicsRequest",
    "CreateTopicsResponse",
    "DecommissionBrokerRequest",
    "DecommissionBrokerResponse",
    "DeletableTopicResult",
    "DeleteTopicState",
    "DeleteTopicsRequest",
    "DeleteTopicsResponse",
    "DescribeClusterBroker",
    "DescribeClusterRequest",
    "DescribeClusterResponse",
    "EpochEndOffset",
    "FetchPartition",
    "FetchPartitionData",
    "FetchReplicaState",
    "FetchRequest",
    "FetchResponse",
    "FetchTopic",
    "FetchTopicData",
    "FinalizedFeatureKey",
    "ForgottenTopic",
    "LeaderIdAndEpoch",
    "MetadataBroker",
    "MetadataPartition",
    "MetadataRequest",
    "MetadataRequestTopic",
    "MetadataResponse",
    "MetadataTopic",
    "NodeEndpoint",
    "Request",
    "Response",
    "SnapshotId",
    "SupportedFeatureKey",
    "UnregisterBrokerRequest",
    "UnregisterBrokerResponse",
]
