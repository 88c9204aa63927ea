"""A cluster whose nodes run several releases."""

import asyncio
from contextlib import nullcontext, suppress
from functools import partial

import pytest

from kraftsim import Cluster, CommandError
from kraftsim.cli.main import build_parser
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.rpc import (
    UnregisterControllerRequest,
    VoteRequest,
    VoteResponse,
)
from kraftsim.errors import UsageError
from kraftsim.releases import profiles_of
from kraftsim.simulation.message import Message
from kraftsim.testing.processes import _words
from tests.server.kafka_client import connected

LEVEL_4_3, LEVEL_4_4 = 30, 33
NAME_4_4 = "4.4-IV2"


def newest_levels(image: Image) -> dict[int, int]:
    """The newest metadata.version that each registered node supports."""
    nodes = {**image.brokers, **image.controllers}
    return {
        node_id: feature.max_supported_version
        for node_id, node in nodes.items()
        for feature in node.features
        if feature.name == "metadata.version"
    }


@pytest.mark.rule("5.61")
async def test_each_node_of_a_cluster_runs_the_release_of_its_own_profile() -> None:
    profiles = {3001: "kafka-4.3", 2: "kafka-4.1"}
    async with Cluster(
        brokers=2, controllers=3, profiles=profiles, metadata_version="4.0-IV3", clock="virtual"
    ) as kraft:
        await kraft.clock.advance("10s")

        assert newest_levels(kraft.world.committed) == {1: 33, 2: 27, 3000: 33, 3001: 30, 3002: 33}


async def test_a_mixed_cluster_has_the_newest_level_that_all_of_its_nodes_support() -> None:
    async with Cluster(brokers=1, profiles={1: "kafka-4.3"}, clock="virtual") as kraft:
        assert LEVEL_4_3 == kraft.world.committed.metadata_version


