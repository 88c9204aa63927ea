"""DescribeUserScramCredentials (50), version 0: the mechanisms and iterations of users."""

from ...core.rpc.scram import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
    UserName,
)
from ..codec.schema import INT8, INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (0, 0)

REQUEST = message(
    "DescribeUserScramCredentialsRequest",
    DescribeUserScramCredentialsRequest,
    VERSIONS,
    Field("users", Array(Struct(UserName, (Field("name", STRING),))), nullable_since=0),
)

_INFO = Struct(CredentialInfo, (Field("mechanism", INT8), Field("iterations", INT32)))
_RESULT = Struct(
    DescribeUserScramCredentialsResult,
    (
        Field("user", STRING),
        Field("error_code", INT16),
        Field("error_message", STRING, nullable_since=0),
        Field("credential_infos", Array(_INFO)),
    ),
)

RESPONSE = message(
    "DescribeUserScramCredentialsResponse",
    DescribeUserScramCredentialsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("error_code", INT16),
    Field("error_message", STRING, nullable_since=0),
    Field("results", Array(_RESULT)),
)
