"""A replica joins the ISR once its broker fetches from the leader, and not before."""

import pytest

from kraftsim import Cluster

BACK = {"kill": "restart", "pause": "resume", "deafen": "undeafen"}


async def isr(kraft: Cluster) -> list[int]:
    topic = await kraft.topics.describe("orders")
    return topic["partitions"][0]["isr"]


@pytest.mark.parametrize("fault", list(BACK))
async def test_a_broker_that_cannot_fetch_joins_no_isr(fault: str) -> None:
    async with Cluster(brokers=3, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("orders", assignments=[[1, 2]])
        await getattr(kraft.brokers, fault)(3)
        await kraft.reassignments.start("orders", replicas={0: [1, 2, 3]})
        await kraft.clock.advance("5s")
        assert await isr(kraft) == [1, 2]
        await getattr(kraft.brokers, BACK[fault])(3)
        await kraft.clock.advance("20s")
        assert await isr(kraft) == [1, 2, 3]


async def test_a_partition_stays_with_its_live_replica_until_a_dead_one_returns() -> None:
    async with Cluster(brokers=3, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("orders", assignments=[[1]])
        await kraft.brokers.kill(3)
        await kraft.reassignments.start("orders", replicas={0: [3]})
        await kraft.clock.advance("5s")
        partition = (await kraft.topics.describe("orders"))["partitions"][0]
        assert (partition["leader"], partition["isr"]) == (1, [1])
        await kraft.brokers.restart(3)
        await kraft.clock.advance("20s")
        partition = (await kraft.topics.describe("orders"))["partitions"][0]
        assert (partition["leader"], partition["isr"], partition["replicas"]) == (3, [3], [3])
