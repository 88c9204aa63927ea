"""DescribeCluster (60), versions 0 to 2: the nodes of the cluster (rules 5.5, 5.6).

Version 1 adds the endpoint type (controllers answer too), version 2 fenced brokers. A broker's
start time (KIP-436, never shipped) is a tagged field that Kafka's readers skip, written on demand
only.
"""

from ...core.rpc import DescribeClusterBroker, DescribeClusterRequest, DescribeClusterResponse
from ..codec.schema import (
    BOOL,
    INT8,
    INT16,
    INT32,
    INT64,
    OWN_TAG,
    STRING,
    Array,
    Field,
    Struct,
    message,
)

VERSIONS = (0, 2)

REQUEST = message(
    "DescribeClusterRequest",
    DescribeClusterRequest,
    VERSIONS,
    Field("include_cluster_authorized_operations", BOOL),
    Field("endpoint_type", INT8, since=1),
    Field("include_fenced_brokers", BOOL, since=2),
)

_BROKER = Struct(
    DescribeClusterBroker,
    (
        Field("broker_id", INT32),
        Field("host", STRING),
        Field("port", INT32),
        Field("rack", STRING, nullable_since=0),
        Field("is_fenced", BOOL, since=2),
        Field("start_time_ms", INT64, tag=OWN_TAG, default=0, on_demand=True),
    ),
)

RESPONSE = message(
    "DescribeClusterResponse",
    DescribeClusterResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
    Field("endpoint_type", INT8, since=1),
    Field("cluster_id", STRING),
    Field("controller_id", INT32),
    Field("brokers", Array(_BROKER)),
    Field("cluster_authorized_operations", INT32),
    is_shared=True,
)
