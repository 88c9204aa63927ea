"""DeleteAcls (31), versions 1 to 3: the access control entries that filters select are removed."""

from ...core.rpc.acls import (
    DeleteAclsFilter,
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from ..codec.schema import INT8, INT16, INT32, STRING, Array, Field, Struct, message
from .refused_requests import check_deletion

VERSIONS = (1, 3)

_FILTER = Struct(
    DeleteAclsFilter,
    (
        Field("resource_type_filter", INT8),
        Field("resource_name_filter", STRING, nullable_since=0),
        Field("pattern_type_filter", INT8),
        Field("principal_filter", STRING, nullable_since=0),
        Field("host_filter", STRING, nullable_since=0),
        Field("operation", INT8),
        Field("permission_type", INT8),
    ),
)

REQUEST = message(
    "DeleteAclsRequest",
    DeleteAclsRequest,
    VERSIONS,
    Field("filters", Array(_FILTER)),
    flexible_since=2,
    check=check_deletion,
)

_ERROR = (Field("error_code", INT16), Field("error_message", STRING, nullable_since=0))
_MATCHING = Struct(
    DeleteAclsMatchingAcl,
    (
        *_ERROR,
        Field("resource_type", INT8),
        Field("resource_name", STRING),
        Field("pattern_type", INT8),
        Field("principal", STRING),
        Field("host", STRING),
        Field("operation", INT8),
        Field("permission_type", INT8),
    ),
)
_RESULT = Struct(DeleteAclsFilterResult, (*_ERROR, Field("matching_acls", Array(_MATCHING))))

RESPONSE = message(
    "DeleteAclsResponse",
    DeleteAclsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("filter_results", Array(_RESULT)),
    flexible_since=2,
)
