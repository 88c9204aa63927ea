"""The version-free requests and responses of every Kafka API, under Kafka's own names.

The wire (`controller/wire/apis/`) and HTTP encode and decode these classes. A field that a version
of the API does not carry has its default here. Enumerations are plain integers, so that an unknown
error code of a peer is preserved.
"""

from .acls import AclsRequest, AclsResponse
from .assignments import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    AssignedDirectory,
    AssignedDirectoryResult,
    AssignedPartition,
    AssignedPartitionResult,
    AssignedTopic,
    AssignedTopicResult,
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsResponse,
)
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
from .configs import ConfigsRequest, ConfigsResponse
from .data_plane import DataPlaneRequest, DataPlaneResponse
from .descriptions import (
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
)
from .envelope import EnvelopeRequest, EnvelopeResponse
from .features import (
    ControllerRegistrationRequest,
    ControllerRegistrationResponse,
    FeatureUpdate,
    UnregisterControllerRequest,
    UnregisterControllerResponse,
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
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
from .partitions import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
    ElectedPartitionResult,
    ElectedTopicPartitions,
    ElectLeadersRequest,
    ElectLeadersResponse,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    ListPartitionReassignmentsTopic,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
    ReassignablePartition,
    ReassignablePartitionResponse,
    ReassignableTopic,
    ReassignableTopicResponse,
    ReplicaElectionResult,
)
from .quorum import (
    BeginQuorumEpochPartition,
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    BeginQuorumEpochTopic,
    DescribeQuorumPartition,
    DescribeQuorumPartitionResult,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumTopic,
    DescribeQuorumTopicResult,
    EndQuorumEpochPartition,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    EndQuorumEpochTopic,
    PreferredCandidate,
    QuorumEndpoint,
    QuorumEpochPartitionResult,
    QuorumEpochTopicResult,
    QuorumNode,
    ReplicaState,
    VotePartition,
    VotePartitionResult,
    VoteRequest,
    VoteResponse,
    VoteTopic,
    VoteTopicResult,
)
from .quotas import QuotasRequest, QuotasResponse
from .scram import ScramRequest, ScramResponse
from .snapshot import (
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    SnapshotPartition,
    SnapshotPartitionData,
    SnapshotTopic,
    SnapshotTopicData,
)
from .telemetry import TelemetryRequest, TelemetryResponse
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
from .voters import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    CurrentVoterLeader,
    KRaftVersionFeature,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
)

Request = (
    BrokerRegistrationRequest
    | BrokerHeartbeatRequest
    | UnregisterBrokerRequest
    | UnregisterControllerRequest
    | DecommissionBrokerRequest
    | DescribeClusterRequest
    | ApiVersionsRequest
    | MetadataRequest
    | FetchRequest
    | CreateTopicsRequest
    | DeleteTopicsRequest
    | ConfigsRequest
    | QuotasRequest
    | ScramRequest
    | TelemetryRequest
    | AclsRequest
    | AlterPartitionRequest
    | UpdateFeaturesRequest
    | ControllerRegistrationRequest
    | VoteRequest
    | BeginQuorumEpochRequest
    | EndQuorumEpochRequest
    | DescribeQuorumRequest
    | FetchSnapshotRequest
    | AddRaftVoterRequest
    | RemoveRaftVoterRequest
    | UpdateRaftVoterRequest
    | DataPlaneRequest
    | DescribeLogDirsRequest
    | DescribeTopicPartitionsRequest
    | CreatePartitionsRequest
    | ElectLeadersRequest
    | AlterPartitionReassignmentsRequest
    | ListPartitionReassignmentsRequest
    | AllocateProducerIdsRequest
    | AssignReplicasToDirsRequest
    | EnvelopeRequest
)
Response = (
    BrokerRegistrationResponse
    | BrokerHeartbeatResponse
    | UnregisterBrokerResponse
    | UnregisterControllerResponse
    | DecommissionBrokerResponse
    | DescribeClusterResponse
    | ApiVersionsResponse
    | MetadataResponse
    | FetchResponse
    | CreateTopicsResponse
    | DeleteTopicsResponse
    | ConfigsResponse
    | QuotasResponse
    | ScramResponse
    | TelemetryResponse
    | AclsResponse
    | AlterPartitionResponse
    | UpdateFeaturesResponse
    | ControllerRegistrationResponse
    | VoteResponse
    | BeginQuorumEpochResponse
    | EndQuorumEpochResponse
    | DescribeQuorumResponse
    | FetchSnapshotResponse
    | AddRaftVoterResponse
    | RemoveRaftVoterResponse
    | UpdateRaftVoterResponse
    | DataPlaneResponse
    | DescribeLogDirsResponse
    | DescribeTopicPartitionsResponse
    | CreatePartitionsResponse
    | ElectLeadersResponse
    | AlterPartitionReassignmentsResponse
    | ListPartitionReassignmentsResponse
    | AllocateProducerIdsResponse
    | AssignReplicasToDirsResponse
    | EnvelopeResponse
)