@pytest.mark.parametrize(
    ("profiles", "text"),
    [
        ({7: "kafka-4.3"}, "profiles: expected an id of a node, 1 to 3 or 3000, got 7"),
        ({"1": "kafka-4.3"}, "profiles: expected an id of a node, 1 to 3 or 3000, got '1'"),
        ({1: "kafka-4.33"}, r"profiles: 1: expected 'kafka-4\.3' .*, got 'kafka-4\.33'"),
        (["kafka-4.3"], "profiles: expected a mapping of ids to profiles"),
    ],
)
def test_wrong_profiles_are_refused(profiles: object, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Cluster(brokers=3, profiles=profiles)  # type: ignore[arg-type]  # as a user might


async def test_a_node_runs_an_installed_release_from_its_next_start_on() -> None:
    async with Cluster(brokers=2, controllers=3, profile="kafka-4.3", clock="virtual") as kraft:
        await kraft.controllers.install(3001, "kafka-4.4")
        await kraft.brokers.install(2, "kafka-4.4")
        before = newest_levels(kraft.world.committed)
        await kraft.controllers.kill(3001)
        await kraft.controllers.start(3001)
        await kraft.brokers.restart(2, wait="30s")
        await kraft.clock.advance("10s")

        assert dict.fromkeys((1, 2, 3000, 3001, 3002), LEVEL_4_3) == before
        changed = {2: LEVEL_4_4, 3001: LEVEL_4_4}
        assert before | changed == newest_levels(kraft.world.committed)
        assert "kafka-4.4" == (await kraft.controllers.show(3001))["profile"]
        assert "kafka-4.3" == (await kraft.controllers.show(3002))["profile"]
        assert "kafka-4.4" == (await kraft.brokers.show(2))["agent"]["profile"]


@pytest.mark.rule("1.20")
async def test_a_broker_that_does_not_support_the_level_is_refused() -> None:
    async with Cluster(brokers=1, clock="virtual") as kraft:
        added = await kraft.brokers.add(profile="kafka-4.3")
        await kraft.clock.advance("10s")

        broker = await kraft.brokers.show(added)
        assert not broker["registered"]
        assert str(broker["agent"]["lastError"]).startswith(
            "UNSUPPORTED_VERSION: Unable to register because the broker does not support finalized "
            "version 33 of metadata.version. The broker wants a version between 7 and 30"
        )


@pytest.mark.rule("5.65")
async def test_a_controller_whose_release_does_not_know_the_level_ends() -> None:
    profiles = {3002: "kafka-4.3"}
    async with Cluster(
        brokers=1, controllers=3, profiles=profiles, metadata_version=NAME_4_4, clock="virtual"
    ) as kraft:
        await kraft.clock.advance("10s")

        assert {3000: "RUNNING", 3001: "RUNNING", 3002: "NOT_RUNNING"} == {
            controller["nodeId"]: controller["state"]
            for controller in await kraft.controllers.list()
        }


GONE = "message.timestamp.difference.max.ms"  # which 4.0 dropped


@pytest.mark.rule("7.9")
@pytest.mark.parametrize(
    ("profile", "is_kept"), [("kafka-4.1", True), ("kafka-4.3", False), ("kafka-4.4", False)]
)
async def test_an_upgrade_to_4_3_forgets_a_configuration_that_the_release_has_dropped(
    profile: str, is_kept: bool
) -> None:
    async with Cluster(brokers=1, controllers=1, profile="kafka-3.9", clock="virtual") as kraft:
        await kraft.topics.create("orders", partitions=1, config={GONE: 1000})
        await kraft.controllers.install(3000, profile)
        await kraft.controllers.kill(3000)
        await kraft.controllers.start(3000)
        await kraft.clock.advance("10s")

        listed = (await kraft.configs.get("topic", "orders", scope="set"))["configs"]
        assert [config["name"] for config in listed] == [GONE] * is_kept
        refusal = pytest.raises(ApiError, match=f"Unknown topic config name: {GONE}")
        with refusal if is_kept else nullcontext():
            await kraft.configs.set("topic", "orders", {"retention.ms": 5})
        await kraft.configs.set("topic", "orders", delete=[GONE])
        await kraft.configs.set("topic", "orders", {"retention.ms": 6})


async def test_a_restored_cluster_has_the_releases_of_the_snapshot() -> None:
    async with Cluster(brokers=2, controllers=3, profile="kafka-4.3", clock="virtual") as kraft:
        await kraft.controllers.install(3001, "kafka-4.4")
        await kraft.brokers.install(2, "kafka-4.4")
        await kraft.snapshots.save("installed")
        await kraft.controllers.install(3001, "kafka-4.1")
        await kraft.brokers.install(2, "kafka-4.1")
        await kraft.snapshots.restore("installed")
        await kraft.controllers.kill(3001)
        await kraft.controllers.start(3001)
        await kraft.brokers.restart(2, wait="30s")

        assert "kafka-4.4" == (await kraft.controllers.show(3001))["profile"]
        assert "kafka-4.4" == (await kraft.brokers.show(2))["agent"]["profile"]


@pytest.mark.parametrize("text", ["3002", "x=kafka-4.3", "3002=", "=kafka-4.3"])
def test_wrong_profiles_of_the_command_line_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"profiles: expected ID=PROFILE, got '{text}'"):
        profiles_of([text])


def test_a_process_gets_the_profiles_of_its_marker_as_options() -> None:
    words = _words({"profiles": {3002: "kafka-4.3", 1: "kafka-4.1"}, "brokers": 2})

    arguments = build_parser().parse_args(["up", *words])
    assert {3002: "kafka-4.3", 1: "kafka-4.1"} == profiles_of(arguments.profiles)


async def test_an_unknown_release_is_not_installed() -> None:
    async with Cluster(brokers=1, clock="virtual") as kraft:
        with pytest.raises(UsageError, match="profile: expected 'kafka-4"):
            await kraft.brokers.install(1, "kafka-4")
        with pytest.raises(UsageError, match="profile: expected 'kafka-4"):
            await kraft.controllers.install(3000, "kafka-4")
        with pytest.raises(CommandError, match="profile: expected 'kafka-4"):
            await kraft.brokers.add(profile="kafka-4")


DESCRIBE_CLUSTER = 60  # version 2 came with 4.0


async def newest_versions(addresses: str) -> list[int]:
    """The newest version of DescribeCluster that each listener has."""
    versions = []
    for address in addresses.split(","):
        async with connected(address) as client:
            client.ask_versions()
            _, listed = await client.answer(18, 3)
        (api,) = (api for api in listed.api_keys if api.api_key == DESCRIBE_CLUSTER)
        versions.append(api.max_version)
    return versions


