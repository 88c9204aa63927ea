"""The table of APIs: one row says of an API all but its fields and its functions.

A row names no function, because the core may not import the nodes that answer. The functions stand
in tables, one line an API: `core/handlers.py` has those of the active controller, `raft/conduct.py`
and `node/node.py` those of a controller that need not be active, and
`kraftsim/service/broker_apis.py` those of a broker.
"""

from collections.abc import Mapping

from .api_row import ABSENT, CODE, DECIDE, FORWARD, LOG, QUORUM, READ, REFUSE, WHOLE, ApiRow
from .data_plane_apis import DATA_PLANE
from .errors import ErrorCode
from .message import Request

DECOMMISSION_BROKER = -1
"""The key of DecommissionBroker, which Kafka never numbered: HTTP alone accepts it (KIP-631)."""

_CONTROL_PLANE = (
    # Brokers
    ApiRow(DECOMMISSION_BROKER, "DecommissionBroker", DECIDE, http=True, error=WHOLE),
    ApiRow(62, "BrokerRegistration", DECIDE, http=True, error=WHOLE),
    ApiRow(63, "BrokerHeartbeat", DECIDE, newest={"3.9": 1, "4.1": 1}, http=True, error=WHOLE),
    ApiRow(64, "UnregisterBroker", DECIDE, FORWARD, http=True, error=WHOLE),
    # Topics and access control
    ApiRow(
        19,
        "CreateTopics",
        DECIDE,
        FORWARD,
        strict_since=6,
        http=True,
        repeats={"num_partitions": "", "replication_factor": "", "configs": ""},
    ),
    ApiRow(
        20,
        "DeleteTopics",
        DECIDE,
        FORWARD,
        strict_since=5,
        http=True,
        repeats={"responses": "topics topic_names"},
    ),
    ApiRow(29, "DescribeAcls", READ, READ, http=True, error=WHOLE, message_or_null=True),
    ApiRow(
        30,
        "CreateAcls",
        DECIDE,
        FORWARD,
        http=True,
        repeats={"results": "creations"},
        message_or_null=True,
    ),
    ApiRow(31, "DeleteAcls", DECIDE, FORWARD, http=True, repeats={"filter_results": "filters"}),
    # Partitions
    ApiRow(
        37,
        "CreatePartitions",
        DECIDE,
        FORWARD,
        strict_since=3,
        http=True,
        repeats={"results": "topics"},
    ),
    ApiRow(
        43,
        "ElectLeaders",
        DECIDE,
        FORWARD,
        http=True,
        repeats={"replica_election_results": "topic_partitions", "partition_result": "partitions"},
    ),
    ApiRow(
        45,
        "AlterPartitionReassignments",
        DECIDE,
        FORWARD,
        {"3.9": 0},
        {"responses": "topics", "allow_replication_factor_change": ""},
        http=True,
    ),
    ApiRow(
        46,
        "ListPartitionReassignments",
        READ,
        FORWARD,
        http=True,
        repeats={"partitions": "partition_indexes"},
    ),
    # The cluster
    ApiRow(60, "DescribeCluster", READ, READ, {"3.9": 1}, http=True, error=WHOLE),
    ApiRow(56, "AlterPartition", DECIDE, http=True, error=WHOLE),
    ApiRow(55, "DescribeQuorum", READ, FORWARD, http=True, error=CODE),
    ApiRow(
        57,
        "UpdateFeatures",
        DECIDE,
        FORWARD,
        {"3.9": 1},
        http=True,
        error=WHOLE,
        message_or_null=True,
    ),
    ApiRow(67, "AllocateProducerIds", DECIDE, forwardable=True, http=True, error=WHOLE),
    ApiRow(70, "ControllerRegistration", DECIDE, http=True, error=WHOLE),
    ApiRow(73, "AssignReplicasToDirs", DECIDE, http=True, error=WHOLE),
    ApiRow(80, "AddRaftVoter", QUORUM, FORWARD, {"3.9": 0, "4.1": 0}, http=True, error=CODE),
    ApiRow(81, "RemoveRaftVoter", QUORUM, FORWARD, http=True, error=CODE),
    ApiRow(82, "UpdateRaftVoter", QUORUM, http=True, error=WHOLE),
    ApiRow(
        94,
        "UnregisterController",
        DECIDE,
        FORWARD,
        {"3.9": ABSENT, "4.1": ABSENT, "4.3": ABSENT},
        http=True,
        error=WHOLE,
    ),
    # The quorum, and envelopes
    ApiRow(
        1,
        "Fetch",
        QUORUM,
        LOG,
        {"3.9": 17},
        is_always_newest=True,
        controller_since=13,
        names_client=True,
        error=WHOLE,
    ),
    ApiRow(52, "Vote", QUORUM, newest={"3.9": 1}, is_always_newest=True, error=WHOLE),
    ApiRow(53, "BeginQuorumEpoch", QUORUM, error=WHOLE),
    ApiRow(54, "EndQuorumEpoch", QUORUM, error=WHOLE),
    ApiRow(58, "Envelope", FORWARD, secret="request_data", error=WHOLE),
    ApiRow(59, "FetchSnapshot", QUORUM, error=WHOLE),
    # Configurations, quotas and credentials
    ApiRow(32, "DescribeConfigs", READ, READ, repeats={"results": "resources"}),
    ApiRow(33, "AlterConfigs", DECIDE, FORWARD, repeats={"responses": "resources"}),
    ApiRow(44, "IncrementalAlterConfigs", DECIDE, FORWARD, repeats={"responses": "resources"}),
    ApiRow(74, "ListConfigResources", None, READ, {"3.9": 0}, error=WHOLE),
    ApiRow(48, "DescribeClientQuotas", None, READ, error=WHOLE),
    ApiRow(49, "AlterClientQuotas", DECIDE, FORWARD),
    ApiRow(
        50,
        "DescribeUserScramCredentials",
        REFUSE,
        READ,
        repeats={"results": "users"},
        message_or_null=True,
        controller_error=ErrorCode.UNKNOWN_SERVER_ERROR,
    ),
    ApiRow(51, "AlterUserScramCredentials", DECIDE, FORWARD, secret="upsertions.salted_password"),
    # Descriptions by brokers, and telemetry
    ApiRow(3, "Metadata", None, READ, {"3.9": 12}),
    ApiRow(18, "ApiVersions", READ, READ, error=WHOLE),
    ApiRow(35, "DescribeLogDirs", None, READ, {"3.9": 4, "4.1": 4}, error=WHOLE),
    ApiRow(75, "DescribeTopicPartitions", None, READ),
    ApiRow(71, "GetTelemetrySubscriptions", None, READ, is_telemetry=True, error=WHOLE),
    ApiRow(72, "PushTelemetry", None, READ, is_telemetry=True, error=WHOLE),
)
ROWS: Mapping[int, ApiRow] = {row.key: row for row in (*_CONTROL_PLANE, *DATA_PLANE)}
"""Every API by key. The paths of the OpenAPI document have this order."""


def row_of(request: Request) -> ApiRow:
    """Returns the row of a request."""
    return ROWS[request.api_key]


def is_one_way(request: Request) -> bool:
    """True for a Produce request with acks=0, whose client expects no response."""
    return row_of(request).one_way and getattr(request, "acks", None) == 0


def newest_versions(release: str) -> Mapping[int, int]:
    """Returns the newest version of each API of which the release offers fewer versions (5.1)."""
    return {row.key: row.newest[release] for row in ROWS.values() if release in row.newest}
