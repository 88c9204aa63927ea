"""`kraftsim topic read`: the records that brokers store, for a person."""

import pytest
from aiokafka import AIOKafkaProducer

from kraftsim import Cluster
from kraftsim.controller.core.errors import ApiError
from kraftsim.errors import UnknownTopic, UsageError

pytestmark = pytest.mark.realtime


async def test_the_records_of_a_topic_are_read_in_order_of_partition_and_offset() -> None:
    async with Cluster(brokers=3, clock="auto", seed=1, kafka_port=0) as kraft:
        await kraft.topics.create("t", partitions=2, replication_factor=3)
        async with AIOKafkaProducer(
            bootstrap_servers=kraft.bootstrap_servers, compression_type="gzip"
        ) as producer:
            for key, value, partition in ((b"k", b"a", 1), (None, b"b", 0), (b"k", None, 1)):
                await producer.send_and_wait("t", value, key=key, partition=partition)
            await producer.send_and_wait("t", b"\xff", partition=0)

        records = (await kraft.topics.read("t"))["records"]
        later = (await kraft.topics.read("t", partition=1, from_=1))["records"]
        first = (await kraft.topics.read("t", limit=1))["records"]

        def parts(found: object) -> list[tuple[object, ...]]:
            assert isinstance(found, list)
            names = ("partition", "offset", "key", "value")
            return [tuple(record[name] for name in names) for record in found]

        everything = [
            (0, 0, None, "b"),
            (0, 1, None, "\ufffd"),
            (1, 0, "k", "a"),
            (1, 1, "k", None),
        ]
        assert parts(records) == everything
        assert parts(later) == everything[3:]
        assert parts(first) == everything[:1]


async def test_a_topic_or_a_partition_that_there_is_not_is_refused() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("t", partitions=2)

        with pytest.raises(UnknownTopic):
            await kraft.topics.read("u")
        with pytest.raises(ApiError, match="partition 9: expected 0 to 1"):
            await kraft.topics.read("t", partition=9)
        with pytest.raises(UsageError, match="limit: expected 1 to 10000, got 0"):
            await kraft.topics.read("t", limit=0)
