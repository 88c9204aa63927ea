"""What a connection of a Kafka client needs of its listener."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from ..core.rpc import ApiVersionsRequest, ApiVersionsResponse, Request
from ..raft.protocol import Reply
from ..wire.frames import Bodies, RequestHeader
from .runtime import Runtime

Connection = TypeVar("Connection")

Describe = Callable[[ApiVersionsRequest, int], ApiVersionsResponse]
Dispatch = Callable[[Request, Callable[[Reply], None]], None]
Note = Callable[[str, RequestHeader, bytes], None]
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
    note: Note | None
    note_refused: Callable[[str, RequestHeader], None]
    intercepted: Mapping[type, object]
    intercept: Intercept[Connection] | None
    is_holding: bool

    def admit(self, connection: Connection, transport: asyncio.BaseTransport) -> bool:
        """Registers a new connection; returns False if there are too many."""

    def forget(self, connection: Connection, address: str) -> None:
        """Unregisters a connection that has ended, if it was admitted."""
