"""How a node with PLAINTEXT listeners refuses SASL and delegation tokens, as Kafka does."""

from dataclasses import fields
from typing import Any

from ..apis import row_of
from ..errors import ApiError, ErrorCode
from ..rpc import Request, Response

_NEVER_MS = -1
_USER, _ANONYMOUS = "User", "ANONYMOUS"
_AUTHENTICATED = "SaslAuthenticate request received after successful authentication"


def refused_by_controller(request: Request) -> Response:
    """Returns the response of a controller to a request of delegation tokens.

    Raises the ApiError of every other request that controllers refuse.
    """
    row = row_of(request)
    code = row.broker_error if row.controller_error is None else row.controller_error
    if code == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED:
        return refused_token(request)
    raise ApiError(code, _AUTHENTICATED if code == ErrorCode.ILLEGAL_SASL_STATE else "")


def refused_token(request: Request) -> Response:
    """Returns the response to a request of delegation tokens over a PLAINTEXT listener."""
    model: type[Any] = request.RESPONSE
    code = ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    response: Response = model(error_code=code, **_values(model, request))
    return response


def _values(model: type, request: Any) -> dict[str, Any]:
    """Returns the fields in which a response without a token differs from an empty one."""
    names = {field.name for field in fields(model)}
    times = dict.fromkeys((name for name in names if name.endswith("_timestamp_ms")), _NEVER_MS)
    if "principal_type" not in names:
        return times
    return times | {
        "principal_type": request.owner_principal_type or _USER,
        "principal_name": request.owner_principal_name or _ANONYMOUS,
        "token_requester_principal_type": _USER,
        "token_requester_principal_name": _ANONYMOUS,
    }
