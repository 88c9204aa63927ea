"""Clusters and clients that end with the test, or the module, that asked for them."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.interop.clients import CLIENTS, Client
from tests.interop.running import SETTINGS, Service, kraftsim_up

Start = Callable[[int], Service]
Connect = Callable[[str], Client]


@pytest.fixture(scope="module")
def kraft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Four brokers for the tests of a module that break none of them.

    A name that a client asks for creates no topic: some clients allow it, others do not.
    """
    settings = f"{SETTINGS}\nauto.create.topics.enable=false\n"
    with kraftsim_up(tmp_path_factory.mktemp("kraft"), settings=settings) as service:
        yield service


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """`start(3)`: a cluster of the test's own, with three brokers to break."""
    with ExitStack() as running:
        yield lambda brokers: running.enter_context(kraftsim_up(tmp_path, brokers=brokers))


@pytest.fixture(params=CLIENTS, ids=lambda kind: kind.__name__)
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """`connect(bootstrap_servers)`: a client of the kind that this run of the test is about."""
    with ExitStack() as connected:
        yield lambda servers: connected.enter_context(closing(request.param(servers)))


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """A topic's name that no other test uses."""
    return re.sub(r"[^a-zA-Z0-9]+", "-", request.node.name).strip("-")
