"""Brokers of `up` and `Cluster` with several listeners: clients get the addresses of theirs."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.rpc import MetadataRequest
from kraftsim.options import ClusterOptions
from tests.server.kafka_client import connected

pytestmark = pytest.mark.realtime

METADATA, METADATA_VERSION = 3, 12


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(
        brokers=2, clock="virtual", seed=1, kafka_port=0, listeners={"INSIDE": 0, "OUTSIDE": 0}
    ) as cluster:
        yield cluster


def ports_of(kraft: Cluster, broker_id: int) -> dict[str, int]:
    """The registered ports of a broker, by listener."""
    return {
        listener.name: listener.port
        for listener in kraft.world.committed.brokers[broker_id].listeners
    }


async def told(port: int) -> dict[int, int]:
    """The port of each broker that a client gets at `port`."""
    async with connected(f"127.0.0.1:{port}") as client:
        client.send(METADATA, METADATA_VERSION, MetadataRequest(topics=()))
        _, reply = await client.answer(METADATA, METADATA_VERSION)
        return {broker.node_id: broker.port for broker in reply.brokers}


async def test_metadata_has_the_addresses_of_the_listener_of_the_connection(kraft: Cluster) -> None:
    registered = {broker_id: ports_of(kraft, broker_id) for broker_id in (1, 2)}

    assert [*registered[1]] == ["PLAINTEXT", "INSIDE", "OUTSIDE"]
    for name in registered[1]:
        expected = {broker_id: ports[name] for broker_id, ports in registered.items()}
        assert await told(registered[2][name]) == expected


async def test_a_new_broker_has_every_listener(kraft: Cluster) -> None:
    broker_id = await kraft.brokers.add()
    await kraft.clock.advance("5s")

    ports = ports_of(kraft, broker_id)

    assert [*ports] == ["PLAINTEXT", "INSIDE", "OUTSIDE"]
    assert (await told(ports["OUTSIDE"]))[broker_id] == ports["OUTSIDE"]


async def test_every_listener_follows_the_process_of_the_broker(kraft: Cluster) -> None:
    port = ports_of(kraft, 1)["OUTSIDE"]
    await kraft.brokers.kill(1)

    with pytest.raises(OSError):
        await told(port)

    await kraft.brokers.restart(1, wait="60s")
    assert (await told(port))[1] == port


async def test_a_reset_keeps_the_ports_and_a_recording_is_refused(kraft: Cluster) -> None:
    before = ports_of(kraft, 1)

    await kraft.reset()

    assert ports_of(kraft, 1) == before
    assert (await told(before["INSIDE"]))[1] == before["INSIDE"]
    assert "several listeners" in str(kraft._live.recorder.refusal)


async def hosts(port: int) -> set[str]:
    """The hosts of the brokers that a client gets at `port`."""
    async with connected(f"127.0.0.1:{port}") as client:
        client.send(METADATA, METADATA_VERSION, MetadataRequest(topics=()))
        _, reply = await client.answer(METADATA, METADATA_VERSION)
        return {f"{broker.host}:{broker.port}" for broker in reply.brokers}


async def test_each_listener_has_an_advertised_host_of_its_own() -> None:
    async with Cluster(
        brokers=2,
        clock="virtual",
        seed=1,
        kafka_port=0,
        controller_port=0,
        listeners={"INSIDE": 0, "OUTSIDE": 0},
        advertised_listeners={
            "INSIDE": "kafka",
            "OUTSIDE": "localhost:19092",
            "CONTROLLER": "voter",
        },
    ) as kraft:
        bound = kraft._live.service.named_ports(1)
        inside = {f"kafka:{kraft._live.service.named_ports(number)['INSIDE']}" for number in (1, 2)}

        assert await hosts(bound["INSIDE"]) == inside
        assert await hosts(bound["OUTSIDE"]) == {"localhost:19092", "localhost:19093"}
        assert await hosts(kraft._live.service.brokers[1].port) == {
            *kraft.bootstrap_servers.split(",")
        }
        assert kraft.bootstrap_controllers.startswith("voter:")

        broker_id = await kraft.brokers.add()
        await kraft.clock.advance("5s")
        assert ports_of(kraft, broker_id)["OUTSIDE"] == 19094


async def test_a_broker_of_a_snapshot_comes_back_at_its_bound_port() -> None:
    async with Cluster(
        brokers=1,
        clock="virtual",
        seed=1,
        kafka_port=0,
        advertised_listeners={"PLAINTEXT": "localhost:19092"},
    ) as kraft:
        assert kraft.bootstrap_servers == "localhost:19092"
        await kraft.brokers.add()
        await kraft.clock.advance("5s")
        await kraft.snapshots.save("two")
        await kraft.reset()
        await kraft.snapshots.restore("two")

        assert ports_of(kraft, 2) == {"PLAINTEXT": 19093}
        assert await hosts(kraft._live.service.brokers[2].port) == {
            "localhost:19092",
            "localhost:19093",
        }


@pytest.mark.parametrize(
    ("advertised", "message"),
    [
        ({"OUT": "a"}, "expected one of PLAINTEXT, CONTROLLER, OUTSIDE, got 'OUT'"),
        ({"OUTSIDE": "0.0.0.0"}, "expected HOST or HOST:PORT for OUTSIDE"),
        ({"OUTSIDE": ":9092"}, "got ':9092'"),
        ({"OUTSIDE": "a b"}, "got 'a b'"),
        ({"OUTSIDE": "a:65535"}, "a port of at most 65533, got 'a:65535'"),
        ({"OUTSIDE": "a:0"}, "got 'a:0'"),
        ({"OUTSIDE": 9092}, "got 9092"),
        ([], "expected a mapping of names to HOST or HOST:PORT"),
    ],
)
def test_an_impossible_advertised_listener_is_refused(advertised: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ClusterOptions(kafka_port=0, listeners={"OUTSIDE": 0}, advertised_listeners=advertised)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"listeners": {"PLAINTEXT": 0}}, "expected a name of A to Z"),
        ({"listeners": {"CONTROLLER": 0}}, "expected a name of A to Z"),
        ({"listeners": {"a b": 0}}, "got 'a b'"),
        ({"listeners": {"INSIDE": "x"}}, "expected a port for INSIDE, got 'x'"),
        ({"listeners": {"INSIDE": 65_535}}, "expected 0 to 65533 for INSIDE, got 65535"),
        ({"listeners": {"INSIDE": 0}, "kafka_port": None}, "expected a kafka_port"),
        ({"listeners": [("INSIDE", 0)]}, "expected a mapping of names to ports"),
    ],
)
def test_an_impossible_listener_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ClusterOptions(**{"kafka_port": 0, **options})


def test_the_option_of_up_wants_a_name_and_a_port(run: Any) -> None:
    code, _, err = run("up --listeners INSIDE")

    assert (code, "--listeners: expected NAME=PORT, got 'INSIDE'" in err) == (2, True)

    code, _, err = run("up --advertised-listeners INSIDE")

    assert (code, "--advertised-listeners: expected NAME=HOST or NAME=HOST:PORT" in err) == (
        2,
        True,
    )
