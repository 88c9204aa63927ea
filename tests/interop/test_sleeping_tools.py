"""A stock client in a tool that sleeps, in the time of the cluster."""

import time
from contextlib import closing

import kafka
import pytest

from kraftsim import BlockingCluster

pytestmark = pytest.mark.interop

FUTURE = {"log.message.timestamp.after.max.ms": 60_000}


def test_the_timestamps_of_a_producer_that_has_slept_are_not_of_the_future() -> None:
    with (
        BlockingCluster(brokers=1, clock="auto", kafka_port=0, settings=FUTURE) as cluster,
        cluster.patch_sleep(),
        closing(kafka.KafkaProducer(bootstrap_servers=cluster.bootstrap_servers)) as producer,
    ):
        cluster.topics.create("orders", partitions=1)
        first = producer.send("orders", b"first").get()
        time.sleep(600)
        second = producer.send("orders", b"second").get()

    assert second.offset == first.offset + 1
    assert second.timestamp - first.timestamp >= 600_000
