"""What a client asks about the cluster: keys 3, 18 and 60."""

from ..uuid import ZERO_UUID, Uuid
from ..value import value

OPERATIONS_ABSENT = -2147483648  # "the caller did not ask for authorized operations" (5.11)
BROKER_ENDPOINT, CONTROLLER_ENDPOINT = 1, 2


@value
class ApiVersionsRequest:
    """`cluster_id` and `node_id` say whom the client means: both or neither (KIP-1242)."""

    client_software_name: str = ""
    client_software_version: str = ""
    cluster_id: str | None = None
    node_id: int = -1


@value
class ApiVersion:
    api_key: int
    min_version: int
    max_version: int


@value
class SupportedFeatureKey:
    name: str
    min_version: int
    max_version: int


@value
class FinalizedFeatureKey:
    name: str
    max_version_level: int
    min_version_level: int


@value
class ApiVersionsResponse:
    error_code: int = 0
    api_keys: tuple[ApiVersion, ...] = ()
    throttle_time_ms: int = 0
    supported_features: tuple[SupportedFeatureKey, ...] = ()
    finalized_features_epoch: int = -1
    finalized_features: tuple[FinalizedFeatureKey, ...] = ()
    zk_migration_ready: bool = False


@value
class DescribeClusterRequest:
    include_cluster_authorized_operations: bool = False
    endpoint_type: int = BROKER_ENDPOINT
    include_fenced_brokers: bool = False


@value
class DescribeClusterBroker:
    """`start_time_ms` (KIP-436) is spelled over HTTP, and on the wire only when asked for."""

    broker_id: int
    host: str
    port: int
    rack: str | None = None
    is_fenced: bool = False
    start_time_ms: int = 0


@value
class DescribeClusterResponse:
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
    topic_id: Uuid = ZERO_UUID
    name: str | None = None


@value
class MetadataRequest:
    """`topics` of None asks for all of them; the empty tuple for none."""

    topics: tuple[MetadataRequestTopic, ...] | None = None
    allow_auto_topic_creation: bool = False
    include_cluster_authorized_operations: bool = False
    include_topic_authorized_operations: bool = False


@value
class MetadataBroker:
    node_id: int
    host: str
    port: int
    rack: str | None = None
    start_time_ms: int = 0


@value
class MetadataPartition:
    error_code: int = 0
    partition_index: int
    leader_id: int
    leader_epoch: int = -1
    replica_nodes: tuple[int, ...] = ()
    isr_nodes: tuple[int, ...] = ()
    offline_replicas: tuple[int, ...] = ()


@value
class MetadataTopic:
    error_code: int = 0
    name: str | None
    topic_id: Uuid = ZERO_UUID
    is_internal: bool = False
    partitions: tuple[MetadataPartition, ...] = ()
    topic_authorized_operations: int = OPERATIONS_ABSENT


@value
class MetadataResponse:
    throttle_time_ms: int = 0
    brokers: tuple[MetadataBroker, ...] = ()
    cluster_id: str | None = None
    controller_id: int = -1
    topics: tuple[MetadataTopic, ...] = ()
    cluster_authorized_operations: int = OPERATIONS_ABSENT
    error_code: int = 0
