"""What a connection of a Kafka client needs of its listener."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from ..core.rpc import ApiVersionsRequest, ApiVersionsResponse, Request
from ..raft.protocol import Reply
from ..wire.frame_reader import FrameReader
from ..wire.frames import Bodies, Exchange, RequestHeader
from .runtime import Runtime

Connection = TypeVar("Connection")
Whole = bytes | bytearray
"""A frame with its length."""


class ShortPath(Protocol):
    """Answers frames that repeat a request but for what it carries, without decoding them."""

    @property
    def exchange(self) -> Exchange:
        """The codec of the request."""

    @property
    def request(self) -> Request:
        """The request that is repeated."""

    def matches(self, whole: Whole, /) -> bool:
        """True if the frame repeats the request."""

    def answer(self, whole: Whole, client: "Client", /) -> Sequence[bytes] | None:
        """Returns the pieces of the reply to a frame; none if the client gets them later.

        Returns None if it has done nothing, because the request has to be decoded.
        """


class Client(Protocol):
    """A connection whose request is answered later."""

    def send(self, pieces: Sequence[bytes], /) -> None:
        """Sends the pieces of a frame."""

    def reply(self, reply: Reply, /) -> None:
        """Encodes and sends a reply."""


Shorten = Callable[[Exchange, Request], ShortPath | None]

Describe = Callable[[ApiVersionsRequest, int], ApiVersionsResponse]
Dispatch = Callable[[Request, Callable[[Reply], None]], None]
Note = Callable[[str, RequestHeader, bytes | memoryview], None]
Intercept = Callable[[Connection, RequestHeader, Request], None]


class Listener(Protocol[Connection]):
    """The listener of a connection (`kafka_listener.py`), as the connection sees it."""

    name: str
    spoken: frozenset[tuple[int, int]]
    start_time_tag: bool
    bodies: Bodies
    runtime: Runtime | None
    describe: Describe
    dispatch: Dispatch
    note: Note
    note_refused: Callable[[str, RequestHeader], None]
    intercepted: Mapping[type, object]
    intercept: Intercept[Connection] | None
    shortened: Mapping[str, Shorten]
    is_holding: bool

    def new_reader(self) -> FrameReader:
        """Returns what splits the bytes of a client into requests of at most a size."""

    def admit(self, connection: Connection, transport: asyncio.BaseTransport) -> bool:
        """Registers a new connection; returns False if there are too many."""

    def forget(self, connection: Connection, address: str) -> None:
        """Unregisters a connection that has ended, if it was admitted."""
