"""Requests about the cluster as a whole: Metadata (3), ApiVersions (18), DescribeCluster (60)."""

from ..uuid import ZERO_UUID, Uuid
from ..value import value

OPERATIONS_ABSENT = -2147483648  # authorized operations were not requested (5.11)
BROKER_ENDPOINT, CONTROLLER_ENDPOINT = 1, 2


@value
class ApiVersionsRequest:
    """ApiVersions (18).

    `cluster_id` and `node_id` name the intended server; both are set or neither (KIP-1242).
    """

    client_software_name: str = ""
    client_software_version: str = ""
    cluster_id: str | None = None
    node_id: int = -1


@value
class ApiVersion:
    """The versions of one API that the server supports."""

    api_key: int
    min_version: int
    max_version: int


@value
class SupportedFeatureKey:
    """The levels of one feature that the server supports."""

    name: str
    min_version: int
    max_version: int


@value
class FinalizedFeatureKey:
    """The finalized level of one feature."""

    name: str
    max_version_level: int
    min_version_level: int


@value
class ApiVersionsResponse:
    """The APIs and features of the server."""

    error_code: int = 0
    api_keys: tuple[ApiVersion, ...] = ()
    throttle_time_ms: int = 0
    supported_features: tuple[SupportedFeatureKey, ...] = ()
    finalized_features_epoch: int = -1
    finalized_features: tuple[FinalizedFeatureKey, ...] = ()
    zk_migration_ready: bool = False


@value
class DescribeClusterRequest:
    """DescribeCluster (60)."""

    include_cluster_authorized_operations: bool = False
    endpoint_type: int = BROKER_ENDPOINT
    include_fenced_brokers: bool = False


@value
class DescribeClusterBroker:
    """One node of the cluster.

    `start_time_ms` (KIP-436) is always in HTTP replies, on the wire only if requested.
    """

    broker_id: int
    host: str
    port: int
    rack: str | None = None
    is_fenced: bool = False
    start_time_ms: int = 0


@value
class DescribeClusterResponse:
    """The nodes of the cluster."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    endpoint_type: int = BROKER_ENDPOINT
    cluster_id: str = ""
    controller_id: int = -1
    brokers: tuple[DescribeClusterBroker, ...] = ()
    cluster_authorized_operations: int = OPERATIONS_ABSENT


@value
class MetadataRequestTopic:
    """A topic, by name or by id."""

    topic_id: Uuid = ZERO_UUID
    name: str | None = None


@value
class MetadataRequest:
    """Metadata (3); `topics` of None requests all topics, an empty tuple none."""

    topics: tuple[MetadataRequestTopic, ...] | None = None
    allow_auto_topic_creation: bool = False
    include_cluster_authorized_operations: bool = False
    include_topic_authorized_operations: bool = False


@value
class MetadataBroker:
    """One live broker."""

    node_id: int
    host: str
    port: int
    rack: str | None = None
    start_time_ms: int = 0


@value
class MetadataPartition:
    """The leader and replicas of one partition."""

    error_code: int = 0
    partition_index: int
    leader_id: int
    leader_epoch: int = -1
    replica_nodes: tuple[int, ...] = ()
    isr_nodes: tuple[int, ...] = ()
    offline_replicas: tuple[int, ...] = ()


@value
class MetadataTopic:
    """One topic and its partitions."""

    error_code: int = 0
    name: str | None
    topic_id: Uuid = ZERO_UUID
    is_internal: bool = False
    partitions: tuple[MetadataPartition, ...] = ()
    topic_authorized_operations: int = OPERATIONS_ABSENT


@value
class MetadataResponse:
    """The brokers and topics of the cluster."""

    throttle_time_ms: int = 0
    brokers: tuple[MetadataBroker, ...] = ()
    cluster_id: str | None = None
    controller_id: int = -1
    topics: tuple[MetadataTopic, ...] = ()
    cluster_authorized_operations: int = OPERATIONS_ABSENT
    error_code: int = 0
