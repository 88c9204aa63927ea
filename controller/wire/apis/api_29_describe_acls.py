"""DescribeAcls (29), versions 1 to 3: the access control entries that a filter selects."""

from ...core.rpc.acls import (
    AclDescription,
    DescribeAclsRequest,
    DescribeAclsResource,
    DescribeAclsResponse,
)
from ..codec.schema import INT8, INT16, INT32, STRING, Array, Field, Struct, message
from .refused_requests import check_description

VERSIONS = (1, 3)

REQUEST = message(
    "DescribeAclsRequest",
    DescribeAclsRequest,
    VERSIONS,
    Field("resource_type_filter", INT8),
    Field("resource_name_filter", STRING, nullable_since=0),
    Field("pattern_type_filter", INT8),
    Field("principal_filter", STRING, nullable_since=0),
    Field("host_filter", STRING, nullable_since=0),
    Field("operation", INT8),
    Field("permission_type", INT8),
    flexible_since=2,
    check=check_description,
)

_ACL = Struct(
    AclDescription,
    (
        Field("principal", STRING),
        Field("host", STRING),
        Field("operation", INT8),
        Field("permission_type", INT8),
    ),
)
_RESOURCE = Struct(
    DescribeAclsResource,
    (
        Field("resource_type", INT8),
        Field("resource_name", STRING),
        Field("pattern_type", INT8),
        Field("acls", Array(_ACL)),
    ),
)

RESPONSE = message(
    "DescribeAclsResponse",
    DescribeAclsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
    Field("resources", Array(_RESOURCE)),
    flexible_since=2,
)
