"""The brokers of a cluster hold `retention_bytes` of messages; then the oldest make room."""

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from kraftsim import Cluster

MEBIBYTE = 1024 * 1024


@pytest.mark.realtime
async def test_the_oldest_messages_make_room_and_the_log_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Cluster(kafka_port=0, seed=1, retention_bytes=MEBIBYTE) as kraft:
        await kraft.topics.create("t", partitions=1, replication_factor=3)
        async with AIOKafkaProducer(bootstrap_servers=kraft.bootstrap_servers) as producer:
            for _ in range(40):
                await producer.send_and_wait("t", bytes(100_000))
        async with AIOKafkaConsumer(bootstrap_servers=kraft.bootstrap_servers) as consumer:
            partition = TopicPartition("t", 0)
            first = (await consumer.beginning_offsets([partition]))[partition]
            end = (await consumer.end_offsets([partition]))[partition]

    assert end == 40
    assert 0 < end - first <= 10
    told = [line for line in caplog.messages if "--retention-bytes" in line]
    assert told == [
        "the logs of the brokers hold 1048576 bytes, their bound (--retention-bytes): from now on "
        "the oldest messages make room for new ones"
    ]


def test_a_bound_below_a_mebibyte_is_refused() -> None:
    with pytest.raises(ValueError, match="retention_bytes: expected 1048576 or more, got 1000"):
        Cluster(retention_bytes=1000)
