"""Three controllers behind HTTP and in Python: shown, handed over, killed, started."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.errors import CommandError
from tests.kraftsim.conftest import CLUSTER_ID, Http
from tests.worlds import node, nodes

pytestmark = pytest.mark.realtime
IDS = {3000, 3001, 3002}


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(
        brokers=3, controllers=3, clock="virtual", seed=1, cluster_id=CLUSTER_ID, http_port=0
    ) as cluster:
        yield cluster


@pytest.fixture
async def http(kraft: Cluster) -> AsyncIterator[Http]:
    async with ClientSession() as session:
        yield Http(session, kraft.http_url)


async def leader_of(http: Http) -> int:
    leader = (await http.get("/v1/quorum")).document["leaderId"]
    assert isinstance(leader, int)
    return leader


async def test_the_quorum_is_shown_with_voters_and_observers(http: Http, kraft: Cluster) -> None:
    """The shape that people rely on (KIP-836)."""
    await kraft.clock.advance("2s")

    shown = (await http.get("/v1/quorum")).document

    assert {"leaderId", "leaderEpoch", "highWatermark", "highWatermarkUpdateTimeMs"} < shown.keys()
    assert IDS == {voter["nodeId"] for voter in shown["voters"]}
    assert {1, 2, 3} == {observer["nodeId"] for observer in shown["observers"]}
    leader = next(voter for voter in shown["voters"] if voter["nodeId"] == shown["leaderId"])
    assert leader["endpoint"].startswith("127.0.0.1:")
    assert leader["logEndOffset"] >= shown["highWatermark"] > 0
    assert all(voter["lastCaughtUpTimestamp"] > 0 for voter in shown["voters"])


async def test_leadership_is_handed_over_to_whom_one_names(http: Http, kraft: Cluster) -> None:
    before = await leader_of(http)
    chosen = min(IDS - {before})

    await http.post("/sim/quorum/transfer-leadership", {"to": chosen})
    await kraft.clock.advance("1s")

    assert chosen == await leader_of(http)
    assert not (await http.get("/v1/brokers/1")).document["fenced"]


async def test_a_transfer_returns_when_the_next_leader_takes_writes(
    http: Http, kraft: Cluster
) -> None:
    before = await leader_of(http)
    chosen = min(IDS - {before})

    transferred = await http.post("/sim/quorum/transfer-leadership", {"to": chosen})
    written = await http.kafka("CreateTopics", topics=[{"name": "orders"}])

    assert chosen == transferred.document["leaderId"]
    assert 0 == written.document["topics"][0]["errorCode"]
    assert chosen == await kraft.quorum.transfer_leadership(chosen)  # it leads already
    assert await kraft.quorum.transfer_leadership() in IDS - {chosen}


async def test_a_transfer_in_vain_says_where_every_controller_stands(kraft: Cluster) -> None:
    leader = kraft.world.controller.node.config.node_id
    dead, *others = sorted(IDS - {leader})
    await kraft.controllers.kill(dead)
    kraft.world.network.isolate(node(leader), nodes(IDS))

    with pytest.raises(TimeoutError, match="expected another leader within 1s") as over:
        await kraft.quorum.transfer_leadership(timeout="1s")

    assert f"controller {dead}: NOT_RUNNING" in str(over.value)
    assert all(f"controller {controller}: " in str(over.value) for controller in others)


async def test_who_only_believes_that_it_leads_is_not_who_follows_a_leader(kraft: Cluster) -> None:
    world = kraft.world
    cut_off = world.controller
    world.network.isolate(node(cut_off.node.config.node_id), nodes(IDS))
    assert world.run_until(lambda: world.active not in (None, cut_off), limit_us=10_000_000)
    elected = world.controller

    following = await kraft.quorum.transfer_leadership()

    assert {following} == IDS - {
        controller.node.config.node_id for controller in (cut_off, elected)
    }


async def test_a_timeout_that_is_none_costs_nobody_its_leadership(kraft: Cluster) -> None:
    leader = kraft.world.active

    with pytest.raises(ValueError, match="soon"):
        await kraft.quorum.transfer_leadership(timeout="soon")

    assert leader is kraft.world.active


async def test_one_waits_for_the_next_leader_or_for_one_by_its_id(
    http: Http, kraft: Cluster
) -> None:
    killed = await leader_of(http)
    await kraft.controllers.kill(killed)

    waited = await http.get("/v1/wait", leader="any")
    await kraft.wait(leader=waited.document["leaderId"])

    assert waited.document["leaderId"] in IDS - {killed}
    over = await http.get("/v1/wait", leader=killed, timeout="1s")
    assert (504, "TIMED_OUT") == (over.status, over.document["error"])
    assert over.message.startswith(f"expected controller {killed} to be active within 1s; ")
    assert f"controller {killed}: NOT_RUNNING" in over.message


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ({"leader": "someone"}, "leader: expected a controller's id or any, got 'someone'"),
        ({"leader": "7"}, "no controller 7: expected one of 3000, 3001, 3002"),
        ({"leader": "any", "broker": "1"}, "expected both broker and state, or only leader"),
        ({"broker": "1"}, "expected both broker and state, or only leader"),
        ({}, "expected both broker and state, or only leader"),
    ],
)
async def test_what_cannot_be_waited_for_is_refused(
    http: Http, query: dict[str, str], wrong: str
) -> None:
    refused = await http.get("/v1/wait", **query)

    assert refused.status in (400, 404)
    assert wrong in refused.message


@pytest.mark.rule("0A.2")
async def test_what_is_written_during_an_election_is_held_for_the_next_leader() -> None:
    async with Cluster(brokers=1, controllers=3) as kraft:
        killed = kraft.world.controller.node.config.node_id
        await kraft.controllers.kill(killed)

        await kraft.topics.create("orders", partitions=1, replication_factor=1)

        assert "orders" in kraft.world.committed.topic_ids
        assert kraft.world.controller.node.config.node_id != killed


@pytest.mark.rule("0A.2")
async def test_what_is_held_for_a_leader_in_vain_is_refused_as_it_was_at_once() -> None:
    """Time is scaled, so that the ten seconds for which it is held pass in one."""
    async with Cluster(brokers=1, controllers=3, clock=10) as kraft:
        for node_id in IDS:
            await kraft.controllers.kill(node_id)

        with pytest.raises(ApiError) as refused:
            await kraft.unregister(1)

    assert ErrorCode.NOT_CONTROLLER == refused.value.code


async def test_a_killed_leader_is_followed_by_another_and_comes_back(
    http: Http, kraft: Cluster
) -> None:
    killed = await leader_of(http)

    answer = await http.post(f"/sim/controllers/{killed}/kill")
    assert "NOT_RUNNING" == answer.document["state"]
    refused = await http.kafka("UnregisterBroker", brokerId=77)
    assert (421, 41) == (refused.status, refused.document["errorCode"])
    await kraft.clock.advance("10s")
    assert killed != await leader_of(http)
    await http.post(f"/sim/controllers/{killed}/start")
    await kraft.clock.advance("3s")

    shown = (await http.get("/v1/controllers")).document["controllers"]
    assert {"LEADER": 1, "FOLLOWER": 2} == {
        role: sum(row["role"] == role for row in shown) for role in ("LEADER", "FOLLOWER")
    }


async def test_verbs_on_controllers_say_what_is_wrong(http: Http, kraft: Cluster) -> None:
    unknown = await http.post("/sim/controllers/7/kill")
    assert (404, "UNKNOWN_CONTROLLER") == (unknown.status, unknown.document["error"])
    assert "expected one of 3000, 3001, 3002" in unknown.message

    leader = await leader_of(http)
    dead = min(IDS - {leader})
    await kraft.controllers.kill(dead)
    with pytest.raises(CommandError, match=f"expected a running controller, got {dead}"):
        await kraft.quorum.transfer_leadership(dead)


async def test_a_paused_leader_holds_up_nobody(http: Http, kraft: Cluster) -> None:
    paused = await leader_of(http)

    await http.post(f"/sim/controllers/{paused}/pause")

    refused = await http.kafka("UnregisterBroker", brokerId=77)
    assert (421, 41) == (refused.status, refused.document["errorCode"])
    await kraft.clock.advance("10s")
    assert paused != await leader_of(http)


async def test_the_quorum_is_described_over_http_as_kafka_does(http: Http) -> None:
    described = await http.kafka(
        "DescribeQuorum",
        topics=[{"topicName": "__cluster_metadata", "partitions": [{"partitionIndex": 0}]}],
    )

    partition = described.document["topics"][0]["partitions"][0]
    assert (0, await leader_of(http)) == (partition["errorCode"], partition["leaderId"])


async def test_features_are_updated_over_http(http: Http) -> None:
    updated = await http.kafka(
        "UpdateFeatures",
        featureUpdates=[{"feature": "share.version", "maxVersionLevel": 0, "upgradeType": 2}],
    )

    assert (200, 0) == (updated.status, updated.document["errorCode"])
    features = (await http.get("/v1/cluster")).document["finalizedFeatures"]
    assert "share.version" not in features


async def test_without_sockets_three_controllers_are_usable_at_once() -> None:
    async with Cluster(brokers=3, controllers=3) as kraft:
        described = await kraft.quorum.describe()

    assert IDS == {voter.replica_id for voter in described.topics[0].partitions[0].current_voters}


async def test_a_dead_controller_is_unregistered_and_a_living_one_comes_back() -> None:
    async with Cluster(brokers=1, controllers=3, clock="virtual", seed=1) as kraft:
        leader_id = kraft.quorum.leader()["leaderId"]
        dead, living = (number for number in (3000, 3001, 3002) if number != leader_id)
        await kraft.controllers.kill(dead)

        await kraft.unregister_controller(dead)
        await kraft.unregister_controller(living)
        assert {leader_id} == {*kraft.world.committed.controllers}

        await kraft.clock.advance("60s")
        assert {leader_id, living} == {*kraft.world.committed.controllers}


async def test_a_transfer_ends_once_brokers_know_the_leader(kraft: Cluster) -> None:
    """Their clients ask them for it, and get 6 while they do not know."""
    leader = await kraft.quorum.transfer_leadership()

    assert {agent.agent.controller_id for agent in kraft.world.agents.values()} == {leader}


async def test_a_transfer_waits_for_no_broker_that_is_cut_off(kraft: Cluster) -> None:
    await kraft.brokers.deafen(2)
    began_us = kraft.world.timeline.now_us

    leader = await kraft.quorum.transfer_leadership()

    known = {number: of.agent.controller_id for number, of in kraft.world.agents.items()}
    assert known[1] == known[3] == leader != known[2]
    assert kraft.world.timeline.now_us - began_us < 1_000_000
