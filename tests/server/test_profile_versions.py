"""A listener handles the versions of its profile; kraftsim's own clients find out which."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_4, PROFILES, Profile
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, Response
from kraftsim.controller.server import api_versions
from kraftsim.controller.server.kafka_caller import KafkaCaller
from kraftsim.controller.wire.apis.table import APIS
from tests.limits import LIMIT_S
from tests.server.kafka_client import Client, connected

HEARTBEAT, API_VERSIONS = 63, 18
OWN_QUORUM = (1, 52)  # Fetch and Vote, which controllers exchange in their newest versions
OF_BROKER_1 = BrokerHeartbeatRequest(
    broker_id=1, current_metadata_offset=-1, want_fence=True, want_shut_down=False
)


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(
        brokers=0, clock="virtual", seed=1, controller_port=0, profile="kafka-3.9"
    ) as cluster:
        yield cluster


@pytest.mark.rule("5.1")
@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize("listener", ["broker", "controller"])
def test_a_listener_handles_what_it_lists(profile: Profile, listener: str) -> None:
    spoken = api_versions.spoken(listener, profile)

    for key, api in APIS.items():
        newest = profile.newest_versions.get(key, api.max_version)
        versions = {version for number, version in spoken if number == key}
        if listener not in api.listeners or newest < 0:
            assert not versions
        elif key not in OWN_QUORUM and key != API_VERSIONS:
            assert max(versions) == newest


@pytest.mark.realtime
async def test_a_version_of_a_later_release_ends_the_connection(kraft: Cluster) -> None:
    async with connected(kraft.bootstrap_controllers) as client:
        await expect_served(client, 1)
        client.send(HEARTBEAT, 2, OF_BROKER_1)

        assert await client.ended() == b""


async def expect_served(client: Client, version: int) -> None:
    client.send(HEARTBEAT, version, OF_BROKER_1)
    assert (await client.answer(HEARTBEAT, version))[0] == 1


@pytest.mark.realtime
async def test_a_caller_lowers_its_version_to_that_of_the_peer(kraft: Cluster) -> None:
    caller = KafkaCaller("broker-1", lambda action: action())
    host, _, port = kraft.bootstrap_controllers.rpartition(":")
    answers: list[Response | None] = []
    for _ in range(2):
        answered = asyncio.Event()

        def answer(response: Response | None, answered: asyncio.Event = answered) -> None:
            answers.append(response)
            answered.set()

        caller.send((host, int(port)), OF_BROKER_1, answer)
        await asyncio.wait_for(answered.wait(), LIMIT_S)
    caller.drop()

    refused, served = answers
    assert refused is None
    assert getattr(served, "error_code", None) == 77  # not registered: the request was decoded


def test_later_releases_have_later_versions() -> None:
    older, newer = (api_versions.spoken("controller", p) for p in (KAFKA_3_9, KAFKA_4_4))

    assert (HEARTBEAT, 2) in newer - older
