"""An operator restarts every broker once, while faults strike it and random ones the cluster."""

import asyncio
import random

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from kraftsim import Cluster

from .events import Rows, events_of

BROKERS = (1, 2, 3, 4)
STRIKES = 6
LIMIT_S = 3_600  # of virtual time, far more than the operator needs


async def history(seed: int) -> Rows:
    """Returns what the operator did and when, and the cluster's events."""
    async with Cluster(brokers=len(BROKERS), controllers=3, kafka_port=0, seed=seed) as kraft:
        await kraft.topics.create("orders", partitions=6, replication_factor=3)
        operator = Operator(kraft)
        kraft.nodes.add(operator.run, name="operator")
        async with kraft.chaos(seed), asyncio.timeout(LIMIT_S):
            await _strike(kraft, random.Random(seed))
            while (await kraft.nodes.list())[0]["state"] != "NOT_RUNNING":  # noqa: ASYNC110
                await asyncio.sleep(1)
        assert [row[-1] for row in operator.restarted] == list(BROKERS), await kraft.nodes.list()
        return operator.restarted + await events_of(kraft)


class Operator:
    """Restarts a broker once no partition lacks a replica."""

    def __init__(self, kraft: Cluster) -> None:
        self._kraft = kraft
        self.restarted: Rows = []

    async def run(self) -> None:
        """Restarts the brokers one after the other."""
        for broker_id in BROKERS:
            await self._wait_until_healthy()
            await self._kraft.brokers.stop(broker_id)
            await asyncio.sleep(5)
            await self._kraft.brokers.restart(broker_id)
            self.restarted.append((asyncio.get_running_loop().time(), broker_id))
        await self._wait_until_healthy()

    async def _wait_until_healthy(self) -> None:
        while not await self._is_healthy():  # noqa: ASYNC110 - as operators do
            await asyncio.sleep(1)

    async def _is_healthy(self) -> bool:
        """Asks a broker over the network, whose faults may fail each attempt."""
        admin = AIOKafkaAdminClient(
            bootstrap_servers=self._kraft.bootstrap_servers, request_timeout_ms=5_000
        )
        try:
            await admin.start()
            brokers = (await admin.describe_cluster())["brokers"]
            partitions = (await admin.describe_topics(["orders"]))[0]["partitions"]
        except KafkaError:
            return False
        finally:
            await admin.close()
        return len(brokers) == len(BROKERS) and all(
            len(partition["isr"]) == len(partition["replicas"]) for partition in partitions
        )


async def _strike(kraft: Cluster, stream: random.Random) -> None:
    """Pauses the operator and cuts it off; each fault ends by itself."""
    for _ in range(STRIKES):
        await asyncio.sleep(stream.uniform(1, 30))
        verb = stream.choice(["proc.pause", "net.partition"])
        await kraft.faults.add({verb: {"on": {"node": "operator"}, "for": "8s"}})
