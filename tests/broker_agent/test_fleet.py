"""Many agents over real sockets: they register, live, drain, and survive what breaks."""

import asyncio
import random
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.broker_agent import fleet
from kraftsim.broker_agent.client import BrokerClient
from kraftsim.broker_agent.config import AgentConfig
from kraftsim.broker_agent.conversation import Channel, Send
from kraftsim.broker_agent.directories.log_directories import simulated_directory
from kraftsim.broker_agent.fleet import Fleet
from kraftsim.controller.core.rpc import (
    ApiVersionsResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.uuid import random_uuid
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.time.timeline import Timeline
from kraftsim.controller.wire.frames import encode_response
from kraftsim.simulation.topology import BrokerSpec, Topology, agent_config
from tests.kraftsim.loop_passes import others_run
from tests.limits import LIMIT_S

pytestmark = pytest.mark.realtime

QUICK = {"broker_session_timeout_ms": 1000, "broker_heartbeat_interval_ms": 100}


class Watched:
    """A fleet, and the states of its agents."""

    def __init__(self, host: str, port: int) -> None:
        self.timeline = Timeline(wall_start_ms=0)
        self.runtime = Runtime(self.timeline)
        self.random = random.Random(1).random
        self.fleet = Fleet(
            self.timeline, self.runtime, controllers=[(host, port)], random=self.random
        )
        self.states: dict[int, str] = {}
        self._news = asyncio.Event()

    def start(self, cluster_id: str, count: int) -> None:
        topology = Topology(cluster_id=cluster_id, settings=Settings(**QUICK))
        self.fleet.start(
            [self._config(topology, broker_id) for broker_id in range(1, count + 1)], self._heard
        )

    def _config(self, topology: Topology, broker_id: int) -> AgentConfig:
        spec = BrokerSpec(broker_id=broker_id, port=20_000 + broker_id)
        return agent_config(topology, spec, (simulated_directory(random_uuid(self.random)),))

    def _heard(self, broker_id: int, state: str) -> None:
        self.states[broker_id] = state
        self._news.set()

    async def all_are(self, state: str) -> None:
        async with asyncio.timeout(LIMIT_S):
            while set(self.states.values()) != {state}:
                self._news.clear()
                await self._news.wait()

    def close(self) -> None:
        self.fleet.close()
        self.runtime.close()


@asynccontextmanager
async def fleet_for(address: str) -> AsyncIterator[Watched]:
    host, _, port = address.rpartition(":")
    watched = Watched(host, int(port))
    try:
        yield watched
    finally:
        watched.close()


async def test_a_large_fleet_starts_some_brokers_after_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fleet, "STARTING_MAX", 2)
    starting: list[int] = []
    async with quick_cluster() as kraft, fleet_for(kraft.bootstrap_controllers) as watched:
        heard = watched._heard

        def count(broker_id: int, state: str) -> None:
            heard(broker_id, state)
            running = sum(known == "RUNNING" for known in watched.states.values())
            starting.append(len(watched.states) - running)

        monkeypatch.setattr(watched, "_heard", count)
        watched.start(kraft.cluster_id, count=7)
        async with asyncio.timeout(LIMIT_S):
            while len(watched.states) < 7:
                await watched.all_are("RUNNING")
                await others_run()

    assert max(starting) == 2


def quick_cluster(**options: Any) -> Cluster:
    return Cluster(brokers=0, controller_port=0, settings=QUICK, **options)


async def until(kraft: Cluster, condition: Callable[[], bool]) -> None:
    """Look again whenever something was committed."""
    happened = asyncio.Event()
    kraft.world.controller.hosted.committed_listeners.append(lambda _: happened.set())
    async with asyncio.timeout(LIMIT_S):
        while not condition():
            happened.clear()
            await happened.wait()


async def test_twenty_agents_register_and_are_unfenced() -> None:
    async with quick_cluster() as kraft, fleet_for(kraft.bootstrap_controllers) as watched:
        watched.start(kraft.cluster_id, count=20)
        await watched.all_are("RUNNING")

        assert kraft.world.are_unfenced(range(1, 21))
        epochs = {broker.broker_epoch for broker in kraft.world.committed.brokers.values()}
        assert len(epochs) == 20


async def test_a_stopped_fleet_drains_and_leaves_cleanly() -> None:
    async with quick_cluster() as kraft, fleet_for(kraft.bootstrap_controllers) as watched:
        watched.start(kraft.cluster_id, count=5)
        await watched.all_are("RUNNING")
        await kraft.topics.create("orders", partitions=5, replication_factor=1)
        watched.fleet.stop()
        await watched.all_are("NOT_RUNNING")

        assert all(broker.fenced for broker in kraft.world.committed.brokers.values())
        assert all(agent.agent.was_drained for agent in watched.fleet.agents.values())


async def test_a_closed_fleet_is_missed_when_its_leases_run_out() -> None:
    async with quick_cluster() as kraft:
        async with fleet_for(kraft.bootstrap_controllers) as watched:
            watched.start(kraft.cluster_id, count=3)
            await watched.all_are("RUNNING")
        await until(
            kraft, lambda: all(broker.fenced for broker in kraft.world.committed.brokers.values())
        )


async def test_agents_whose_connections_break_come_back_before_their_leases_run_out() -> None:
    async with quick_cluster() as kraft, fleet_for(kraft.bootstrap_controllers) as watched:
        watched.start(kraft.cluster_id, count=5)
        await watched.all_are("RUNNING")
        listener = kraft._live.service.controllers[3000]
        assert listener is not None
        for connection in list(listener.connections):
            connection.drop()
        await kraft.topics.create("orders", partitions=1, replication_factor=3)
        end = kraft.world.controller.node.log.end_offset
        agents = watched.fleet.agents.values()
        await until(kraft, lambda: all(agent.agent.metadata_offset >= end - 1 for agent in agents))

        assert kraft.world.are_unfenced(range(1, 6))
        assert {agent.state for agent in agents} == {"RUNNING"}


