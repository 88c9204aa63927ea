"""A released broker and a simulated one, started once for the tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.differential.listener.settings import (
    BROKER_ID,
    OUR_OPTIONS,
    OUR_SETTINGS,
    released_settings,
)
from tests.free_ports import free_port
from tests.interop.running import kraftsim_up
from tests.released.controller import await_listener, released_controller
from tests.released.releases import RELEASES


@pytest.fixture(scope="package")
def kafka_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder, port = tmp_path_factory.mktemp("answers") / "kafka", free_port()
    with released_controller(
        RELEASES["4.3.1"],
        folder,
        cluster_id="answersOfKafka431AAAAA",
        client_port=port,
        settings=released_settings(folder, BROKER_ID),
    ) as controller:
        await_listener(controller.process, port)
        yield port


@pytest.fixture(scope="package")
def our_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("ours")
    words = ("--profile", "kafka-4.3", *OUR_OPTIONS)
    with kraftsim_up(folder, *words, brokers=1, settings=OUR_SETTINGS) as kraft:
        _, _, port = kraft.broker_address(BROKER_ID).rpartition(":")
        yield int(port)
