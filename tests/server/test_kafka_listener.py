"""A Kafka connection as its client sees it: order, waiting, half-closing, a broker that dies."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.rpc import (
    ApiVersionsRequest,
    CreatableTopic,
    CreateTopicsRequest,
    MetadataRequest,
)
from kraftsim.controller.wire.frames import encode_request
from tests.golden.recordings import frame as recorded
from tests.server.kafka_client import API_VERSIONS, Client, connected

pytestmark = pytest.mark.realtime


LIKE_4_3 = pytest.mark.parametrize("kraft", ["kafka-4.3"], indirect=True)


@pytest.fixture
async def kraft(request: pytest.FixtureRequest) -> AsyncIterator[Cluster]:
    """Time stands still, so that the log moves only when a test moves it."""
    profile = getattr(request, "param", DEFAULT_PROFILE.name)
    async with Cluster(
        brokers=1, clock="virtual", seed=1, profile=profile, kafka_port=0, controller_port=0
    ) as cluster:
        yield cluster


@pytest.fixture
async def controller(kraft: Cluster) -> AsyncIterator[Client]:
    async with connected(kraft.bootstrap_controllers) as client:
        yield client


@pytest.fixture
async def broker(kraft: Cluster) -> AsyncIterator[Client]:
    async with connected(kraft.bootstrap_servers) as client:
        yield client


def framed(frame: bytes) -> bytes:
    return len(frame).to_bytes(4) + frame


def end_offset(kraft: Cluster) -> int:
    return kraft.world.controller.node.log.end_offset


@pytest.mark.parametrize("where", ["controller", "broker"])
async def test_pipelined_requests_are_answered_in_order(
    request: pytest.FixtureRequest, controller: Client, broker: Client, where: str
) -> None:
    client = {"controller": controller, "broker": broker}[where]
    for correlation_id in range(600):
        if correlation_id % 3:
            client.ask_versions(correlation_id)
        else:
            client.ask_cluster(correlation_id, endpoint_type=2 if where == "controller" else 1)

    answered = []
    for correlation_id in range(600):
        key, version = (18, 3) if correlation_id % 3 else (60, 2)
        number, response = await client.answer(key, version)
        assert response.error_code == 0
        answered.append(number)
    assert answered == list(range(600))


async def test_requests_cut_anywhere_are_requests(controller: Client) -> None:
    data = b"".join(
        encode_request(
            18,
            3,
            number,
            "test",
            ApiVersionsRequest(client_software_name="a", client_software_version="1"),
        )
        for number in range(3)
    )
    for byte in data:
        controller.writer.write(bytes([byte]))
        await controller.writer.drain()

    assert [(await controller.answer(18, 3))[0] for _ in range(3)] == [0, 1, 2]


@pytest.mark.rule("5.47")
@LIKE_4_3
async def test_an_unknown_version_of_api_versions_is_answered_as_kafka_does(
    controller: Client, broker: Client
) -> None:
    asked, answered = recorded("4.3.1", "A6-errors", 10), recorded("4.3.1", "A6-errors", 11)

    for client in (controller, broker):
        client.writer.write(framed(asked.data))
        assert await client.frame() == answered.data
        assert await client.is_served()


@pytest.mark.rule("5.47")
async def test_version_5_of_api_versions_is_spoken_from_4_4_on() -> None:
    """Kafka 4.3 answers in version 0 what it speaks; clients ask again."""
    for profile, answered_in, code in (("kafka-4.3", 0, 35), ("kafka-4.4", 5, 0)):
        async with Cluster(
            brokers=1, clock="virtual", seed=1, profile=profile, kafka_port=0, controller_port=0
        ) as kraft:
            for servers in (kraft.bootstrap_controllers, kraft.bootstrap_servers):
                async with connected(servers) as client:
                    client.send(18, 5, API_VERSIONS)
                    _, response = await client.answer(18, answered_in)
                    newest = {key.api_key: key.max_version for key in response.api_keys}[18]
                    assert (code, 5 if profile == "kafka-4.4" else 4) == (
                        response.error_code,
                        newest,
                    )
                    assert await client.is_served()


async def test_a_broker_of_4_4_refuses_a_client_of_another_broker() -> None:
    """KIP-1242: the client begins anew where it began."""
    async with (
        Cluster(brokers=1, clock="virtual", seed=1, profile="kafka-4.4", kafka_port=0) as kraft,
        connected(kraft.bootstrap_servers) as client,
    ):
        for node_id, code in ((1, 0), (2, ErrorCode.REBOOTSTRAP_REQUIRED)):
            meant = {"cluster_id": kraft.cluster_id, "node_id": node_id}
            client.send(18, 5, replace(API_VERSIONS, **meant))
            _, response = await client.answer(18, 5)
            assert code == response.error_code


@pytest.mark.rule("5.46")
@LIKE_4_3
async def test_a_software_name_that_is_none_is_answered_as_kafka_does(
    controller: Client, broker: Client
) -> None:
    asked, answered = recorded("4.3.1", "A6-errors", 8), recorded("4.3.1", "A6-errors", 9)

    for client in (controller, broker):
        client.writer.write(framed(asked.data))
        assert await client.frame() == answered.data
        assert await client.is_served()


@pytest.mark.rule("5.8", "5.10")
@LIKE_4_3
async def test_version_0_of_describe_cluster_at_a_controller_is_refused_as_kafka_does(
    controller: Client,
) -> None:
    asked, answered = recorded("4.3.1", "A6-errors", 15), recorded("4.3.1", "A6-errors", 16)

    controller.writer.write(framed(asked.data))

    assert await controller.frame() == answered.data


async def test_a_broker_forwards_what_it_cannot_decide(kraft: Cluster, broker: Client) -> None:
    topic = CreatableTopic(name="orders", num_partitions=1, replication_factor=1)
    broker.send(19, 7, CreateTopicsRequest(topics=(topic,)))

    _, response = await broker.answer(19, 7)

    assert [topic.error_code for topic in response.topics] == [0]
    assert "orders" in kraft.world.committed.topic_ids


async def test_a_fetch_without_news_waits_and_is_answered_by_news(
    kraft: Cluster, controller: Client
) -> None:
    end = end_offset(kraft)
    controller.fetch(end, correlation_id=7, epoch=1, max_wait_ms=60_000)
    async with connected(kraft.bootstrap_controllers) as other:
        await controller.round_trips(other)
        assert controller.nothing_came
        await kraft.topics.create("orders")

    correlation_id, response = await controller.answer(1, 17)

    assert correlation_id == 7
    data = response.responses[0].partitions[0]
    assert data.records[0].base_offset == end
    assert data.high_watermark == end_offset(kraft)


async def test_a_fetch_without_news_is_answered_empty_when_its_time_is_over(
    kraft: Cluster, controller: Client
) -> None:
    quiet = {"metadata.max.idle.interval.ms": 0}
    async with (
        Cluster(brokers=0, clock="virtual", seed=1, controller_port=0, settings=quiet) as silent,
        connected(silent.bootstrap_controllers) as client,
    ):
        client.fetch(end_offset(silent), epoch=1, max_wait_ms=500)
        async with connected(silent.bootstrap_controllers) as other:
            await client.round_trips(other)
        await silent.clock.advance("499ms")
        async with connected(silent.bootstrap_controllers) as other:
            await client.round_trips(other)
        assert client.nothing_came
        await silent.clock.advance("1ms")

        _, response = await client.answer(1, 17)
        assert not response.responses[0].partitions[0].records


async def test_requests_behind_a_waiting_fetch_wait_their_turn(
    kraft: Cluster, controller: Client
) -> None:
    controller.fetch(end_offset(kraft), correlation_id=1, epoch=1, max_wait_ms=60_000)
    for correlation_id in (2, 3):
        controller.ask_versions(correlation_id)
    async with connected(kraft.bootstrap_controllers) as other:
        await controller.round_trips(other)
    assert controller.nothing_came
    await kraft.topics.create("orders")

    assert (await controller.answer(1, 17))[0] == 1
    assert [(await controller.answer(18, 3))[0] for _ in range(2)] == [2, 3]


async def test_a_client_that_goes_away_while_its_fetch_waits_disturbs_nobody(
    kraft: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    async with connected(kraft.bootstrap_controllers) as gone:
        gone.fetch(end_offset(kraft), epoch=1, max_wait_ms=60_000)
        async with connected(kraft.bootstrap_controllers) as other:
            await gone.round_trips(other)
    await kraft.topics.create("orders")

    async with connected(kraft.bootstrap_controllers) as other:
        assert await other.is_served()
    assert caplog.records == []


async def test_a_half_closed_client_gets_its_answers_and_then_the_end(
    kraft: Cluster, controller: Client
) -> None:
    for correlation_id in range(3):
        controller.ask_versions(correlation_id)
    controller.writer.write_eof()

    assert [(await controller.answer(18, 3))[0] for _ in range(3)] == [0, 1, 2]
    assert await controller.ended() == b""


async def test_a_half_closed_client_gets_the_answer_that_has_to_wait(
    kraft: Cluster, controller: Client
) -> None:
    controller.fetch(end_offset(kraft), correlation_id=1, epoch=1, max_wait_ms=60_000)
    controller.ask_versions(2)
    controller.writer.write_eof()
    async with connected(kraft.bootstrap_controllers) as other:
        await controller.round_trips(other)
    await kraft.topics.create("orders")

    assert (await controller.answer(1, 17))[0] == 1
    assert (await controller.answer(18, 3))[0] == 2
    assert await controller.ended() == b""


async def test_a_half_closed_client_that_asked_nothing_is_let_go(controller: Client) -> None:
    controller.writer.write_eof()

    assert await controller.ended() == b""


async def test_a_paused_broker_accepts_and_answers_nobody_until_it_is_resumed(
    kraft: Cluster, broker: Client, controller: Client
) -> None:
    await kraft.brokers.pause(1)
    async with connected(kraft.bootstrap_servers) as late:
        for client in (broker, late):
            client.ask_versions(5)
            await client.round_trips(controller)
            assert client.nothing_came
        await kraft.brokers.resume(1)

        assert (await broker.answer(18, 3))[0] == 5
        assert (await late.answer(18, 3))[0] == 5


async def test_a_killed_broker_drops_its_clients_and_refuses_new_ones(
    kraft: Cluster, broker: Client
) -> None:
    assert await broker.is_served()
    await kraft.brokers.kill(1)

    assert await broker.ended() == b""
    with pytest.raises(OSError, match=r"refused|failed"):
        async with connected(kraft.bootstrap_servers):
            pass


async def reachable(kraft: Cluster) -> None:
    """Until the broker listens again: its broker's start and that are two turns of the loop."""
    async with connected(kraft.bootstrap_controllers) as other:
        await other.round_trips(other, 20)