async def test_agents_that_find_no_controller_wait_for_one() -> None:
    async with quick_cluster() as kraft:
        address = kraft.bootstrap_controllers
    port = int(address.rpartition(":")[2])
    async with fleet_for(address) as watched:
        watched.start("later", count=3)
        async with Cluster(
            brokers=0, controller_port=port, settings=QUICK, cluster_id="later"
        ) as kraft:
            await watched.all_are("RUNNING")
            assert kraft.world.are_unfenced(range(1, 4))


async def test_agents_of_another_cluster_leave_no_trace_but_a_line_in_their_own_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Their Fetch is refused, and who has seen no metadata does not register (rule 1.9)."""
    async with quick_cluster() as kraft, fleet_for(kraft.bootstrap_controllers) as watched:
        end = kraft.world.controller.node.log.end_offset
        watched.start("another", count=3)
        await until(kraft, lambda: kraft.world.controller.node.log.end_offset >= end + 2)

        assert kraft.world.committed.brokers == {}
        assert set(watched.states.values()) == {"STARTING"}
        (line,) = caplog.messages
        assert (
            f"{kraft.bootstrap_controllers} belongs to another cluster: it refuses the cluster id "
            "another" in line
        )


# One client, and a controller that behaves badly

HEARTBEAT = BrokerHeartbeatRequest(
    broker_id=1, broker_epoch=1, current_metadata_offset=0, want_fence=False, want_shut_down=False
)


@asynccontextmanager
async def controller(answers: Callable[[int], bytes | None]) -> AsyncIterator[int]:
    """Answers each request by its correlation id; None closes the connection."""

    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                size = int.from_bytes(await reader.readexactly(4))
                _, _, correlation_id = struct.unpack_from(">hhi", await reader.readexactly(size))
                answer = answers(correlation_id)
                if answer is None:
                    break
                writer.write(answer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.gather(*serving)


def spelled(correlation_id: int, *, is_fenced: bool = False) -> bytes:
    if correlation_id < 0:  # the question for versions of a caller that was hung up on
        return encode_response(18, 3, correlation_id, ApiVersionsResponse())
    return encode_response(63, 2, correlation_id, BrokerHeartbeatResponse(is_fenced=is_fenced))


async def exchanged(port: int, count: int = 1) -> list[Any]:
    """Replies to `count` heartbeats, each sent when the one before was answered."""
    client = BrokerClient(1, lambda action: action())
    address = ("127.0.0.1", port)
    replies: list[Any] = []
    for number in range(count):
        answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        client.send(
            address,
            Send(channel=Channel.LEASE, request=HEARTBEAT, number=number),
            answered.set_result,
        )
        async with asyncio.timeout(LIMIT_S):
            replies.append(await answered)
    client.close()
    return replies


async def test_a_heartbeat_is_answered() -> None:
    async with controller(spelled) as port:
        assert await exchanged(port, 3) == [BrokerHeartbeatResponse(is_fenced=False)] * 3


async def test_an_answer_to_an_earlier_request_is_nobodys() -> None:
    """It would be taken for the answer to the request that is waited for now."""

    def late(correlation_id: int) -> bytes:
        return spelled(correlation_id - 1, is_fenced=True) + spelled(correlation_id)

    async with controller(late) as port:
        assert await exchanged(port, 2) == [BrokerHeartbeatResponse(is_fenced=False)] * 2


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        struct.pack(">i", -1),
        struct.pack(">i", 2**31 - 1),
        None,
    ],
)
async def test_a_controller_that_answers_nonsense_or_hangs_up_is_tried_again(
    answer: bytes | None,
) -> None:
    seen: list[int] = []

    def once(correlation_id: int) -> bytes | None:
        seen.append(correlation_id)
        return answer if len(seen) == 1 else spelled(correlation_id)

    async with controller(once) as port:
        assert await exchanged(port, 2) == [None, BrokerHeartbeatResponse(is_fenced=False)]


async def test_an_answer_that_cannot_be_read_ends_the_connection() -> None:
    def cut(correlation_id: int) -> bytes:
        return struct.pack(">ii", 4, correlation_id)

    async with controller(cut) as port:
        assert await exchanged(port) == [None]


async def test_no_controller_at_all_is_told_at_once() -> None:
    async with controller(spelled) as port:
        pass

    assert await exchanged(port, 2) == [None, None]


async def test_a_request_that_overtakes_the_connecting_is_the_one_that_is_sent() -> None:
    """The agent gave the first one up; its answer would be taken for the second's."""
    seen: list[int] = []

    def noted(correlation_id: int) -> bytes:
        seen.append(correlation_id)
        return spelled(correlation_id)

    async with controller(noted) as port:
        client = BrokerClient(1, lambda action: action())
        answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        client.send(
            ("127.0.0.1", port),
            Send(channel=Channel.LEASE, request=HEARTBEAT, number=1),
            lambda reply: None,
        )
        client.send(
            ("127.0.0.1", port),
            Send(channel=Channel.LEASE, request=replace(HEARTBEAT, want_fence=True), number=2),
            answered.set_result,
        )
        async with asyncio.timeout(LIMIT_S):
            assert await answered == BrokerHeartbeatResponse(is_fenced=False)
        client.close()

    assert seen == [2]
