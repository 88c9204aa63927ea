"""Listeners of one cluster: a request goes to each in turn until one that may answer it does."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    DescribeClusterRequest,
    DescribeClusterResponse,
    RemoveRaftVoterRequest,
    Request,
    Response,
    UnregisterBrokerRequest,
)
from kraftsim.controller.core.rpc.cluster import CONTROLLER_ENDPOINT
from kraftsim.controller.server.kafka_caller import Address

from .connection import Connection, open_connection, text_of
from .errors import AdminError, NoResponse, error_of

RETRY_S = 0.1
_CHANGES = (UnregisterBrokerRequest, AddRaftVoterRequest, RemoveRaftVoterRequest)
_NOT_LEADER = (ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_LEADER_OR_FOLLOWER)
_CONTROLLERS = DescribeClusterRequest(endpoint_type=CONTROLLER_ENDPOINT)


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

    async def ask(self, request: Request, min_version: int = 0) -> Response:
        """Returns the first response that is no refusal for the lack of leadership.

        Other refusals are returned as responses. Raises AdminError if no server answers, if none
        leads within the time limit, or if the connection ends after a change was sent.
        """
        end_s = asyncio.get_running_loop().time() + self._timeout_s
        while True:
            refused: list[tuple[Address, int]] = []
            reasons: list[str] = []
            addresses = sorted(self._addresses, key=lambda address: address != self._first)
            for position, address in enumerate(addresses):
                share = 1 / (len(addresses) - position)
                try:
                    response = await self._ask_at(address, request, min_version, end_s, share)
                except NoResponse as failure:
                    reasons.append(f"{text_of(address)} ({failure})")
                    continue
                code, _ = error_of(response)
                if code not in _NOT_LEADER:
                    self._first = address
                    return response
                refused.append((address, code))
            if not refused:
                raise AdminError(None, f"no Kafka listener answers at {', '.join(reasons)}")
            await self._find_leader(refused, end_s)

    async def _ask_at(
        self, address: Address, request: Request, min_version: int, end_s: float, share: float
    ) -> Response:
        """Asks one listener, which may take that share of the time that is left."""
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        limit_s = begun_s + max(0.0, end_s - begun_s) * share
        try:
            async with asyncio.timeout_at(limit_s):
                connection = await self._connection(address)
        except TimeoutError:
            raise NoResponse(f"no response in {limit_s - begun_s:.1f} s", was_sent=False) from None
        is_change = isinstance(request, _CHANGES)
        limit_s = end_s if is_change else limit_s
        try:
            async with asyncio.timeout_at(limit_s):
                return await connection.request(request, min_version)
        except TimeoutError:
            connection.retire()
            failure = NoResponse(f"no response in {limit_s - begun_s:.1f} s", was_sent=True)
        except NoResponse as error:
            failure = error
        if is_change and failure.was_sent:
            text = "the change was sent and may have been made: look before you send it again"
            raise AdminError(None, f"{connection.name} ({failure}): {text}") from None
        raise failure

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

    async def _find_leader(self, refused: Sequence[tuple[Address, int]], end_s: float) -> None:
        """Adds the controllers that a listener knows; AdminError if the time is over."""
        if asyncio.get_running_loop().time() + RETRY_S > end_s:
            named = ", ".join(text_of(address) for address in self._addresses)
            raise AdminError(
                refused[0][1],
                f"no leader among {named}: give the addresses of all controllers of the quorum, "
                "and check that a majority of its voters runs",
            )
        for address, _ in refused:
            with suppress(AdminError, NoResponse):
                self._learn(await self._ask_at(address, _CONTROLLERS, 1, end_s, share=0.5))
        await asyncio.sleep(RETRY_S)

    def _learn(self, response: Response) -> None:
        assert isinstance(response, DescribeClusterResponse), type(response)
        for node in response.brokers:
            address = (node.host, node.port)
            if address not in self._addresses:
                self._addresses.append(address)
            if node.broker_id == response.controller_id:
                self._first = address
