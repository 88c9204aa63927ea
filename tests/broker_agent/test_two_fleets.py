"""A broker of a cluster and those of a fleet, over sockets: they follow each other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from kraftsim import Cluster
from kraftsim.broker_agent.directories.log_directories import simulated_directory
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.rpc.stored_messages import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.uuid import random_uuid
from kraftsim.service.client_view import ClientView
from kraftsim.service.fleet_listeners import FleetListeners
from kraftsim.simulation.topology import BrokerSpec, Topology, agent_config
from tests.batches import batch
from tests.broker_agent.test_fleet import QUICK, Watched, until
from tests.limits import LIMIT_S
from tests.server.kafka_client import connected

pytestmark = pytest.mark.realtime

OURS, THEIRS, THEIR_OTHER = 1, 1001, 1002
HOST = "127.0.0.1"
PRODUCE = 0


class Beside(Watched):
    """A fleet of two brokers, with listeners."""

    async def join(self, kraft: Cluster) -> FleetListeners:
        listeners = FleetListeners(self.fleet, self.runtime)
        topology = Topology(cluster_id=kraft.cluster_id, settings=Settings(**QUICK))
        configs = []
        for broker_id in (THEIRS, THEIR_OTHER):
            port = await listeners.bind(broker_id, "PLAINTEXT", HOST, 0)
            directory = simulated_directory(random_uuid(self.random))
            spec = BrokerSpec(broker_id=broker_id, port=port)
            configs.append(agent_config(topology, spec, (directory,)))

        def heard(broker_id: int, state: str) -> None:
            listeners.follow(broker_id, state)
            self._heard(broker_id, state)

        self.fleet.start(configs, heard)
        listeners.serve(ClientView(kraft.cluster_id, DEFAULT_PROFILE, self.random))
        await self.all_are("RUNNING")
        return listeners


@asynccontextmanager
async def beside() -> AsyncIterator[tuple[Cluster, Beside]]:
    """A cluster of one broker, and a fleet of two."""
    options = {"kafka_port": 0, "controller_port": 0, "settings": QUICK}
    async with Cluster(brokers=1, **options) as kraft:
        host, _, port = kraft.bootstrap_controllers.rpartition(":")
        watched = Beside(host, int(port))
        listeners = await watched.join(kraft)
        try:
            yield kraft, watched
        finally:
            watched.close()
            await listeners.close()


def isr(kraft: Cluster) -> set[int]:
    image = kraft.world.committed
    return set(image.partition((image.topic_ids["orders"], 0)).isr)


async def become_alike(kraft: Cluster, watched: Beside, end: int, *others: int) -> None:
    """Waits until the logs have the same batches up to an offset."""
    topic_id = kraft.world.committed.topic_ids["orders"]
    async with asyncio.timeout(LIMIT_S):
        while True:
            agents = [watched.fleet.agents[broker_id] for broker_id in (THEIRS, *others)]
            agents.append(kraft.world.agents[OURS])
            logs = [agent.store.logs.get((topic_id, 0)) for agent in agents]
            ends = {0 if log is None else log.end_offset for log in logs}
            if ends == {end}:
                break
            await asyncio.sleep(0.01)
    batches = [[] if log is None else log.batches for log in logs]
    assert all(of == batches[0] for of in batches)


async def write_to_fleet(kraft: Cluster, watched: Beside) -> None:
    """Produces a record to the broker of the fleet."""
    (listener,) = watched.fleet.agents[THEIRS].agent.config.listeners
    data = PartitionProduceData(index=0, records=batch(b"a", at_ms=watched.timeline.wall_ms))
    topic = TopicProduceData(
        topic_id=kraft.world.committed.topic_ids["orders"], partition_data=(data,)
    )
    async with connected(f"{listener.host}:{listener.port}") as client:
        client.send(PRODUCE, 13, ProduceRequest(acks=1, timeout_ms=1000, topic_data=(topic,)))
        _, response = await client.answer(PRODUCE, 13)
    assert response.responses[0].partition_responses[0].error_code == 0


async def test_each_follows_the_other_over_sockets() -> None:
    async with beside() as (kraft, watched):
        await kraft.topics.create("orders", assignments=[[OURS, THEIRS]])
        await kraft.topics.write("orders", ["a", "b"])
        await become_alike(kraft, watched, 2)

        await kraft.brokers.kill(OURS)
        await until(kraft, lambda: isr(kraft) == {THEIRS})
        await write_to_fleet(kraft, watched)
        await kraft.brokers.restart(OURS)
        await until(kraft, lambda: isr(kraft) == {OURS, THEIRS})

        await become_alike(kraft, watched, 3)


async def test_each_broker_of_a_fleet_hears_of_a_new_topic() -> None:
    """They share the metadata that one of them has fetched."""
    async with beside() as (kraft, watched):
        await kraft.topics.create("orders", assignments=[[OURS, THEIRS, THEIR_OTHER]])
        await kraft.topics.write("orders", ["a", "b"])

        await become_alike(kraft, watched, 2, THEIR_OTHER)


async def test_a_restored_snapshot_follows_again() -> None:
    async with beside() as (kraft, watched):
        await kraft.topics.create("orders", assignments=[[THEIRS, OURS]])
        await write_to_fleet(kraft, watched)
        await become_alike(kraft, watched, 1)
        await kraft.snapshots.save("following")
        await write_to_fleet(kraft, watched)
        await become_alike(kraft, watched, 2)

        await kraft.snapshots.restore("following")
        await become_alike(kraft, watched, 2)