@pytest.mark.realtime
@pytest.mark.rule("5.1")
async def test_a_listener_has_the_versions_of_the_release_that_its_process_runs() -> None:
    profiles = {3001: "kafka-3.9", 2: "kafka-3.9"}
    async with Cluster(
        brokers=2, controllers=3, profiles=profiles, kafka_port=0, controller_port=0, clock="auto"
    ) as kraft:
        assert [2, 1] == await newest_versions(kraft.bootstrap_servers)
        assert [2, 1, 2] == await newest_versions(kraft.bootstrap_controllers)

        await kraft.brokers.install(2, "kafka-4.4")
        await kraft.controllers.install(3001, "kafka-4.4")
        assert [2, 1] == await newest_versions(kraft.bootstrap_servers)
        await kraft.brokers.restart(2, wait="30s")
        await kraft.controllers.kill(3001)
        await kraft.controllers.start(3001)

        await until_versions(kraft.bootstrap_servers, [2, 2])
        await until_versions(kraft.bootstrap_controllers, [2, 2, 2])


async def until_versions(addresses: str, expected: list[int]) -> None:
    """Waits until the listeners, which open their ports again, have the versions."""
    async with asyncio.timeout(10):
        while True:
            with suppress(OSError):
                if await newest_versions(addresses) == expected:
                    return
            await asyncio.sleep(0)


UNREGISTER_CONTROLLER = 94  # which came with 4.4


@pytest.mark.realtime
@pytest.mark.rule("5.48a")
async def test_a_request_that_the_controller_does_not_have_ends_the_connection() -> None:
    async with Cluster(
        brokers=1, profile="kafka-4.4", profiles={3000: "kafka-4.3"}, kafka_port=0, clock="auto"
    ) as kraft:
        assert UNREGISTER_CONTROLLER in await listed_apis(kraft.bootstrap_servers)
        async with connected(kraft.bootstrap_servers) as client:
            client.send(UNREGISTER_CONTROLLER, 0, UnregisterControllerRequest(controller_id=9))
            assert await client.ended() == b""

        assert UNREGISTER_CONTROLLER not in await listed_apis(kraft.bootstrap_servers)


async def listed_apis(address: str) -> set[int]:
    """The keys of the APIs that a listener lists."""
    async with connected(address) as client:
        client.ask_versions()
        _, listed = await client.answer(18, 3)
    return {api.api_key for api in listed.api_keys}


@pytest.mark.rule("10.18")
async def test_a_voter_of_3_9_answers_no_pre_vote_and_is_asked_for_votes() -> None:
    profiles = {3001: "kafka-3.9"}
    async with Cluster(brokers=0, controllers=3, profiles=profiles, clock="virtual") as kraft:
        answers: list[tuple[bool, bool]] = []
        kraft.world.network.arrived.append(partial(note_vote, answers))

        await kraft.controllers.kill(kraft.world.controller.node.config.node_id)
        await kraft.clock.advance("20s")

        assert kraft.world.active is not None
        assert set(answers) == {(True, True), (False, False)}


@pytest.mark.rule("10.18")
async def test_voters_of_3_9_ask_for_votes_only() -> None:
    async with Cluster(brokers=0, controllers=3, profile="kafka-3.9", clock="virtual") as kraft:
        answers: list[tuple[bool, bool]] = []
        kraft.world.network.arrived.append(partial(note_vote, answers))

        await kraft.controllers.kill(kraft.world.controller.node.config.node_id)
        await kraft.clock.advance("20s")

        assert kraft.world.active is not None
        assert set(answers) == {(False, False)}


def note_vote(answers: list[tuple[bool, bool]], message: Message) -> None:
    """Notes whether a pre-vote was asked for, and whether the voter does not know of it."""
    request, reply = message.request, message.reply
    if isinstance(request, VoteRequest) and isinstance(reply, VoteResponse):
        pre_vote = request.topics[0].partitions[0].pre_vote
        answers.append((pre_vote, reply.error_code == ErrorCode.UNSUPPORTED_VERSION))
