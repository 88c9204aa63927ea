"""A listener handles the versions of its profile; kraftsim's own clients find out which."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_4, PROFILES, Profile
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, Request, Response, VoteResponse
from kraftsim.controller.server import api_versions
from kraftsim.controller.server.kafka_caller import KafkaCaller
from kraftsim.controller.wire.apis.table import APIS
from tests.limits import LIMIT_S
from tests.raft.requests import vote
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

    refused = await reply_of(caller, kraft, OF_BROKER_1)
    served = await reply_of(caller, kraft, OF_BROKER_1)
    caller.drop()

    assert refused is None
    assert getattr(served, "error_code", None) == 77  # not registered: the request was decoded


@pytest.mark.rule("10.2")
@pytest.mark.realtime
async def test_a_peer_without_pre_votes_is_sent_votes_only(kraft: Cluster) -> None:
    caller = KafkaCaller("raft-client-1", lambda action: action())
    assert await reply_of(caller, kraft, OF_BROKER_1) is None  # from now on versions are asked for

    pre_vote = await reply_of(caller, kraft, vote(1, 0, pre_vote=True))
    ballot = await reply_of(caller, kraft, vote(1, 0))
    caller.drop()

    assert isinstance(pre_vote, VoteResponse)
    assert (pre_vote.error_code, pre_vote.topics) == (ErrorCode.UNSUPPORTED_VERSION, ())
    assert isinstance(ballot, VoteResponse)
    assert ballot.error_code != ErrorCode.UNSUPPORTED_VERSION


async def reply_of(caller: KafkaCaller, kraft: Cluster, request: Request) -> Response | None:
    host, _, port = kraft.bootstrap_controllers.rpartition(":")
    reply: asyncio.Future[Response | None] = asyncio.get_running_loop().create_future()
    caller.send((host, int(port)), request, reply.set_result)
    return await asyncio.wait_for(reply, LIMIT_S)


@pytest.mark.rule("5.52")
@pytest.mark.parametrize(("name", "levels"), [("kafka-4.3", [7]), ("kafka-4.4", [])])
def test_before_a_level_is_finalized_a_release_before_4_4_lists_its_lowest(
    name: str, levels: list[int]
) -> None:
    listed = api_versions.listed(3, listener="controller", image=Image(), profile=PROFILES[name])

    assert [feature.max_version_level for feature in listed.finalized_features] == levels
    assert listed.finalized_features_epoch == -1


def test_later_releases_have_later_versions() -> None:
    older, newer = (api_versions.spoken("controller", p) for p in (KAFKA_3_9, KAFKA_4_4))

    assert (HEARTBEAT, 2) in newer - older
