"""A call that blocks the event loop of a cluster is noticed while it blocks, and named."""

import logging
import threading
from collections.abc import Iterator

import pytest

from kraftsim import Cluster
from tests.limits import LIMIT_S

pytestmark = pytest.mark.realtime


class Heard(logging.Handler):
    """The first warning, and an event that it sets."""

    def __init__(self) -> None:
        super().__init__()
        self.came = threading.Event()
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = record.getMessage()
        self.came.set()


@pytest.fixture
def heard() -> Iterator[Heard]:
    handler, log = Heard(), logging.getLogger("kraftsim")
    log.addHandler(handler)
    yield handler
    log.removeHandler(handler)


@pytest.mark.parametrize("port", ["kafka_port", "controller_port", "http_port"])
async def test_a_blocking_call_is_named_while_it_blocks(heard: Heard, port: str) -> None:
    async with Cluster(brokers=1, seed=1, **{port: 0}):
        assert heard.came.wait(LIMIT_S)

    assert "by `assert heard.came.wait(LIMIT_S)` (test_loop_watch.py:" in heard.text
    assert "its listeners cannot respond meanwhile" in heard.text


async def test_a_cluster_without_listeners_is_not_watched() -> None:
    before = set(threading.enumerate())
    async with Cluster(brokers=1, seed=1):
        started = set(threading.enumerate()) - before

    assert started == set()
