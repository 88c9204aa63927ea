"""A client of any broker: creates and deletes topics, and finds their leaders."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    Request,
)
from kraftsim.controller.wire.frames import decode_response, encode_request

LIMIT_S = 30.0


class Client:
    """One connection; `ask` sends a request and returns the response."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)

    def close(self) -> None:
        """Closes the connection."""
        self._socket.close()

    def ask(self, key: int, version: int, request: Request) -> Any:
        """Sends a request, and returns the response."""
        self._socket.sendall(encode_request(key, version, 7, "bench", request))
        size = int.from_bytes(self._received(4), "big")
        return decode_response(key, version, self._received(size))[1]

    def _received(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            data += self._socket.recv(size - len(data))
        return data


@contextmanager
def topic(port: int, name: str, *, replicas: int = 1) -> Iterator[int]:
    """Creates a topic of one partition; yields its leader's port; deletes the topic."""
    client = Client(_controller_port(port))
    try:
        yield _leader_port(client, name, replicas)
    finally:
        client.ask(20, 4, DeleteTopicsRequest(topic_names=(name,), timeout_ms=10_000))
        client.close()


def _controller_port(port: int) -> int:
    """Returns the port of the broker that Metadata names as controller: kfake has others refuse."""
    client = Client(port)
    response: MetadataResponse = client.ask(3, 9, MetadataRequest(topics=()))
    client.close()
    ports = {broker.node_id: broker.port for broker in response.brokers}
    return ports[response.controller_id]


def _leader_port(client: Client, name: str, replicas: int) -> int:
    """Creates the topic, and waits until the broker has metadata of it."""
    created = CreatableTopic(name=name, num_partitions=1, replication_factor=replicas)
    asked = MetadataRequest(topics=(MetadataRequestTopic(name=name),))
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        client.ask(19, 5, CreateTopicsRequest(topics=(created,), timeout_ms=10_000))
        response: MetadataResponse = client.ask(3, 9, asked)
        ports = {broker.node_id: broker.port for broker in response.brokers}
        for partition in response.topics[0].partitions:
            if partition.leader_id in ports:
                return ports[partition.leader_id]
        time.sleep(0.02)
    raise RuntimeError(f"expected a leader of {name} within {LIMIT_S:.0f} s")
