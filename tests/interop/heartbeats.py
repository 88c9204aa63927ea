"""One broker of a test over a socket: it registers, and times its heartbeats."""

import selectors
import socket
import time
from collections import Counter
from contextlib import ExitStack
from typing import cast

from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationResponse,
    Request,
)
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.wire.frames import decode_response, encode_request
from tests.interop.running import LIMIT_S, Service
from tests.registrations import first_registration

REGISTRATION, HEARTBEAT = (62, 4), (63, 1)  # api key and version
CONNECTIONS, IN_FLIGHT = 64, 32  # of a flood: far more than a controller can handle at once
UP_TO_DATE = 1 << 40  # a metadata offset that no log of a test reaches


class TimedBroker:
    """A registered broker with one connection to the controller."""

    def __init__(self, kraft: Service, broker_id: int) -> None:
        host, port = kraft.controller.rsplit(":", 1)
        self._address = host, int(port)
        self._connection = socket.create_connection(self._address, timeout=LIMIT_S)
        self._id = broker_id
        reply = self._ask(REGISTRATION, first_registration(broker_id, kraft.cluster_id))
        assert isinstance(reply, BrokerRegistrationResponse), reply
        self._epoch = reply.broker_epoch

    @property
    def _heartbeat(self) -> BrokerHeartbeatRequest:
        return BrokerHeartbeatRequest(
            broker_id=self._id,
            broker_epoch=self._epoch,
            current_metadata_offset=UP_TO_DATE,
            want_fence=False,
            want_shut_down=False,
        )

    def heartbeat_ms(self) -> float:
        """Sends a heartbeat; returns the milliseconds until its response."""
        began = time.perf_counter()
        reply = self._ask(HEARTBEAT, self._heartbeat)
        took_ms = (time.perf_counter() - began) * 1000
        assert isinstance(reply, BrokerHeartbeatResponse), reply
        assert reply.error_code == 0, reply
        return took_ms

    def flood(self, seconds: float) -> int:
        """Keeps IN_FLIGHT heartbeats under way on each of many connections; returns the replies."""
        frame = encode_request(*HEARTBEAT, 1, "flood", self._heartbeat)
        reply_bytes = len(self._reply_to(frame))
        received_bytes, end_s = Counter[socket.socket](), time.monotonic() + seconds
        with ExitStack() as opened, selectors.DefaultSelector() as ready:
            for _ in range(CONNECTIONS):
                connection = opened.enter_context(socket.create_connection(self._address))
                connection.sendall(frame * IN_FLIGHT)
                ready.register(connection, selectors.EVENT_READ)
            while time.monotonic() < end_s:
                for key, _ in ready.select(timeout=1.0):
                    flooding = cast(socket.socket, key.fileobj)
                    before = received_bytes[flooding] // reply_bytes
                    received_bytes[flooding] += len(flooding.recv(65536))
                    replies = received_bytes[flooding] // reply_bytes - before
                    flooding.sendall(frame * replies)
        return received_bytes.total() // reply_bytes

    def close(self) -> None:
        self._connection.close()

    def _ask(self, api: tuple[int, int], request: Request) -> Reply:
        reply = self._reply_to(encode_request(*api, 1, "test", request))
        return decode_response(*api, reply[4:])[1]

    def _reply_to(self, frame: bytes) -> bytes:
        """The reply to a request, with its length."""
        self._connection.sendall(frame)
        data = b""
        while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
            received = self._connection.recv(65536)
            assert received, "the controller closed the connection"
            data += received
        return data
