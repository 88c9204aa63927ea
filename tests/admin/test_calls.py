"""Each call of `Admin` against a cluster of ours, through its brokers and its controllers."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster
from kraftsim.admin import Admin, AdminError, Broker, Controller, Endpoint, LevelRange
from kraftsim.controller.core.uuid import uuid_text

pytestmark = pytest.mark.realtime

CLUSTER_ID = "kraftsimTestCluster001"
DIRECTORY = "JEXY6aqzQY-32P5TStzaFg"


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(
        brokers=3,
        controllers=3,
        clock="auto",
        seed=1,
        cluster_id=CLUSTER_ID,
        racks=["a", "b", "c"],
        settings={"kraftsim.start.time.tag": True},
        kafka_port=0,
        controller_port=0,
    ) as cluster:
        yield cluster


@pytest.fixture
async def admin(kraft: Cluster) -> AsyncIterator[Admin]:
    """Asks the brokers, but for the registered controllers, whom only controllers know."""
    servers, controllers = kraft.bootstrap_servers, kraft.bootstrap_controllers
    async with Admin(servers, bootstrap_controllers=controllers) as client:
        yield client


@pytest.fixture(params=["brokers", "controllers"])
async def either(kraft: Cluster, request: pytest.FixtureRequest) -> AsyncIterator[Admin]:
    """A client that knows brokers only, then one that knows controllers only."""
    by_brokers = request.param == "brokers"
    async with Admin(
        kraft.bootstrap_servers if by_brokers else None,
        bootstrap_controllers=None if by_brokers else kraft.bootstrap_controllers,
    ) as client:
        yield client


async def test_fenced_brokers_are_described_where_they_are_asked_for(
    kraft: Cluster, admin: Admin
) -> None:
    await kraft.brokers.kill(2)
    await kraft.wait(broker=2, state="fenced")

    live = await admin.describe_cluster()
    every = await admin.describe_cluster(include_fenced=True)

    assert [1, 3] == [broker.id for broker in live.brokers]
    assert [(1, False), (2, True), (3, False)] == [(b.id, b.is_fenced) for b in every.brokers]
    assert CLUSTER_ID == live.cluster_id == every.cluster_id


async def test_a_broker_has_address_rack_and_start_time(kraft: Cluster, admin: Admin) -> None:
    described = await kraft.describe_cluster()

    first = (await admin.describe_cluster()).brokers[0]

    host, _, port = kraft.bootstrap_servers.split(",")[0].rpartition(":")
    assert described.broker(1).start_time_ms > 0
    assert first == Broker(
        id=1,
        host=host,
        port=int(port),
        rack="a",
        is_fenced=False,
        start_time_ms=described.broker(1).start_time_ms,
    )


async def test_without_the_tag_a_broker_has_no_start_time() -> None:
    async with (
        Cluster(brokers=1, clock="auto", seed=1, kafka_port=0) as kraft,
        Admin(kraft.bootstrap_servers) as admin,
    ):
        assert (await admin.describe_cluster()).brokers[0].start_time_ms is None


async def test_the_controllers_are_described_with_their_leader(
    kraft: Cluster, admin: Admin
) -> None:
    described = await admin.describe_controllers()

    ports = [int(at.rpartition(":")[2]) for at in kraft.bootstrap_controllers.split(",")]
    assert CLUSTER_ID == described.cluster_id
    assert described.leader_id == kraft.world.controller.node.leader_id
    assert described.controllers == tuple(
        Controller(id=3000 + position, host="127.0.0.1", port=port)
        for position, port in enumerate(ports)
    )


async def test_the_quorum_has_times_and_addresses(kraft: Cluster, either: Admin) -> None:
    await kraft.clock.advance("1s")

    quorum = await either.describe_quorum()

    leader = kraft.world.controller.node
    assert (leader.leader_id, [3000, 3001, 3002]) == (
        quorum.leader_id,
        [voter.id for voter in quorum.voters],
    )
    assert [1, 2, 3] == [observer.id for observer in quorum.observers]
    assert uuid_text(leader.config.directory_id) in [voter.directory_id for voter in quorum.voters]
    follower = next(voter for voter in quorum.voters if voter.id != quorum.leader_id)
    now_ms = kraft.world.timeline.wall_ms
    for time_ms in (follower.last_fetch_time_ms, follower.last_caught_up_time_ms):
        assert time_ms is not None
        assert now_ms - 2000 < time_ms <= now_ms
    (endpoint,) = follower.endpoints
    assert f"{endpoint.host}:{endpoint.port}" in kraft.bootstrap_controllers.split(",")
    assert 0 < quorum.high_watermark <= follower.log_end_offset
    assert quorum.leader_epoch > 0


async def test_a_controller_is_unregistered_once(kraft: Cluster, either: Admin) -> None:
    """kafka-cluster of 4.4 has the request and its refusals."""
    dead = next(node for node in (3000, 3001, 3002) if node != kraft.quorum.leader()["leaderId"])
    await kraft.controllers.kill(dead)

    await either.unregister_controller(dead)
    with pytest.raises(AdminError) as refused:
        await either.unregister_controller(dead)

    assert refused.value.name == "CONTROLLER_ID_NOT_REGISTERED"
    assert refused.value.message == f"Controller ID {dead} is not currently registered."
    assert dead not in kraft.world.committed.controllers


async def test_a_broker_is_unregistered_once(kraft: Cluster, either: Admin) -> None:
    await kraft.brokers.kill(2)

    await either.unregister_broker(2)
    with pytest.raises(AdminError) as refused:
        await either.unregister_broker(2)

    assert (102, "BROKER_ID_NOT_REGISTERED") == (refused.value.code, refused.value.name)
    assert refused.value.message == "Broker ID 2 is not currently registered"
    assert str(refused.value) == f"{refused.value.name}: {refused.value.message}"
    await kraft.wait(broker=2, state="unregistered")


async def test_a_voter_is_removed_and_added_again(kraft: Cluster, either: Admin) -> None:
    quorum = await either.describe_quorum()
    voter = next(voter for voter in quorum.voters if voter.id != quorum.leader_id)
    assert voter.directory_id is not None

    await either.remove_voter(voter.id, voter.directory_id)
    removed = await either.describe_quorum()
    await kraft.clock.advance("3s")
    await either.add_voter(voter.id, voter.directory_id, voter.endpoints)
    added = await either.describe_quorum()

    assert voter.id not in [replica.id for replica in removed.voters]
    assert [3000, 3001, 3002] == [replica.id for replica in added.voters]


async def test_a_change_of_the_voters_is_refused_in_kafkas_words(either: Admin) -> None:
    with pytest.raises(AdminError, match=r"^VOTER_NOT_FOUND: .*id=7") as unknown:
        await either.remove_voter(7, DIRECTORY)
    with pytest.raises(AdminError, match=r"^DUPLICATE_VOTER: ") as duplicate:
        await either.add_voter(3000, DIRECTORY, [Endpoint("CONTROLLER", "127.0.0.1", 1)])

    assert (127, 126) == (unknown.value.code, duplicate.value.code)


async def test_features_are_supported_up_to_the_profile_and_finalized(either: Admin) -> None:
    features = await either.describe_features()

    newest = features.finalized["metadata.version"]
    assert LevelRange(7, newest) == features.supported["metadata.version"]
    assert features.finalized_epoch is not None
    assert features.finalized_epoch > 0
    assert features.finalized["kraft.version"] == 1


async def test_brokers_know_no_controllers_and_controllers_no_brokers(kraft: Cluster) -> None:
    async with Admin(kraft.bootstrap_servers) as by_brokers:
        with pytest.raises(AdminError, match=r"^MISMATCHED_ENDPOINT_TYPE: "):
            await by_brokers.describe_controllers()
    async with Admin(bootstrap_controllers=kraft.bootstrap_controllers) as by_controllers:
        with pytest.raises(AdminError, match=r"^MISMATCHED_ENDPOINT_TYPE: "):
            await by_controllers.describe_cluster()


async def test_from_one_controller_that_follows_the_leader_is_found(kraft: Cluster) -> None:
    leader_id = kraft.world.controller.node.leader_id
    position = next(number for number in range(3) if 3000 + number != leader_id)
    follower = kraft.bootstrap_controllers.split(",")[position]

    async with Admin(bootstrap_controllers=follower) as admin:
        quorum = await admin.describe_quorum()
        await kraft.controllers.kill(leader_id)
        await kraft.wait(leader="any")
        renewed = await admin.describe_quorum()

    assert leader_id == quorum.leader_id != renewed.leader_id


async def test_concurrent_calls_share_a_connection(kraft: Cluster) -> None:
    address = kraft.bootstrap_servers.split(",")[0]
    async with Admin(address) as admin:
        calls = [admin.describe_cluster() for _ in range(50)]
        quorums = [admin.describe_quorum() for _ in range(50)]
        described = await asyncio.gather(*calls, *quorums)

    assert {CLUSTER_ID} == {cluster.cluster_id for cluster in described[:50]}
    assert {kraft.world.controller.node.leader_id} == {
        quorum.leader_id for quorum in described[50:]
    }


async def test_a_reset_cluster_is_asked_over_a_new_connection(kraft: Cluster, admin: Admin) -> None:
    before = await admin.describe_cluster()
    await kraft.reset()

    assert before.cluster_id == (await admin.describe_cluster()).cluster_id


async def test_a_closed_client_refuses_calls(kraft: Cluster, admin: Admin) -> None:
    await admin.describe_cluster()
    admin.close()

    for call in (admin.describe_cluster, admin.describe_controllers):
        with pytest.raises(AdminError, match="the client is closed"):
            await call()


@pytest.mark.parametrize("broker_id", [-1, 2**31, True, "2"])
async def test_an_id_that_no_broker_has_is_refused_before_it_is_sent(broker_id: int) -> None:
    async with Admin("127.0.0.1:1") as admin:
        with pytest.raises(ValueError, match="broker_id: expected an id of 0 to 2147483647"):
            await admin.unregister_broker(broker_id)


async def test_an_endpoint_without_a_port_is_refused_before_it_is_sent() -> None:
    async with Admin("127.0.0.1:1") as admin:
        with pytest.raises(ValueError, match="endpoints: expected host:port, got 'a:65536'"):
            await admin.add_voter(3003, DIRECTORY, [Endpoint("CONTROLLER", "a", 65_536)])


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan"), float("inf")])
def test_a_time_limit_that_is_none_is_refused(timeout_s: float) -> None:
    with pytest.raises(ValueError, match="timeout_s: expected seconds above 0"):
        Admin("127.0.0.1:1", timeout_s=timeout_s)


@pytest.mark.parametrize(
    ("addresses", "wrong"),
    [
        ({}, "expected bootstrap_servers, bootstrap_controllers or both, got none"),
        ({"bootstrap_servers": "nowhere"}, "bootstrap_servers: expected host:port, got 'nowhere'"),
        ({"bootstrap_controllers": "a:1,"}, "bootstrap_controllers: expected host:port, got ''"),
    ],
)
def test_addresses_that_are_none_are_refused(addresses: dict[str, str], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        Admin(**addresses)
