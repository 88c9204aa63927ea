"""Coroutines of a user are nodes of the simulated world, with faults as brokers have them."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from aiokafka.admin import AIOKafkaAdminClient

from kraftsim import Cluster, CommandError, simulated_loop
from kraftsim.errors import UsageError

Test = Callable[[Cluster], Coroutine[Any, Any, None]]


def in_world(test: Test, **options: Any) -> None:
    async def main() -> None:
        async with Cluster(brokers=2, seed=1, **options) as kraft:
            await test(kraft)

    simulated_loop.run(main, seed=1)


async def echoes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        writer.write(line)
    writer.close()


async def serves() -> None:
    server = await asyncio.start_server(echoes, "service", 80)
    await server.serve_forever()


async def fails() -> None:
    raise ValueError("no cluster")


FAILS = f"tests/kraftsim/test_nodes.py:{fails.__code__.co_firstlineno + 1}: ValueError: no cluster"


async def state(kraft: Cluster, name: str) -> str:
    return next(node["state"] for node in await kraft.nodes.list() if node["name"] == name)


def test_a_fault_cuts_a_node_off_as_it_does_a_broker() -> None:
    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(serves, name="service")
        await asyncio.sleep(1)
        reader, writer = await asyncio.open_connection("service", 80)
        await kraft.faults.add({"net.partition": {"on": {"node": "service"}, "for": "3s"}})
        began_s = asyncio.get_running_loop().time()
        writer.write(b"hello\n")
        assert await reader.readline() == b"hello\n"
        assert asyncio.get_running_loop().time() - began_s > 3
        writer.close()

    in_world(test)


def test_a_fault_delays_each_segment_of_a_node() -> None:
    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(serves, name="service")
        await asyncio.sleep(1)
        reader, writer = await asyncio.open_connection("service", 80)
        lags = {"low": "100ms", "high": "100ms"}
        await kraft.faults.add({"net.delay": {"on": {"node": "service"}, **lags, "for": "1m"}})
        began_s = asyncio.get_running_loop().time()
        writer.write(b"hello\n")
        await reader.readline()
        assert asyncio.get_running_loop().time() - began_s == pytest.approx(0.2)
        writer.close()

    in_world(test)


def test_a_fault_pauses_and_crashes_a_node_and_brings_it_back() -> None:
    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(serves, name="service")
        await kraft.faults.add({"proc.pause": {"on": {"node": "service"}, "for": "3s"}})
        assert await state(kraft, "service") == "PAUSED"
        await asyncio.sleep(4)
        assert await state(kraft, "service") == "RUNNING"
        await kraft.faults.add({"proc.crash": {"on": {"node": "service"}, "for": "3s"}})
        assert await state(kraft, "service") == "NOT_RUNNING"
        await asyncio.sleep(4)
        assert await state(kraft, "service") == "RUNNING"

    in_world(test)


def test_a_node_that_fails_says_why() -> None:
    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(fails, name="operator")
        await asyncio.sleep(1)
        assert await kraft.nodes.list() == [
            {"name": "operator", "state": "NOT_RUNNING", "rack": None, "error": FAILS}
        ]
        rows = [event for event in await kraft.events.list() if event["kind"] == "node_state"]
        assert [row["detail"]["state"] for row in rows] == ["RUNNING", "NOT_RUNNING"]

    in_world(test)


def test_a_stopped_node_cleans_up_and_a_killed_one_does_not() -> None:
    told = list[str]()

    async def tells() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            told.append("cleaned up")

    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(tells, name="operator")
        await asyncio.sleep(1)
        await kraft.nodes.kill("operator")
        await asyncio.sleep(1)
        assert told == []
        await kraft.nodes.restart("operator")
        await asyncio.sleep(1)
        await kraft.nodes.stop("operator")
        await asyncio.sleep(1)
        assert told == ["cleaned up"]

    in_world(test)


def test_a_name_is_taken_once_and_an_unknown_one_is_named() -> None:
    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(serves, name="service")
        with pytest.raises(CommandError, match="expected one that no node has, got 'service'"):
            kraft.nodes.add(serves, name="service")
        with pytest.raises(CommandError, match=r"of your own \(service\), got 'operator'"):
            await kraft.nodes.kill("operator")
        with pytest.raises(CommandError, match=r"\(test, service\), got 'operator'"):
            await kraft.faults.add({"proc.pause": {"on": {"node": "operator"}, "for": "3s"}})

    in_world(test)


async def test_a_node_needs_the_simulated_loop() -> None:
    async with Cluster(brokers=1, clock="virtual") as kraft:
        with pytest.raises(CommandError, match=r"mark the test with @pytest\.mark\.kraft"):
            kraft.nodes.add(serves, name="service")


@pytest.mark.parametrize(
    "name", ["broker-1", "controller-3000", "localhost", "test", "kraft", "127.0.0.1", ""]
)
def test_a_node_has_a_name_of_its_own(name: str) -> None:
    async def test(kraft: Cluster) -> None:
        with pytest.raises(UsageError, match="no broker and no controller"):
            kraft.nodes.add(serves, name=name)

    in_world(test)


@pytest.mark.parametrize("words", [{"name": 7}, {"name": "service", "rack": 7}])
def test_a_node_has_texts_as_its_name_and_rack(words: dict[str, Any]) -> None:
    async def test(kraft: Cluster) -> None:
        with pytest.raises(UsageError, match=r"(name|rack): expected a str, got the int 7"):
            kraft.nodes.add(serves, **words)
        assert await kraft.nodes.list() == []

    in_world(test)


def test_a_node_is_a_function_and_not_its_coroutine() -> None:
    async def test(kraft: Cluster) -> None:
        coroutine = fails()
        with pytest.raises(UsageError, match="expected a function that returns a coroutine"):
            kraft.nodes.add(coroutine, name="operator")  # type: ignore[arg-type]
        coroutine.close()
        assert await kraft.nodes.list() == []

    in_world(test)


def test_a_node_that_exits_ends_alone() -> None:
    async def exits() -> None:
        asyncio.get_running_loop().call_later(1, sys.exit, 3)
        await asyncio.sleep(60)

    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(exits, name="operator")
        await asyncio.sleep(2)
        (operator,) = await kraft.nodes.list()
        assert operator["state"] == "NOT_RUNNING"
        assert operator["error"] == "SystemExit: 3"

    in_world(test)


def test_a_node_that_signals_itself_gets_no_further() -> None:
    async def test(kraft: Cluster) -> None:
        done = list[str]()

        async def signals_itself() -> None:
            done.append("began")
            if len(done) == 1:
                await kraft.nodes.restart("operator")
            if len(done) == 2:
                await kraft.nodes.pause("operator")
            done.append("resumed")
            await kraft.nodes.kill("operator")
            done.append("after its end")

        kraft.nodes.add(signals_itself, name="operator")
        await asyncio.sleep(1)
        assert done == ["began", "began"]
        await kraft.nodes.resume("operator")
        await asyncio.sleep(1)
        assert done == ["began", "began", "resumed"]

    in_world(test)


def test_a_loop_has_one_cluster_after_the_other() -> None:
    async def test(kraft: Cluster) -> None:
        with pytest.raises(UsageError, match="expected no other cluster in the simulated loop"):
            await Cluster(brokers=1).start()
        await kraft.close()
        async with Cluster(brokers=1) as other:
            assert len(await other.brokers.list()) == 1

    in_world(test)


def test_a_snapshot_branches_in_a_simulated_loop() -> None:
    async def test(kraft: Cluster) -> None:
        await kraft.snapshots.save("begin")
        began_s = asyncio.get_running_loop().time()
        branch = await kraft.snapshots.branch("begin", "60s", {"proc.crash": {"on": 2}})
        assert "broker_fenced" in [event["kind"] for event in branch["events"]]
        assert asyncio.get_running_loop().time() == began_s

    in_world(test)


def test_a_reset_heals_the_network_of_connections_that_outlive_it() -> None:
    async def test(kraft: Cluster) -> None:
        reader, writer = await asyncio.open_connection(
            *kraft.bootstrap_servers.split(",")[0].split(":")
        )
        await kraft.faults.add({"net.partition": {"on": {"node": "test"}, "for": "1h"}})
        await kraft.reset()
        began_s = asyncio.get_running_loop().time()
        assert await reader.read() == b""  # the broker has closed its end
        assert asyncio.get_running_loop().time() - began_s < 60
        writer.close()

    in_world(test, kafka_port=0)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"disk.stall": {"on": {"node": "service"}, "for": "3s"}}, "node service takes net"),
        ({"proc.pause": {"on": {"node": "test"}, "for": "3s"}}, "expected a node with a process"),
    ],
)
def test_a_fault_that_would_do_nothing_to_a_node_is_refused(
    fault: dict[str, object], words: str
) -> None:
    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(serves, name="service")
        with pytest.raises(CommandError, match=words):
            await kraft.faults.add(fault)

    in_world(test)


def test_a_story_tells_of_nodes_by_their_names() -> None:
    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(serves, name="service")
        kraft.nodes.add(fails, name="operator")
        await kraft.faults.add({"proc.pause": {"on": [{"node": "service"}, 1], "for": "1s"}})
        await asyncio.sleep(2)
        told = [sentence["text"] for sentence in (await kraft.story())["events"]]
        assert "node service enters RUNNING" in told
        assert f"node operator enters NOT_RUNNING: {FAILS}" in told
        assert ">> proc.pause: broker 1 and node service (1s)" in told

    in_world(test)


def test_a_node_runs_a_client_which_asks_whether_its_loop_runs() -> None:
    async def test(kraft: Cluster) -> None:
        listed: list[str] = []

        async def client() -> None:
            admin = AIOKafkaAdminClient(bootstrap_servers=kraft.bootstrap_servers)
            await admin.start()
            listed.extend(await admin.list_topics())
            await admin.close()

        await kraft.topics.create("orders", partitions=1, replication_factor=1)
        kraft.nodes.add(client, name="client")
        await asyncio.sleep(1)
        assert listed == ["orders"]

    in_world(test, kafka_port=0)


def test_a_broker_that_a_node_restarts_listens_without_the_node() -> None:
    async def test(kraft: Cluster) -> None:
        async def restarts() -> None:
            await kraft.brokers.restart(1)
            await asyncio.sleep(3600)

        kraft.nodes.add(restarts, name="operator")
        await asyncio.sleep(1)
        await kraft.nodes.kill("operator")
        host, port = kraft.bootstrap_servers.split(",")[0].split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.close()

    in_world(test, kafka_port=0)


def test_the_clock_of_a_node_is_bent_by_faults() -> None:
    told = list[float]()

    async def ticks() -> None:
        while True:
            await asyncio.sleep(10)
            told.append(asyncio.get_running_loop().time())

    async def test(kraft: Cluster) -> None:
        began_s = asyncio.get_running_loop().time()
        kraft.nodes.add(ticks, name="operator")
        await kraft.faults.add({"clock.freeze": {"on": {"node": "operator"}, "for": "5s"}})
        await asyncio.sleep(14)
        assert told == []
        await asyncio.sleep(2)
        assert told == [pytest.approx(began_s + 10)]

    in_world(test)


def test_a_rack_selects_the_nodes_in_it_as_it_does_brokers() -> None:
    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(serves, name="service", rack="b")
        await asyncio.sleep(1)
        await kraft.faults.add({"net.partition": {"on": {"rack": "b"}, "for": "1h"}})
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(60):
                await asyncio.open_connection("service", 80)

    in_world(test)


def test_a_signal_for_a_process_that_has_ended_is_refused() -> None:
    async def test(kraft: Cluster) -> None:
        kraft.nodes.add(serves, name="service")
        await kraft.nodes.kill("service")
        for signal in (kraft.nodes.pause, kraft.nodes.stop):
            with pytest.raises(CommandError, match=r"service: .*got NOT_RUNNING: restart"):
                await signal("service")

    in_world(test)
