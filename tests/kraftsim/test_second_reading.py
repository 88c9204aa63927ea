"""What a second reader broke: brokers added at once, odd ids and settings, two lives of one."""

import asyncio

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.rpc import DeleteTopicsRequest, DeleteTopicsResponse, DeleteTopicState
from kraftsim.errors import CommandError
from tests.kraftsim.loop_passes import passes_during


@pytest.mark.realtime
async def test_brokers_added_at_the_same_moment_get_ids_and_ports_of_their_own() -> None:
    async with Cluster(brokers=1, kafka_port=0) as kraft:
        added = await asyncio.gather(*(kraft.brokers.add() for _ in range(6)))

        assert sorted(added) == [2, 3, 4, 5, 6, 7]
        assert len(set(kraft.bootstrap_servers.split(","))) == 7
        for broker in added:
            await kraft.wait(broker=broker, state="unfenced")


@pytest.mark.parametrize("broker_id", [-1, 2**31, 10**30, 1])
async def test_an_id_that_no_broker_can_have_is_refused(broker_id: int) -> None:
    async with Cluster(brokers=1, clock="virtual") as kraft:
        with pytest.raises(CommandError, match="broker_id: expected an id of"):
            await kraft.brokers.add(broker_id=broker_id)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("num.partitions", "Value must be at least 1"),
        ("default.replication.factor", "expected 1 or more, got 0"),  # Kafka has no least value
        ("min.insync.replicas", "Value must be at least 1"),
    ],
)
def test_a_setting_below_its_least_value_is_refused_by_name(setting: str, expected: str) -> None:
    from kraftsim.options import ClusterOptions, topology_of

    with pytest.raises(ValueError, match=f"{setting}: {expected}"):
        topology_of(ClusterOptions(settings={setting: 0}), "c")


async def test_a_cluster_starts_once_and_says_so_when_it_is_closed() -> None:
    async with Cluster(brokers=1, clock="virtual") as kraft:
        with pytest.raises(CommandError, match="starts only once"):
            await kraft.open()

    with pytest.raises(CommandError, match="closed"):
        await kraft.brokers.kill(1)
    with pytest.raises(CommandError, match="starts only once"):
        await kraft.start()


async def test_a_long_wait_by_virtual_time_lets_others_have_their_turn() -> None:
    async with Cluster(brokers=1, clock="virtual") as kraft:
        waiting, turns = await passes_during(kraft.wait(broker=1, state="fenced", timeout="10m"))

    with pytest.raises(TimeoutError):
        waiting.result()
    assert turns >= 10


@pytest.mark.rule("4.52")
async def test_a_topic_named_twice_in_one_deletion_is_refused_and_the_others_go() -> None:
    async with Cluster(brokers=1, clock="virtual") as kraft:
        for name in ("a", "b"):
            await kraft.topics.create(name, partitions=1, replication_factor=1)

        names = ("a", "b", "a")
        topics = tuple(DeleteTopicState(name=name) for name in names)
        reply = await kraft.request(DeleteTopicsRequest(topics=topics))

        assert isinstance(reply, DeleteTopicsResponse)
        answers = [(response.name, response.error_code) for response in reply.responses]
        assert answers == [("a", 42), ("b", 0)]
        assert list(kraft.world.committed.topic_ids) == ["a"]
