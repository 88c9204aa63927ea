"""The CLI's client for controllers without HTTP, over Kafka's wire protocol."""

import asyncio
from collections.abc import Sequence

from kraftsim.controller.core.rpc import Request, Response
from kraftsim.controller.server.kafka_caller import Address
from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.json.json_form import from_json

from ..admin.errors import AdminError
from ..admin.listeners import Listeners
from ..errors import CommandError, Unreachable
from ..http.kafka_json import KAFKA_APIS, document_of

LEADER_LIMIT_S = 10.0  # an election takes 2 to 4 s


def request_from_leader(addresses: Sequence[Address], api: str, body: Document) -> Document:
    """Sends a request to the controller that leads and returns its response as JSON.

    Raises Unreachable if no controller answers, CommandError if none leads within LEADER_LIMIT_S,
    or if the leader refuses.
    """
    request: Request = from_json(KAFKA_APIS[api].request, body)
    document = document_of(KAFKA_APIS[api], asyncio.run(_response(addresses, request)))
    if document["errorCode"]:
        raise CommandError(f"{document['error']}: {document['message']}")
    return document


async def _response(addresses: Sequence[Address], request: Request) -> Response:
    listeners = Listeners(addresses, LEADER_LIMIT_S)
    try:
        return await listeners.ask(request)
    except AdminError as error:
        if error.code is not None:
            raise
        raise Unreachable(
            f"{error}: start a controller with `kraftsim controller run`, or give other addresses "
            "with --bootstrap-controllers"
        ) from None
    finally:
        listeners.close()
