"""`POST /kafka/{ApiName}`: every Kafka API that the controller handles, with JSON bodies.

Requests and responses have the types of the wire, with field names in lowerCamel; a refusal adds
`error` and `message`. DecommissionBroker exists only here, not on the wire (KIP-631).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from kraftsim.controller.core import rpc
from kraftsim.controller.core.apis import ROWS
from kraftsim.controller.core.errors import ApiError, ErrorCode, error_name
from kraftsim.controller.core.handlers import refusal
from kraftsim.controller.core.rpc.cluster import BROKER_ENDPOINT
from kraftsim.controller.wire.apis.table import APIS, DECOMMISSION_BROKER, Api
from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.json.json_form import from_json, to_json
from kraftsim.scenarios.language.suggestions import whole_number

from ..errors import CommandError
from ..service.cluster_description import client_view

if TYPE_CHECKING:
    from ..api.cluster import Cluster

Note = Callable[[Api, Document], None]  # adds a request to the journal of requests

KAFKA_APIS: dict[str, Api] = {
    row.name: APIS.get(row.key, DECOMMISSION_BROKER) for row in ROWS.values() if row.http
}


async def answer_kafka_api(
    kraft: "Cluster", note: Note, name: str, body: dict[str, object], version: str | None
) -> Document:
    """Sends the request `body` of the API `name` and returns the response as a JSON document.

    `note` adds the request to the journal of requests.

    Raises JsonError or CommandError if the body is not a valid request.
    """
    api = KAFKA_APIS[name]
    _check_version(api, version)
    request = _with_directory(cast(rpc.Request, from_json(api.request, body)))
    note(api, body)
    try:
        response = await _answer(kraft, request)
    except ApiError as error:
        document = to_json(api.response, refusal(request, error))
        return document | {
            "errorCode": int(error.code),
            "error": http_error_name(error.code),
            "message": error.message,
        }
    return document_of(api, response)


def document_of(api: Api, response: rpc.Response) -> Document:
    """Returns the response as JSON; a refusal of the whole request adds `error` and `message`."""
    document: Document = {"errorCode": 0, **to_json(api.response, response)}
    code = document["errorCode"]
    if isinstance(code, int) and code:
        message = document.get("errorMessage") or "refused"
        document |= {"error": http_error_name(code), "message": message}
    return document


def http_error_name(code: int) -> str:
    """Returns the name of a Kafka error code. 104 is INVALID_CLUSTER_ID, as in KIP-631."""
    if code == ErrorCode.INCONSISTENT_CLUSTER_ID:
        return "INVALID_CLUSTER_ID"
    return error_name(code)


def _with_directory(request: rpc.Request) -> rpc.Request:
    """Adds a log directory to a registration without one, which HTTP allows."""
    if isinstance(request, rpc.BrokerRegistrationRequest) and not request.log_dirs:
        return replace(request, log_dirs=(request.incarnation_id,))
    return request


async def _answer(kraft: "Cluster", request: rpc.Request) -> rpc.Response:
    if isinstance(request, rpc.DescribeClusterRequest) and request.endpoint_type == BROKER_ENDPOINT:
        answer = partial(client_view(kraft.world).answer_brokers, kraft.world.committed)
        return await kraft.request(request, answer)
    return await kraft.request(request)


def _check_version(api: Api, version: str | None) -> None:
    if version is None:
        return
    number = whole_number(version)
    if number is None or not api.speaks(number):
        raise CommandError(
            f"version: expected {api.min_version} to {api.max_version} of {api.name}, "
            f"got {version!r}"
        )
