"""Listeners of one cluster: a request goes to each in turn until one that may answer it does."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import TypeVar

from kraftsim.controller.core import rpc
from kraftsim.controller.core.api_row import READ
from kraftsim.controller.core.apis import row_of
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc.cluster import CONTROLLER_ENDPOINT
from kraftsim.controller.server.kafka_caller import Address

from .connection import Connection, open_connection, text_of
from .errors import AdminError, NoResponse, error_of

RETRY_S = 0.1
WAY_OUT = (
    "give the addresses of all controllers of the quorum, and check that a majority of its voters "
    "runs"
)
MAY_BE_MADE = "the change was sent and may have been made: look before you send it again"
_NOT_LEADER = (ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_LEADER_OR_FOLLOWER)
Result = TypeVar("Result")
_CONTROLLERS = rpc.DescribeClusterRequest(endpoint_type=CONTROLLER_ENDPOINT)


class Listeners:
    """Brokers or controllers; a call may take `timeout_s` seconds.

    There is one connection to an address, opened at the first request and again after it ended.
    """

    def __init__(self, addresses: Sequence[Address], timeout_s: float) -> None:
        self._addresses = list(dict.fromkeys(addresses))
        self._first = self._addresses[0]  # the address that the next request goes to first
        self._timeout_s = timeout_s
        self._connections: dict[Address, Connection] = {}
        self._opening: dict[Address, asyncio.Lock] = {}
        self._is_closed = False

    def close(self) -> None:
        """Closes all connections; calls in flight raise AdminError."""
        self._is_closed = True
        for connection in self._connections.values():
            connection.close()

    async def ask(self, request: rpc.Request, min_version: int = 0) -> rpc.Response:
        """Returns the first response that is no refusal for the lack of leadership.

        Other refusals are returned as responses. Raises AdminError if no server answers, if none
        leads within the time limit, or if the connection ends after a change was sent.
        """
        loop = asyncio.get_running_loop()
        end_s = loop.time() + self._timeout_s
        while True:
            response = await self._ask_each(request, min_version, end_s)
            code, _ = error_of(response)
            if code not in _NOT_LEADER:
                return response
            if loop.time() + RETRY_S > end_s:
                named = ", ".join(text_of(address) for address in self._addresses)
                raise AdminError(code, f"no leader among {named}: {WAY_OUT}")
            await asyncio.sleep(RETRY_S)

    async def _ask_each(self, request: rpc.Request, min_version: int, end_s: float) -> rpc.Response:
        """Returns the response of the leader, else that of a listener that does not lead.

        Raises AdminError if no listener answers.
        """
        refusal: rpc.Response | None = None
        reasons: list[str] = []
        addresses = sorted(self._addresses, key=lambda address: address != self._first)
        for position, address in enumerate(addresses):
            limit_s = _share_of(end_s, len(addresses) - position)
            try:
                response = await self._ask_at(address, request, min_version, limit_s, end_s)
            except NoResponse as failure:
                reasons.append(f"{text_of(address)} ({failure})")
                continue
            if error_of(response)[0] not in _NOT_LEADER:
                self._first = address
                return response
            refusal = response
            with suppress(AdminError, NoResponse):
                self._learn(await self._ask_at(address, _CONTROLLERS, 1, limit_s, limit_s))
        if refusal is None:
            raise AdminError(None, f"no Kafka listener answers at {', '.join(reasons)}")
        return refusal

    async def _ask_at(
        self, address: Address, request: rpc.Request, min_version: int, limit_s: float, end_s: float
    ) -> rpc.Response:
        """Asks one listener until `limit_s`; waits for a change until `end_s`, once it was sent."""
        connection = await _before(limit_s, self._connection(address), was_sent=False)
        is_change = row_of(request).controller is not READ
        answer = connection.request(request, min_version)
        try:
            return await _before(end_s if is_change else limit_s, answer, was_sent=True)
        except NoResponse as failure:
            connection.retire()
            if is_change and failure.was_sent:
                text = f"{connection.name} ({failure}): {MAY_BE_MADE}"
                raise AdminError(None, text) from None
            raise

    async def _connection(self, address: Address) -> Connection:
        """Returns the connection to an address; concurrent calls share one attempt to open it."""
        async with self._opening.setdefault(address, asyncio.Lock()):
            if self._is_closed:
                raise AdminError(None, "the client is closed: create another with `Admin(...)`")
            known = self._connections.get(address)
            if known is not None and known.is_open:
                return known
            self._connections[address] = await open_connection(address)
            return self._connections[address]

    def _learn(self, response: rpc.Response) -> None:
        """Adds the addresses of the controllers that a controller knows."""
        assert isinstance(response, rpc.DescribeClusterResponse), type(response)
        for node in response.brokers:
            address = (node.host, node.port)
            if address not in self._addresses:
                self._addresses.append(address)
            if node.broker_id == response.controller_id:
                self._first = address


def _share_of(end_s: float, listeners: int) -> float:
    """Returns the time limit of the next listener: all that are left get an equal share."""
    now_s = asyncio.get_running_loop().time()
    return now_s + max(0.0, end_s - now_s) / listeners


async def _before(limit_s: float, call: Awaitable[Result], *, was_sent: bool) -> Result:
    """Returns the result of a call; raises NoResponse if it is not over at `limit_s`."""
    begun_s = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout_at(limit_s):
            return await call
    except TimeoutError:
        reason = f"no response in {limit_s - begun_s:.1f} s"
        raise NoResponse(reason, was_sent=was_sent) from None
