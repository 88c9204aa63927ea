"""RackAwareReplicaSelector sends consumers to a follower in their rack, which serves (KIP-392)."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from kraftsim import Cluster
from tests.batches import batch
from tests.differential.listener.replies import document_of
from tests.server.kafka_client import Client, connected
from tests.server.test_data_plane import VALUES, produced, records_in, wanted

pytestmark = pytest.mark.realtime

BY_RACK = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
FENCED_LEADER_EPOCH, OFFSET_OUT_OF_RANGE = 74, 1


def cluster(selector: str = BY_RACK) -> Cluster:
    settings = {"replica.selector.class": selector}
    racks = ["r1", "r2", "r3"]
    return Cluster(brokers=3, racks=racks, clock="virtual", seed=1, kafka_port=0, settings=settings)


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with cluster() as kraft:
        await kraft.topics.create("t", assignments=[[1, 2]])
        await kraft.clock.advance("1s")
        async with connected(address(kraft, 1)) as client:
            client.send(0, 9, produced(batch(VALUES[0])))
            await client.answer(0, 9)
        yield kraft


@pytest.fixture
async def leader(kraft: Cluster) -> AsyncIterator[Client]:
    async with connected(address(kraft, 1)) as client:
        yield client


def address(kraft: Cluster, broker_id: int) -> str:
    return kraft.bootstrap_servers.split(",")[broker_id - 1]


async def read(client: Client, rack: str, offset: int = 0, version: int = 12, **of: Any) -> Any:
    client.send(1, version, wanted(offset, rack_id=rack, **of))
    response = document_of(1, version, await client.frame())
    ((partition,),) = [topic["partitions"] for topic in response["responses"]]
    return partition


@pytest.mark.rule("B4.42")
@pytest.mark.parametrize(
    ("rack", "preferred"), [("r2", 2), ("r1", -1), ("r9", -1), ("r3", -1), ("", -1)]
)
async def test_a_consumer_is_sent_to_the_follower_in_its_rack(
    leader: Client, rack: str, preferred: int
) -> None:
    found = await read(leader, rack)

    assert (found["errorCode"], found["preferredReadReplica"]) == (0, preferred)
    assert bool(found["records"]) == (preferred < 0)
    assert (found["highWatermark"], found["lastStableOffset"], found["logStartOffset"]) == (1, 1, 0)


@pytest.mark.rule("B4.43")
async def test_it_is_sent_there_at_once_and_in_each_reply_of_a_session(leader: Client) -> None:
    found = await read(leader, "r2", 1, max_wait_ms=600_000, min_bytes=100_000)
    assert found["preferredReadReplica"] == 2

    leader.send(1, 12, wanted(1, rack_id="r2", session_epoch=0))
    session_id = document_of(1, 12, await leader.frame())["sessionId"]
    for epoch in (1, 2):
        found = await read(leader, "r2", 1, session_id=session_id, session_epoch=epoch)
        assert found["preferredReadReplica"] == 2


@pytest.mark.rule("B4.42", "B4.43")
async def test_an_offset_or_an_epoch_that_the_leader_refuses_is_refused(leader: Client) -> None:
    found = await read(leader, "r2", 5)
    assert (found["errorCode"], found["preferredReadReplica"]) == (OFFSET_OUT_OF_RANGE, -1)
    found = await read(leader, "r2", leader_epoch=0, version=12)
    assert found["preferredReadReplica"] == 2
    found = await read(leader, "r2", leader_epoch=7)
    assert found["errorCode"]


@pytest.mark.rule("B4.42")
async def test_an_old_consumer_is_served_by_the_leader(leader: Client) -> None:
    found = await read(leader, "r2", version=10)

    assert found["records"]


async def test_the_follower_serves_and_wakes_its_consumers(kraft: Cluster, leader: Client) -> None:
    async with connected(address(kraft, 2)) as consumer:
        found = await read(consumer, "r2")
        assert (found["errorCode"], found["preferredReadReplica"]) == (0, -1)
        assert found["records"]
        consumer.send(1, 12, wanted(1, rack_id="r2", max_wait_ms=600_000, min_bytes=1))
        await leader.round_trips(leader)
        assert consumer.nothing_came

        leader.send(0, 9, produced(batch(VALUES[1])))

        assert records_in(await consumer.frame()) == VALUES[1:2]


@pytest.mark.rule("B4.42")
async def test_a_follower_outside_the_isr_is_not_preferred(kraft: Cluster, leader: Client) -> None:
    await kraft.brokers.kill(2)
    await kraft.wait(broker=2, state="fenced")

    assert (await read(leader, "r2"))["preferredReadReplica"] == -1


async def test_without_the_selector_the_leader_serves() -> None:
    async with cluster("") as kraft:
        await kraft.topics.create("t", assignments=[[1, 2]])
        async with connected(address(kraft, 1)) as leader:
            assert (await read(leader, "r2"))["preferredReadReplica"] == -1
