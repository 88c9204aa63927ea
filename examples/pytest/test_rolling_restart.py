"""An operator that restarts every broker, while random faults strike the cluster."""

import asyncio

import pytest


class RollingRestart:
    """Stops and starts one broker after the other, and only while every replica is in sync."""

    def __init__(self, kraft, broker_ids):
        self.kraft, self.broker_ids = kraft, broker_ids
        self.restarted, self.left_without_leader = [], []

    async def partitions(self):
        topics = [row["name"] for row in await self.kraft.topics.list()]
        described = [await self.kraft.topics.describe(name) for name in topics]
        return [partition for topic in described for partition in topic["partitions"]]

    async def is_in_sync(self):
        return all(len(of["isr"]) == len(of["replicas"]) for of in await self.partitions())

    async def run(self):
        for broker_id in self.broker_ids:
            while not await self.is_in_sync():  # noqa: ASYNC110  # no event tells of it
                await asyncio.sleep(1)
            await self.kraft.brokers.stop(broker_id)  # SIGTERM: the broker hands over its leaders
            await asyncio.sleep(5)
            if any(of["leader"] < 0 for of in await self.partitions()):
                self.left_without_leader.append(broker_id)
            await self.kraft.brokers.restart(broker_id)
            self.restarted.append(broker_id)


@pytest.mark.asyncio
@pytest.mark.kraft(
    brokers=4,
    controllers=3,
    loop="simulated",
    chaos=True,
    may_break=True,  # judges the operator, and not Kafka: half the time
    settings={"metadata.max.idle.interval.ms": 5000},  # a quiet quorum: a third less
)
async def test_every_broker_is_restarted_and_no_partition_loses_its_leader(kraft):
    await kraft.topics.create("orders", partitions=6, replication_factor=3)
    operator = RollingRestart(kraft, [1, 2, 3, 4])
    await asyncio.wait_for(operator.run(), 600)
    await kraft.chaos.end()
    assert operator.restarted == [1, 2, 3, 4]
    assert operator.left_without_leader == []
    assert not any(broker["fenced"] for broker in await kraft.brokers.list())
