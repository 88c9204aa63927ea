"""Kafka's wire to the brokers of one side: requests that are answered, and writes that wait."""

import socket
from collections.abc import Callable
from contextlib import suppress
from select import select
from typing import Any, cast

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import encode_request
from kraftsim.controller.wire.json.json_form import from_json
from tests.differential.listener.replies import document_of

LIMIT_S = 60.0
POLL_S = 0.02
API_VERSIONS = 18

PassTime = Callable[[float], None]


class Line:
    """A connection on which requests are sent, and answered in order."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), LIMIT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = bytearray()
        self._asked: list[tuple[int, int]] = []
        self.is_closed = False

    def close(self) -> None:
        self._socket.close()

    def send(self, key: int, version: int, body: dict[str, Any], *, answers: bool = True) -> None:
        request = cast(Request, from_json(APIS[key].request, body))
        if answers:
            self._asked.append((key, version))
        try:
            self._socket.sendall(encode_request(key, version, 1, "judge", request))
        except OSError:
            self.is_closed = True

    def reply(self) -> Any | None:
        """The next reply, if it is there; waits for a moment."""
        while not self.is_closed and select([self._socket], [], [], POLL_S)[0]:
            data = b""
            with suppress(OSError):
                data = self._socket.recv(1 << 20)
            self.is_closed = not data
            self._received += data
            size = int.from_bytes(self._received[:4], "big") if len(self._received) >= 4 else -1
            if 0 <= size <= len(self._received) - 4:
                frame = bytes(self._received[4 : 4 + size])
                del self._received[: 4 + size]
                return document_of(*self._asked.pop(0), frame)
        return None


class Brokers:
    """The listeners of one side; time passes while a reply is awaited."""

    def __init__(self, ports: dict[int, int], pass_time: PassTime) -> None:
        self._ports = ports
        self._pass_time = pass_time
        self._lines: dict[int, Line] = {}

    def close(self) -> None:
        for line in self._lines.values():
            line.close()
        self._lines.clear()

    def forget(self, broker_id: int) -> None:
        """Closes the connection to a broker that does not answer from now on, or never did."""
        if line := self._lines.pop(broker_id, None):
            line.close()

    def open(self, broker_id: int) -> Line:
        """A new connection, which its user closes."""
        return Line(self._ports[broker_id])

    def ask(self, broker_id: int, key: int, version: int, body: dict[str, Any]) -> Any:
        """Raises ConnectionError if the broker has closed the connection, TimeoutError if it does
        not answer; the next request has a new connection."""
        line = self._lines.get(broker_id) or self.open(broker_id)
        self._lines[broker_id] = line
        try:
            line.send(key, version, body)
            return self.await_reply(line)
        except OSError:
            line.close()
            del self._lines[broker_id]
            raise

    def await_reply(self, line: Line) -> Any:
        passed_s = 0.0
        while passed_s < LIMIT_S:
            if (reply := line.reply()) is not None:
                return reply
            if line.is_closed:
                raise ConnectionError("expected a reply, the connection was closed")
            self._pass_time(POLL_S)
            passed_s += POLL_S
        raise TimeoutError(f"expected a reply within {LIMIT_S:.0f} s")
