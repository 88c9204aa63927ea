"""Three controllers behind HTTP and in Python: shown, handed over, killed, started."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession

from kraftsim import Cluster
from kraftsim.errors import CommandError
from tests.kraftsim.conftest import CLUSTER_ID, Http

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
    await kraft.advance("2s")

    shown = (await http.get("/v1/quorum")).document

    assert {"leaderId", "leaderEpoch", "highWatermark", "highWatermarkUpdateTimeMs"} < shown.keys()
    assert IDS == {one["nodeId"] for one in shown["voters"]}
    assert {1, 2, 3} == {one["nodeId"] for one in shown["observers"]}
    leader = next(one for one in shown["voters"] if one["nodeId"] == shown["leaderId"])
    assert leader["endpoint"].startswith("127.0.0.1:")
    assert leader["logEndOffset"] >= shown["highWatermark"] > 0
    assert all(one["lastCaughtUpTimestamp"] > 0 for one in shown["voters"])


async def test_leadership_is_handed_over_to_whom_one_names(http: Http, kraft: Cluster) -> None:
    before = await leader_of(http)
    chosen = min(IDS - {before})

    await http.post("/sim/quorum/transfer", {"to": chosen})
    await kraft.advance("1s")

    assert chosen == await leader_of(http)
    assert not (await http.get("/v1/brokers/1")).document["fenced"]


async def test_a_killed_leader_is_followed_by_another_and_comes_back(
    http: Http, kraft: Cluster
) -> None:
    killed = await leader_of(http)

    answer = await http.post(f"/sim/controllers/{killed}/kill")
    assert "NOT_RUNNING" == answer.document["state"]
    refused = await http.kafka("UnregisterBroker", brokerId=77)
    assert (421, 41) == (refused.status, refused.document["errorCode"])
    await kraft.advance("10s")
    assert killed != await leader_of(http)
    await http.post(f"/sim/controllers/{killed}/start")
    await kraft.advance("3s")

    shown = (await http.get("/v1/controllers")).document["controllers"]
    assert {"LEADER": 1, "FOLLOWER": 2} == {
        role: sum(one["role"] == role for one in shown) for role in ("LEADER", "FOLLOWER")
    }


async def test_verbs_on_controllers_say_what_is_wrong(http: Http, kraft: Cluster) -> None:
    unknown = await http.post("/sim/controllers/7/kill")
    assert (404, "UNKNOWN_CONTROLLER") == (unknown.status, unknown.document["error"])
    assert "expected one of 3000, 3001, 3002" in unknown.message

    leader = await leader_of(http)
    dead = min(IDS - {leader})
    await kraft.kill_controller(dead)
    with pytest.raises(CommandError, match=f"controller {dead} is not running"):
        await kraft.transfer_leadership(dead)


async def test_a_paused_leader_holds_up_nobody(http: Http, kraft: Cluster) -> None:
    paused = await leader_of(http)

    await http.post(f"/sim/controllers/{paused}/pause")

    refused = await http.kafka("UnregisterBroker", brokerId=77)
    assert (421, 41) == (refused.status, refused.document["errorCode"])
    await kraft.advance("10s")
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
        described = await kraft.describe_quorum()

    assert IDS == {one.replica_id for one in described.topics[0].partitions[0].current_voters}
