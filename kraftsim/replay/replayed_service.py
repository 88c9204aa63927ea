"""Listeners without sockets, which get the frames of a recording."""

import asyncio
from collections.abc import Mapping
from typing import Any

from kraftsim.controller.server.kafka_connection import KafkaConnection

from ..service.followed_listener import FollowedListener
from ..service.listeners import Service

HOST = "127.0.0.1"  # no socket is opened


class ReplayedListener(FollowedListener):
    """A listener that is always open, and that has a connection of its own for each frame."""

    @property
    def is_open(self) -> bool:
        """True: a process that starts again has nothing to bind."""
        return True

    def handle_frame(self, frame: bytes) -> None:
        """Handles the frame of a request, as if a client had sent it; the response is dropped."""
        connection = KafkaConnection(self)
        connection.connection_made(_NoTransport())
        connection.data_received(len(frame).to_bytes(4, "big") + frame)

    def admit(self, connection: KafkaConnection, transport: asyncio.BaseTransport) -> bool:
        """Admits the connection, and does not keep it."""
        return True


class ReplayedService(Service):
    """The listeners of a cluster that is replayed, at the recorded `ports`, by name."""

    def __init__(self, ports: Mapping[str, int], retention_bytes: int) -> None:
        super().__init__(HOST, retention_bytes=retention_bytes)
        self.ports = dict(ports)

    def watch_loop(self) -> None:
        """Does nothing: nobody waits for a replay to respond."""

    async def open_controller(self, node_id: int, port: int) -> int:
        """Adds the listener of a controller at its recorded port."""
        listener = self.controllers[node_id] = self._listener("controller", node_id, port)
        return listener.port

    async def open_broker(self, broker_id: int, port: int) -> int:
        """Adds the listener of a broker at its recorded port."""
        listener = self.brokers[broker_id] = self._listener("broker", broker_id, port)
        return listener.port

    def _listener(self, kind: str, number: int, port: int) -> ReplayedListener:
        listener = ReplayedListener(kind, f"{kind}-{number}", HOST)
        listener.port = self.ports.get(listener.name, port)
        return listener


class _NoTransport(asyncio.Transport):
    """A connection to nobody: what is written is dropped, and nothing arrives."""

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def write(self, data: object) -> None:
        pass

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def abort(self) -> None:
        pass
