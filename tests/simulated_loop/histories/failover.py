"""A producer and a consumer of aiokafka, whose leader is killed."""

import asyncio

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from kraftsim import Cluster

from .events import Rows, events_of

PARTITIONS = 6
EVERY_S = 30  # a message to each partition at once


async def history(seed: int, minutes: int) -> Rows:
    """Returns what was consumed, when, and the cluster's events."""
    async with Cluster(brokers=3, controllers=3, kafka_port=0, seed=seed) as kraft:
        await kraft.topics.create("orders", partitions=PARTITIONS, replication_factor=3)
        consumed: Rows = []
        rounds = minutes * 60 // EVERY_S
        consuming = asyncio.create_task(_consume(kraft.bootstrap_servers, consumed))
        producing = asyncio.create_task(_produce(kraft.bootstrap_servers, rounds))
        await asyncio.sleep(minutes * 30)
        leader = (await kraft.topics.describe("orders"))["partitions"][0]["leader"]
        await kraft.brokers.kill(leader)
        await kraft.faults.add(
            {"net.delay": {"on": "all", "low": "1ms", "high": "20ms", "for": "60s"}}
        )
        await producing
        await asyncio.sleep(30)
        consuming.cancel()
        await asyncio.gather(consuming, return_exceptions=True)
        assert sorted(row[-1] for row in consumed) == list(range(rounds * PARTITIONS))
        return consumed + await events_of(kraft)


async def _produce(servers: str, rounds: int) -> None:
    async with AIOKafkaProducer(bootstrap_servers=servers, acks="all") as producer:
        for first in range(0, rounds * PARTITIONS, PARTITIONS):
            sending = [
                producer.send_and_wait("orders", b"%d" % (first + partition), partition=partition)
                for partition in range(PARTITIONS)
            ]
            await asyncio.gather(*sending)
            await asyncio.sleep(EVERY_S)


async def _consume(servers: str, consumed: Rows) -> None:
    loop = asyncio.get_running_loop()
    consumer = AIOKafkaConsumer(bootstrap_servers=servers, auto_offset_reset="earliest")
    async with consumer:
        consumer.assign([TopicPartition("orders", number) for number in range(PARTITIONS)])
        async for message in consumer:
            place = (message.partition, message.offset, message.timestamp)
            consumed.append((loop.time(), *place, int(message.value)))
