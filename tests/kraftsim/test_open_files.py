"""`kraftsim up` under a low limit of open files: it refuses connections and keeps the others."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.request import urlopen

import pytest

from kraftsim.controller.wire.frames import encode_request
from tests.limits import LIMIT_S
from tests.server.kafka_client import API_VERSIONS

ROOT = Path(__file__).resolve().parents[2]
FILES_MAX = 256
KAFKA_REQUEST = encode_request(18, 3, 1, "x", API_VERSIONS)
HTTP_REQUEST = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
REFUSED = f"refused a connection from 127.0.0.1: expected at most {FILES_MAX} open files"

pytestmark = pytest.mark.realtime


class Up:
    def __init__(self, connections: ExitStack) -> None:
        words = "up --brokers 3 --kafka-port 0 --controller-port 0 --http-port 0"
        self.process = subprocess.Popen(
            ["sh", "-c", f"ulimit -n {FILES_MAX}; exec {sys.executable} -m kraftsim {words}"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline().strip() for _ in range(4)]
        told = dict(line.split("=", 1) for line in lines)
        self.url = told["KRAFTSIM_HTTP"]
        self.kafka = [
            address.split(":") for address in told["KRAFTSIM_BOOTSTRAP_SERVERS"].split(",")
        ]
        self._connections = connections

    def kafka_connection(self, number: int) -> socket.socket:
        host, port = self.kafka[number % len(self.kafka)]
        return self._connected(host, port)

    def http_connection(self, number: int) -> socket.socket:
        return self._connected(*self.url.removeprefix("http://").split(":"))

    def _connected(self, host: str, port: str) -> socket.socket:
        connection = socket.create_connection((host, int(port)), timeout=LIMIT_S)
        return self._connections.enter_context(connection)

    def status(self, path: str) -> int:
        with urlopen(self.url + path, timeout=LIMIT_S) as response:
            status: int = response.status
            return status

    def log(self) -> list[str]:
        """Ends the service and returns the lines of its log."""
        self.process.terminate()
        _, err = self.process.communicate(timeout=LIMIT_S)
        assert self.process.returncode == 0
        assert "Traceback" not in err
        return err.splitlines()


def is_served(connection: socket.socket, request: bytes = KAFKA_REQUEST) -> bool:
    try:
        connection.sendall(request)
        return bool(connection.recv(65536))
    except ConnectionError:
        return False


@pytest.fixture
def up() -> Iterator[Up]:
    with ExitStack() as connections:
        up = Up(connections)
        yield up
        if up.process.poll() is None:
            up.process.kill()
            up.process.communicate()


def test_two_hundred_clients_are_served_under_a_limit_of_256_files(up: Up) -> None:
    connections = [up.kafka_connection(number) for number in range(200)]

    for _ in range(2):
        assert all(map(is_served, connections))
    assert up.log() == []


@pytest.mark.parametrize("kind", ["kafka", "http"])
def test_above_the_limit_of_open_files_connections_are_refused_with_a_line(
    up: Up, kind: str
) -> None:
    connect = up.kafka_connection if kind == "kafka" else up.http_connection
    request = KAFKA_REQUEST if kind == "kafka" else HTTP_REQUEST
    admitted: list[socket.socket] = []
    while is_served(latest := connect(len(admitted)), request):
        admitted.append(latest)
        assert len(admitted) < FILES_MAX

    assert len(admitted) >= 200
    assert all(is_served(connection, request) for connection in admitted)
    admitted.pop().close()
    while not is_served(connect(0), request):  # until the service has noticed the end
        pass
    lines = [line.split(" ", 3)[3] for line in up.log()]
    assert lines
    for line in lines:
        assert line.startswith("broker-" if kind == "kafka" else "http")
        assert REFUSED in line
        assert "ulimit -n" in line


def test_what_a_leak_of_kafka_connections_leaves_is_enough_for_http(up: Up) -> None:
    while is_served(up.kafka_connection(0)):
        pass

    assert up.status("/metrics") == 200  # imports a library
    with urlopen(f"{up.url}/v1/brokers", timeout=LIMIT_S) as response:
        assert len(json.load(response)["brokers"]) == 3
    assert len(os.listdir(f"/proc/{up.process.pid}/fd")) < FILES_MAX
    assert any(REFUSED in line for line in up.log())


@pytest.mark.parametrize(
    "words",
    ["up --brokers 100 --http-port 0", "agent --controller 127.0.0.1:9 --cluster-id x --count 100"],
)
def test_more_listeners_than_the_limit_permits_are_one_clear_line(words: str) -> None:
    ports = "--kafka-port 0" + (" --controller-port 0" if words.startswith("up") else "")
    command = f"ulimit -n 64; exec {sys.executable} -m kraftsim {words} {ports}"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert "cannot be bound (too many open files): raise the limit of open files" in line
