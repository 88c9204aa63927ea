"""The Kafka listener: decodes requests and writes replies in order, for controllers and brokers.

A connection handles one request at a time, as Kafka does: while a reply is pending, later requests
wait and reading is paused, so that a connection holds at most the requests of one read. Malformed
bytes close their own connection only, after the replies to the requests before them. All replies of
one turn leave in one write, unless they exceed WRITE_BUFFER_BYTES_MAX. `turns.py` bounds how many
requests of a connection are handled before the others have their turn.
"""

import asyncio
from collections.abc import Callable, Mapping

from ..core.errors import Impossible
from ..core.profile import Profile
from ..core.rpc import ApiVersionsRequest, ApiVersionsResponse, Request
from ..raft.protocol import Reply
from ..wire.frame_reader import FrameReader
from ..wire.frames import REQUEST_BYTES_MAX, Bodies, RequestHeader
from . import api_versions
from .admission import Admission
from .bound_port import bound_port
from .kafka_connection import KafkaConnection
from .listener import Describe, Dispatch, Intercept, Note, Shorten
from .runtime import Runtime

CONNECTIONS_MAX = 20_000  # of one listener; further connections are closed at once
CONNECTIONS_PER_ADDRESS_MAX = 16_000  # a fleet of 5,000 brokers opens 15,000 from one address
SPARE_FILES = 32  # open files that connections leave for HTTP, other controllers and imports
LOOK_S = 30.0  # between two looks for connections that are idle or stuck
BACKLOG = 4096  # pending connections: a fleet opens 3,000 at once; a lost one costs seconds


class KafkaListener:
    """A listener; `kind` ("controller" or "broker") selects its APIs.

    It reads no request before `serve`. `describe(request, version)` answers ApiVersions, whose
    response depends on the requested version; `dispatch(request, reply_to)` handles all other
    requests. `note(address, header, frame)` gets every request before. Requests of
    the types in `intercepted` go to `intercept(connection, header, request)` instead, which may
    reply, close the connection, or call `handle` later. `shortened` has, by the
    name of a request's class, what returns a short path for requests like one that was dispatched.
    `note_refused(address, header)` gets every request whose API or version the listener does not
    have, `note_ended(address, port)` every connection that has ended. A Produce may have
    `produce_bytes_max` bytes, any other request as many, but at most REQUEST_BYTES_MAX.
    """

    def __init__(self, kind: str, name: str) -> None:
        self.name = name
        self.spoken: frozenset[tuple[int, int]] = frozenset()
        self.profile_name = ""
        self._kind = kind
        self.start_time_tag = False
        self.bodies: Bodies = {}
        self.produce_bytes_max = REQUEST_BYTES_MAX
        self.runtime: Runtime | None = None
        self.describe: Describe = _unset_describe
        self.dispatch: Dispatch = _unset_dispatch
        self.note: Note = _ignore_request
        self.note_refused: Callable[[str, RequestHeader], None] = _ignore
        self.note_ended: Callable[[str, int], None] = _ignore_end
        self.intercepted: Mapping[type, object] = {}
        self.intercept: Intercept[KafkaConnection] | None = None
        self.shortened: Mapping[str, Shorten] = {}
        self.connections: dict[KafkaConnection, None] = {}  # in the order of their beginning
        self._admission = Admission(name, spare_files=SPARE_FILES)
        self.is_holding = True
        self._server: asyncio.Server | None = None
        self._look: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """True while the listener accepts connections."""
        return self._server is not None

    def serve(
        self, runtime: Runtime, describe: Describe, dispatch: Dispatch, profile: Profile
    ) -> None:
        """Begin to handle requests, in the versions that the profile has."""
        self.runtime, self.describe, self.dispatch = runtime, describe, dispatch
        self.speak(profile)
        self.hold(False)

    def speak(self, profile: Profile) -> None:
        """Handle requests in the versions that the profile has, from now on."""
        self.profile_name = profile.name
        self.spoken = api_versions.spoken(self._kind, profile)

    async def open(self, host: str, port: int) -> int:
        """Listen on `host` and `port`; returns the bound port (a free one if `port` is 0)."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: KafkaConnection(self), host, port, backlog=BACKLOG
        )
        self._look = loop.call_later(LOOK_S, self._look_at_connections)
        return bound_port(self._server)

    def handle(self, request: Request, version: int, reply_to: Callable[[Reply], None]) -> None:
        """Handle a request that was intercepted."""
        if isinstance(request, ApiVersionsRequest):
            reply_to(self.describe(request, version))
        else:
            self.dispatch(request, reply_to)

    def close(self) -> None:
        """Stop listening and abort every connection, as a killed process does."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._look is not None:
            self._look.cancel()
        self._drop_connections()

    def unserve(self) -> None:
        """Abort every connection, and handle no request until the next `serve`."""
        self.runtime, self.is_holding = None, True
        self._drop_connections()

    def _drop_connections(self) -> None:
        for connection in list(self.connections):
            connection.drop()

    def new_reader(self) -> FrameReader:
        """Returns what splits the bytes of a client into requests."""
        of_produce = self.produce_bytes_max
        return FrameReader(min(REQUEST_BYTES_MAX, of_produce), of_produce)

    def admit(self, connection: KafkaConnection, transport: asyncio.BaseTransport) -> bool:
        """Registers a new connection; returns False if there are too many."""
        if not self._admission.admit(transport, CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_MAX):
            return False
        self.connections[connection] = None
        return True

    def forget(self, connection: KafkaConnection, address: str) -> None:
        """Unregisters a connection that has ended, if it was admitted."""
        if connection in self.connections:
            del self.connections[connection]
            self._admission.forget(address)
            self.note_ended(address, connection.port)

    def _look_at_connections(self) -> None:
        """Close connections that are idle or stuck; a paused process closes none."""
        self._look = asyncio.get_running_loop().call_later(LOOK_S, self._look_at_connections)
        if not self.is_holding:
            for connection in list(self.connections):
                connection.close_if_stuck()

    def hold(self, holding: bool) -> None:
        """Stop reading and replying if `holding`, as a paused process does; otherwise continue."""
        self.is_holding = holding
        for connection in list(self.connections):
            connection.hold(holding)


def _ignore(address: str, header: RequestHeader) -> None:
    """Does nothing with a refused request."""


def _ignore_request(address: str, header: RequestHeader, frame: bytes | memoryview) -> None:
    """Does nothing with a request."""


def _ignore_end(address: str, port: int) -> None:
    """Does nothing with a connection that has ended."""


def _unset_describe(request: ApiVersionsRequest, version: int) -> ApiVersionsResponse:
    raise Impossible("expected the handlers of the listener to be set before it reads a request")


def _unset_dispatch(request: Request, reply_to: Callable[[Reply], None]) -> None:
    raise Impossible("expected the handlers of the listener to be set before it reads a request")
