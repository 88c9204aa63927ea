"""What a test leaves behind fails it, unless its marker allows that."""

import pytest

pytestmark = pytest.mark.realtime

CONNECTION = """
import socket
clients = []

{marker}
def test_it(kraft_sync):
    host, port = kraft_sync.bootstrap_servers.split(",")[0].split(":")
    clients.append(socket.create_connection((host, int(port))))
    {end}
"""
TASK = """
import asyncio
tasks = []

async def poll():
    await asyncio.Event().wait()

@pytest.mark.asyncio(loop_scope="module")
async def test_it(kraft):
    tasks.append(asyncio.ensure_future(poll()))
"""


def test_a_connection_that_is_left_open_fails_the_test(suite):
    output = suite.run(CONNECTION.format(marker="", end="pass"))

    assert "kraft: the test left behind the connection broker-1 from 127.0.0.1: close" in output
    assert "1 passed, 1 error" in output


@pytest.mark.parametrize(
    ("marker", "end"), [("@pytest.mark.kraft(may_leak=True)", "pass"), ("", "clients[0].close()")]
)
def test_a_test_that_may_leak_or_closes_its_connections_passes(suite, marker, end):
    output = suite.run(CONNECTION.format(marker=marker, end=end))

    assert "1 passed" in output
    assert "error" not in output


def test_a_failed_test_is_not_failed_again_for_what_it_left(suite):
    output = suite.run(CONNECTION.format(marker="", end="assert False"))

    assert "1 failed" in output
    assert "left behind" not in output


def test_a_task_that_goes_on_fails_the_test(suite):
    output = suite.run(TASK, plugins="asyncio")

    assert "kraft: the test left behind the task poll: close what it opens" in output