__all__ = [
    "AbortedTransaction",
    "AddRaftVoterRequest",
    "AddRaftVoterResponse",
    "AllocateProducerIdsRequest",
    "AllocateProducerIdsResponse",
    "AlterPartitionBrokerState",
    "AlterPartitionData",
    "AlterPartitionReassignmentsRequest",
    "AlterPartitionReassignmentsResponse",
    "AlterPartitionRequest",
    "AlterPartitionResponse",
    "AlterPartitionResult",
    "AlterPartitionTopic",
    "AlterPartitionTopicResult",
    "ApiVersion",
    "ApiVersionsRequest",
    "ApiVersionsResponse",
    "AssignReplicasToDirsRequest",
    "AssignReplicasToDirsResponse",
    "AssignedDirectory",
    "AssignedDirectoryResult",
    "AssignedPartition",
    "AssignedPartitionResult",
    "AssignedTopic",
    "AssignedTopicResult",
    "BeginQuorumEpochPartition",
    "BeginQuorumEpochRequest",
    "BeginQuorumEpochResponse",
    "BeginQuorumEpochTopic",
    "BrokerFeature",
    "BrokerHeartbeatRequest",
    "BrokerHeartbeatResponse",
    "BrokerListener",
    "BrokerRegistrationRequest",
    "BrokerRegistrationResponse",
    "ControllerRegistrationRequest",
    "ControllerRegistrationResponse",
    "CreatableReplicaAssignment",
    "CreatableTopic",
    "CreatableTopicConfig",
    "CreatableTopicConfigEntry",
    "CreatableTopicResult",
    "CreatePartitionsAssignment",
    "CreatePartitionsRequest",
    "CreatePartitionsResponse",
    "CreatePartitionsTopic",
    "CreatePartitionsTopicResult",
    "CreateTopicsRequest",
    "CreateTopicsResponse",
    "CurrentVoterLeader",
    "DataPlaneRequest",
    "DataPlaneResponse",
    "DecommissionBrokerRequest",
    "DecommissionBrokerResponse",
    "DeletableTopicResult",
    "DeleteTopicState",
    "DeleteTopicsRequest",
    "DeleteTopicsResponse",
    "DescribeClusterBroker",
    "DescribeClusterRequest",
    "DescribeClusterResponse",
    "DescribeLogDirsRequest",
    "DescribeLogDirsResponse",
    "DescribeQuorumPartition",
    "DescribeQuorumPartitionResult",
    "DescribeQuorumRequest",
    "DescribeQuorumResponse",
    "DescribeQuorumTopic",
    "DescribeQuorumTopicResult",
    "DescribeTopicPartitionsRequest",
    "DescribeTopicPartitionsResponse",
    "ElectLeadersRequest",
    "ElectLeadersResponse",
    "ElectedPartitionResult",
    "ElectedTopicPartitions",
    "EndQuorumEpochPartition",
    "EndQuorumEpochRequest",
    "EndQuorumEpochResponse",
    "EndQuorumEpochTopic",
    "EpochEndOffset",
    "FeatureUpdate",
    "FetchPartition",
    "FetchPartitionData",
    "FetchReplicaState",
    "FetchRequest",
    "FetchResponse",
    "FetchSnapshotRequest",
    "FetchSnapshotResponse",
    "FetchTopic",
    "FetchTopicData",
    "FinalizedFeatureKey",
    "ForgottenTopic",
    "KRaftVersionFeature",
    "LeaderIdAndEpoch",
    "ListPartitionReassignmentsRequest",
    "ListPartitionReassignmentsResponse",
    "ListPartitionReassignmentsTopic",
    "MetadataBroker",
    "MetadataPartition",
    "MetadataRequest",
    "MetadataRequestTopic",
    "MetadataResponse",
    "MetadataTopic",
    "NodeEndpoint",
    "OngoingPartitionReassignment",
    "OngoingTopicReassignment",
    "PreferredCandidate",
    "QuorumEndpoint",
    "QuorumEpochPartitionResult",
    "QuorumEpochTopicResult",
    "QuorumNode",
    "ReassignablePartition",
    "ReassignablePartitionResponse",
    "ReassignableTopic",
    "ReassignableTopicResponse",
    "RemoveRaftVoterRequest",
    "RemoveRaftVoterResponse",
    "ReplicaElectionResult",
    "ReplicaState",
    "Request",
    "Response",
    "SnapshotId",
    "SnapshotPartition",
    "SnapshotPartitionData",
    "SnapshotTopic",
    "SnapshotTopicData",
    "SupportedFeatureKey",
    "UnregisterBrokerRequest",
    "UnregisterBrokerResponse",
    "UnregisterControllerRequest",
    "UnregisterControllerResponse",
    "UpdatableFeatureResult",
    "UpdateFeaturesRequest",
    "UpdateFeaturesResponse",
    "UpdateRaftVoterRequest",
    "UpdateRaftVoterResponse",
    "VotePartition",
    "VotePartitionResult",
    "VoteRequest",
    "VoteResponse",
    "VoteTopic",
    "VoteTopicResult",
]
