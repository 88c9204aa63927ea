"""CreateAcls (30), versions 1 to 3: access control entries are added."""

from ...core.rpc.acls import AclCreation, AclCreationResult, CreateAclsRequest, CreateAclsResponse
from ..codec.schema import INT8, INT16, INT32, STRING, Array, Field, Struct, message
from .refused_requests import check_creation

VERSIONS = (1, 3)

_CREATION = Struct(
    AclCreation,
    (
        Field("resource_type", INT8),
        Field("resource_name", STRING),
        Field("resource_pattern_type", INT8),
        Field("principal", STRING),
        Field("host", STRING),
        Field("operation", INT8),
        Field("permission_type", INT8),
    ),
)

REQUEST = message(
    "CreateAclsRequest",
    CreateAclsRequest,
    VERSIONS,
    Field("creations", Array(_CREATION)),
    flexible_since=2,
    check=check_creation,
)

_RESULT = Struct(
    AclCreationResult,
    (Field("error_code", INT16), Field("error_message", STRING, nullable_since=0)),
)

RESPONSE = message(
    "CreateAclsResponse",
    CreateAclsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("results", Array(_RESULT)),
    flexible_since=2,
)
