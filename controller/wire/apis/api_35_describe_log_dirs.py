"""DescribeLogDirs (35), versions 1 to 5.

Version 2 is flexible; 3 adds the error of the whole, 4 the sizes of a directory, 5 whether it is
cordoned.
"""

from ...core.rpc.descriptions import (
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    LogDir,
    LogDirPartition,
    LogDirTopic,
    LogDirTopicReplicas,
)
from ..codec.schema import BOOL, INT16, INT32, INT64, STRING, Array, Field, Struct, message

VERSIONS = (1, 5)
FLEXIBLE_SINCE = 2

_TOPIC = Struct(LogDirTopic, (Field("topic", STRING), Field("partitions", Array(INT32))))

REQUEST = message(
    "DescribeLogDirsRequest",
    DescribeLogDirsRequest,
    VERSIONS,
    Field("topics", Array(_TOPIC), nullable_since=0),
    flexible_since=FLEXIBLE_SINCE,
)

_PARTITION = Struct(
    LogDirPartition,
    (
        Field("partition_index", INT32),
        Field("partition_size", INT64),
        Field("offset_lag", INT64),
        Field("is_future_key", BOOL),
    ),
)
_REPLICAS = Struct(
    LogDirTopicReplicas, (Field("name", STRING), Field("partitions", Array(_PARTITION)))
)
_LOG_DIR = Struct(
    LogDir,
    (
        Field("error_code", INT16),
        Field("log_dir", STRING),
        Field("topics", Array(_REPLICAS)),
        Field("total_bytes", INT64, since=4),
        Field("usable_bytes", INT64, since=4),
        Field("is_cordoned", BOOL, since=5),
    ),
)

RESPONSE = message(
    "DescribeLogDirsResponse",
    DescribeLogDirsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16, since=3),
    Field("results", Array(_LOG_DIR)),
    flexible_since=FLEXIBLE_SINCE,
)
