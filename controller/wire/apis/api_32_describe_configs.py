"""DescribeConfigs (32), versions 1 to 4: configurations with their values and sources.

Version 3 adds types and documentation; version 4 is flexible.
"""

from ...core.rpc.configs import (
    DescribeConfigsEntry,
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from ..codec.schema import BOOL, INT8, INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (1, 4)
FLEXIBLE_SINCE = 4

_RESOURCE = Struct(
    DescribeConfigsResource,
    (
        Field("resource_type", INT8),
        Field("resource_name", STRING),
        Field("configuration_keys", Array(STRING), nullable_since=0),
    ),
)

REQUEST = message(
    "DescribeConfigsRequest",
    DescribeConfigsRequest,
    VERSIONS,
    Field("resources", Array(_RESOURCE)),
    Field("include_synonyms", BOOL),
    Field("include_documentation", BOOL, since=3),
    flexible_since=FLEXIBLE_SINCE,
)

_SYNONYM = Struct(
    DescribeConfigsSynonym,
    (Field("name", STRING), Field("value", STRING, nullable_since=0), Field("source", INT8)),
)
_CONFIG = Struct(
    DescribeConfigsEntry,
    (
        Field("name", STRING),
        Field("value", STRING, nullable_since=0),
        Field("read_only", BOOL),
        Field("config_source", INT8),
        Field("is_sensitive", BOOL),
        Field("synonyms", Array(_SYNONYM)),
        Field("config_type", INT8, since=3),
        Field("documentation", STRING, since=3, nullable_since=0),
    ),
)
_RESULT = Struct(
    DescribeConfigsResult,
    (
        Field("error_code", INT16),
        Field("error_message", STRING, nullable_since=0),
        Field("resource_type", INT8),
        Field("resource_name", STRING),
        Field("configs", Array(_CONFIG, repeats=True)),
    ),
)

RESPONSE = message(
    "DescribeConfigsResponse",
    DescribeConfigsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("results", Array(_RESULT)),
    flexible_since=FLEXIBLE_SINCE,
)