async def test_a_restarted_broker_answers_on_the_same_port(kraft: Cluster) -> None:
    address = kraft.bootstrap_servers
    await kraft.brokers.kill(1)
    await kraft.brokers.restart(1)
    await reachable(kraft)

    assert kraft.bootstrap_servers == address
    async with connected(address) as client:
        assert await client.is_served()


@pytest.mark.parametrize("verbs", [("kill", "restart", "kill"), ("restart", "restart", "kill")])
async def test_a_broker_that_dies_while_it_starts_is_not_reachable(
    kraft: Cluster, verbs: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    for verb in verbs:
        await getattr(kraft.brokers, verb)(1)
    async with connected(kraft.bootstrap_controllers) as other:
        await other.round_trips(other, 20)

    with pytest.raises(OSError, match=r"refused|failed"):
        async with connected(kraft.bootstrap_servers):
            pass
    assert caplog.records == []


async def test_a_broker_restarted_twice_at_once_is_reachable(
    kraft: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    for verb in ("restart", "kill", "restart", "restart"):
        await getattr(kraft.brokers, verb)(1)
    await reachable(kraft)

    async with connected(kraft.bootstrap_servers) as client:
        assert await client.is_served()
    assert caplog.records == []


async def test_a_cluster_closed_during_a_restart_leaves_no_port_open() -> None:
    async with Cluster(brokers=1, clock="virtual", kafka_port=0) as kraft:
        await kraft.brokers.restart(1)

    with pytest.raises(OSError, match=r"refused|failed"):
        async with connected(kraft.bootstrap_servers):
            pass


@pytest.mark.rule("5.45")
async def test_a_facade_shows_what_its_broker_has_fetched(kraft: Cluster, broker: Client) -> None:
    await kraft.brokers.deafen(1)
    await kraft.topics.create("orders")
    broker.send(3, 12, MetadataRequest())
    _, stale = await broker.answer(3, 12)
    await kraft.brokers.undeafen(1)
    await kraft.clock.advance("5s")
    broker.send(3, 12, MetadataRequest())
    _, fresh = await broker.answer(3, 12)

    assert [topic.name for topic in stale.topics] == []
    assert [topic.name for topic in fresh.topics] == ["orders"]
