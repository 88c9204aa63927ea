"""How a node with PLAINTEXT listeners refuses SASL and delegation tokens, as Kafka does."""

from collections.abc import Mapping
from typing import Any

from ..errors import ApiError, ErrorCode
from ..rpc import DataPlaneRequest, DataPlaneResponse

SASL_HANDSHAKE, SASL_AUTHENTICATE = 17, 36
CREATE_TOKEN, RENEW_TOKEN, EXPIRE_TOKEN, DESCRIBE_TOKEN = range(38, 42)
_NEVER_MS = -1
_USER, _ANONYMOUS = "User", "ANONYMOUS"
_REFUSALS: Mapping[int, ApiError] = {
    SASL_HANDSHAKE: ApiError(ErrorCode.ILLEGAL_SASL_STATE, ""),
    SASL_AUTHENTICATE: ApiError(
        ErrorCode.ILLEGAL_SASL_STATE,
        "SaslAuthenticate request received after successful authentication",
    ),
    DESCRIBE_TOKEN: ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, ""),  # listed, and not handled
}


def refused_by_controller(request: DataPlaneRequest) -> DataPlaneResponse:
    """Returns the response of a controller to a request of SASL or of delegation tokens."""
    refusal = _REFUSALS.get(request.api_key)
    return refused_token(request) if refusal is None else request.refused(refusal)


def refused_token(request: DataPlaneRequest) -> DataPlaneResponse:
    """Returns the response to a request of delegation tokens over a PLAINTEXT listener."""
    values = {"error_code": ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED} | _values(request)
    respond: Any = request.response
    response: DataPlaneResponse = respond(**values)
    return response


def _values(request: Any) -> dict[str, Any]:
    """Returns the fields in which a response without a token differs from an empty one."""
    if request.api_key in (RENEW_TOKEN, EXPIRE_TOKEN):
        return {"expiry_timestamp_ms": _NEVER_MS}
    if request.api_key != CREATE_TOKEN:
        return {}
    times = ("issue_timestamp_ms", "expiry_timestamp_ms", "max_timestamp_ms")
    return dict.fromkeys(times, _NEVER_MS) | {
        "principal_type": request.owner_principal_type or _USER,
        "principal_name": request.owner_principal_name or _ANONYMOUS,
        "token_requester_principal_type": _USER,
        "token_requester_principal_name": _ANONYMOUS,
    }
