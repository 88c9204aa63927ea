"""A producer and a consumer of aiokafka, whose leader is killed, in virtual time.

`python failover.py SEED MINUTES` prints whether every message was consumed once, and a digest of
what was consumed, when, and of the cluster's events.
"""

import asyncio
import hashlib
import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from kraftsim import Cluster, simulated_loop

SEED, MINUTES = int(sys.argv[1]), int(sys.argv[2])
MESSAGES = MINUTES * 6


async def produce(servers: str) -> None:
    async with AIOKafkaProducer(bootstrap_servers=servers, acks="all") as producer:
        for number in range(MESSAGES):
            await producer.send_and_wait("orders", b"%d" % number)
            await asyncio.sleep(10)


async def consume(servers: str, consumed: list[tuple[object, ...]]) -> None:
    loop = asyncio.get_running_loop()
    consumer = AIOKafkaConsumer(bootstrap_servers=servers, auto_offset_reset="earliest")
    async with consumer:
        consumer.assign([TopicPartition("orders", number) for number in range(6)])
        async for message in consumer:
            place = (message.partition, message.offset, message.timestamp)
            consumed.append((loop.time(), *place, message.value))


async def main() -> None:
    async with Cluster(brokers=3, controllers=3, kafka_port=0, seed=SEED) as kraft:
        await kraft.topics.create("orders", partitions=6, replication_factor=3)
        consumed: list[tuple[object, ...]] = []
        consuming = asyncio.create_task(consume(kraft.bootstrap_servers, consumed))
        producing = asyncio.create_task(produce(kraft.bootstrap_servers))
        await asyncio.sleep(MINUTES * 30)
        leader = (await kraft.topics.describe("orders"))["partitions"][0]["leader"]
        await kraft.brokers.kill(leader)
        await kraft.faults.add(
            {"net.delay": {"on": "all", "low": "1ms", "high": "20ms", "for": "60s"}}
        )
        await producing
        await asyncio.sleep(30)
        consuming.cancel()
        await asyncio.gather(consuming, return_exceptions=True)
        events = [(event["tUs"], event["kind"], event["detail"]) for event in await all_of(kraft)]
    values = sorted(int(row[-1]) for row in consumed)
    digest = hashlib.sha256(repr((consumed, events)).encode()).hexdigest()[:16]
    print(values == list(range(MESSAGES)), digest)


async def all_of(kraft: Cluster) -> list[dict[str, object]]:
    return [dict(event) for event in await kraft.events.list(limit=10_000)]


if __name__ == "__main__":
    logging.disable()
    simulated_loop.run(main, seed=SEED)
