"""AlterUserScramCredentials (51), version 0: credentials of users are set and removed."""

from ...core.rpc.scram import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from ..codec.schema import BYTES, INT8, INT16, INT32, STRING, Array, Field, Struct, message

VERSIONS = (0, 0)

_DELETION = Struct(ScramCredentialDeletion, (Field("name", STRING), Field("mechanism", INT8)))
_UPSERTION = Struct(
    ScramCredentialUpsertion,
    (
        Field("name", STRING),
        Field("mechanism", INT8),
        Field("iterations", INT32),
        Field("salt", BYTES),
        Field("salted_password", BYTES),
    ),
)

REQUEST = message(
    "AlterUserScramCredentialsRequest",
    AlterUserScramCredentialsRequest,
    VERSIONS,
    Field("deletions", Array(_DELETION)),
    Field("upsertions", Array(_UPSERTION)),
)

_RESULT = Struct(
    AlterUserScramCredentialsResult,
    (
        Field("user", STRING),
        Field("error_code", INT16),
        Field("error_message", STRING, nullable_since=0),
    ),
)

RESPONSE = message(
    "AlterUserScramCredentialsResponse",
    AlterUserScramCredentialsResponse,
    VERSIONS,
    Field("throttle_time_ms", INT32),
    Field("results", Array(_RESULT)),
)
