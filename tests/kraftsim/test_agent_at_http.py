"""`kraftsim agent` at a port that is no Kafka listener says so, once."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.limits import LIMIT_S

CONNECTIONS = 40  # after which an agent that does not limit its lines has written many


@contextmanager
def agent_at(port: int) -> Iterator[subprocess.Popen[str]]:
    words = ("agent", "--controller", f"127.0.0.1:{port}", "--cluster-id", "kraftsimTestCluster001")
    command = [sys.executable, "-m", "kraftsim", *words]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as agent:
        try:
            yield agent
        finally:
            agent.kill()


def answer(listening: socket.socket, reply: bytes) -> None:
    """Answers a request on each of CONNECTIONS connections with these bytes, and closes it."""
    for _ in range(CONNECTIONS):
        connection, _ = listening.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(reply)


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (
            b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
            "closing: expected a Kafka response, got an HTTP response: that is an HTTP port; give",
        ),
        (b"", "closes connections without a reply to a Kafka request: give"),
    ],
    ids=["http", "silence"],
)
def test_an_agent_at_another_port_names_the_listener_that_it_needs(
    reply: bytes, sentence: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(LIMIT_S)
        with agent_at(listening.getsockname()[1]) as agent:
            answer(listening, reply)
            agent.terminate()
            _, err = agent.communicate(timeout=LIMIT_S)

    lines = [line for line in err.splitlines() if "Kafka re" in line]
    assert sentence in lines[0]
    assert "prints as KRAFTSIM_BOOTSTRAP_CONTROLLERS" in lines[0]
    assert len(lines) < 4
