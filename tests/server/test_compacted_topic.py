"""A topic with cleanup.policy=compact is cleaned at its leader and its followers."""

import pytest

from kraftsim import Cluster
from kraftsim.broker_agent.log.batch import header_of
from kraftsim.broker_agent.replica_store import Move
from kraftsim.controller.core.node_id import broker_node
from tests.batches import NOW_MS, batch
from tests.server.kafka_client import connected
from tests.server.test_data_plane import produced, records_in, wanted

pytestmark = pytest.mark.realtime

VALUES = [b"value-%d" % number for number in range(4)]


async def test_a_compacted_topic_keeps_the_latest_values() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1, kafka_port=0) as kraft:
        config = {"cleanup.policy": "compact", "segment.ms": "60000"}
        await kraft.topics.create("t", assignments=[[1, 2]], config=config)
        await kraft.clock.advance("1s")
        async with connected(kraft.bootstrap_servers.split(",")[0]) as client:
            for number, value in enumerate(VALUES):
                at_ms = NOW_MS + (number == len(VALUES) - 1) * 60_001  # the last one rolls
                client.send(0, 9, produced(batch(value, key=b"k", at_ms=at_ms)))
                await client.answer(0, 9)

            await kraft.clock.advance("16s")  # log.cleaner.backoff.ms
            client.send(1, 12, wanted(0))

            assert records_in(await client.frame()) == [VALUES[2]]  # a Fetch ends at a segment
        ((key, log),) = kraft.world.agents[2].store.logs.items()
        assert [header_of(stored).base_offset for stored in log.batches] == [2, 3]
        assert log.batches == kraft.world.agents[1].store.logs[key].batches


@pytest.mark.rule("B7.54")
async def test_the_cleaner_leaves_a_log_that_moves() -> None:
    async with Cluster(brokers=1, log_dirs=2, clock="virtual", seed=1, kafka_port=0) as kraft:
        config = {"cleanup.policy": "compact", "segment.ms": "60000"}
        await kraft.topics.create("t", assignments=[[1]], config=config)
        await kraft.clock.advance("1s")
        store = kraft.world.agents[1].store
        async with connected(kraft.bootstrap_servers) as client:
            for number, value in enumerate(VALUES):
                at_ms = NOW_MS + (number == len(VALUES) - 1) * 60_001  # the last one rolls
                client.send(0, 9, produced(batch(value, key=b"k", at_ms=at_ms)))
                await client.answer(0, 9)
            ((key, log),) = store.logs.items()
            await kraft.clock.advance("16s")  # log.cleaner.backoff.ms
            source, target = kraft.world.hosts[broker_node(1)].log_dirs
            store.moves[key] = Move(source.directory_id, target.directory_id)

            client.send(1, 12, wanted(0))
            await client.frame()

        assert len(log.batches) == len(VALUES)
