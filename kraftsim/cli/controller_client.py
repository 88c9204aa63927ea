"""The CLI's client for controllers without HTTP, over Kafka's wire protocol."""

import asyncio
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import DescribeQuorumResponse, Request, Response
from kraftsim.controller.server.kafka_caller import Address, KafkaCaller
from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.json.json_form import from_json

from ..errors import CommandError, Unreachable
from ..http.kafka_json import KAFKA_APIS, document_of
from ..service.log_lines import LogLimit

ANSWER_LIMIT_S = 5.0  # per controller, which itself limits a change of the voters to 2 s
LEADER_LIMIT_S = 10.0  # an election takes 2 to 4 s
RETRY_S = 0.1


def request_from_leader(addresses: Sequence[Address], api: str, body: Document) -> Document:
    """Sends a request to the controller that leads and returns its response as JSON.

    Raises Unreachable if no controller answers, CommandError if none leads within LEADER_LIMIT_S,
    or if the leader refuses.
    """
    request: Request = from_json(KAFKA_APIS[api].request, body)
    with _limited_warnings():
        response = asyncio.run(_answer(addresses, request))
    document = document_of(KAFKA_APIS[api], response)
    if document["errorCode"]:
        raise CommandError(f"{document['error']}: {document['message']}")
    return document


@contextmanager
def _limited_warnings() -> Iterator[None]:
    """Limits the warnings of the connections, of which each attempt may cause one."""
    log, limit = logging.getLogger(KafkaCaller.__module__), LogLimit()
    log.addFilter(limit)
    try:
        yield
    finally:
        log.removeFilter(limit)


async def _answer(addresses: Sequence[Address], request: Request) -> Response:
    """Sends the request to each controller in turn until one accepts it as the leader.

    A controller that does not lead refuses it, which has no effect.
    """
    named = ", ".join(f"{host}:{port}" for host, port in addresses)
    end_s = time.monotonic() + LEADER_LIMIT_S
    while time.monotonic() < end_s:
        is_answered = False
        for address in addresses:
            response = await _response(address, request)
            if response is not None and not _is_not_leader(response):
                return response
            is_answered = is_answered or response is not None
        if not is_answered:
            raise Unreachable(
                f"no controller answers at {named}: start one with `kraftsim controller run`, or "
                "give other addresses with --bootstrap-controllers"
            )
        await asyncio.sleep(RETRY_S)
    raise CommandError(
        f"no leader among {named}: give the addresses of all controllers of the quorum, and check "
        "that a majority of its voters runs"
    )


async def _response(address: Address, request: Request) -> Response | None:
    """Sends the request to one controller; returns None if the controller does not answer."""
    answered: asyncio.Future[Response | None] = asyncio.get_running_loop().create_future()
    caller = KafkaCaller("kraftsim", lambda action: action())
    caller.send(address, request, answered.set_result)
    try:
        async with asyncio.timeout(ANSWER_LIMIT_S):
            return await answered
    except TimeoutError:
        return None
    finally:
        caller.drop()


def _is_not_leader(response: Response) -> bool:
    if isinstance(response, DescribeQuorumResponse):
        code = response.topics[0].partitions[0].error_code
    else:
        code = getattr(response, "error_code", ErrorCode.NONE)
    return code == ErrorCode.NOT_LEADER_OR_FOLLOWER
