"""Requests about messages, put to one broker as the wire has them: what 4.3.1 replies to them."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from kraftsim.broker_agent.forwarding import Forwarding
from kraftsim.broker_agent.log.waits import FetchWaits
from kraftsim.broker_agent.messages.messages import Messages
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.node_id import broker_node
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreateTopicsRequest,
    FetchPartition,
    FetchPartitionData,
    FetchRequest,
    FetchTopic,
)
from kraftsim.controller.core.rpc.stored_messages import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    TopicProduceData,
)
from kraftsim.controller.wire.frames import decode_request, encode_request, read_request_header
from tests.batches import NOW_MS, batch
from tests.worlds import ask, pass_time, world_of

TOPIC, PARTITIONS = "t", 2
CORRUPT, UNKNOWN_ERROR = ErrorCode.CORRUPT_MESSAGE, ErrorCode.UNKNOWN_SERVER_ERROR
OUT_OF_RANGE, INVALID = ErrorCode.OFFSET_OUT_OF_RANGE, ErrorCode.INVALID_RECORD
ANY_BYTES = 2**20


class Broker:
    """A broker that leads both partitions of a topic."""

    def __init__(self) -> None:
        self.world = world = world_of(1, profile=KAFKA_4_3)
        numbers = iter(number / 10**6 for number in range(1, 10**6))
        send = partial(world.send_request, broker_node(1), is_forwarded=True)
        self.messages = Messages(
            world.agents[1],
            "PLAINTEXT",
            FetchWaits(),
            wall_ms=lambda now_ms: NOW_MS,
            poll_clock=lambda: world.timeline,
            forward=Forwarding(world.timeline, send, lambda: 3000).forward,
            random=lambda: next(numbers),
        )
        topic = CreatableTopic(name=TOPIC, num_partitions=PARTITIONS, replication_factor=1)
        ask(world, CreateTopicsRequest(topics=(topic,)))
        pass_time(world, 0.2)

    def produce(
        self, *parts: tuple[int, bytes], version: int = 12
    ) -> dict[int, PartitionProduceResponse]:
        """The results by partition."""
        entries = tuple(PartitionProduceData(index=index, records=data) for index, data in parts)
        topic = TopicProduceData(name=TOPIC, partition_data=entries)
        request = ProduceRequest(acks=1, timeout_ms=1000, topic_data=(topic,))
        replies: list[Any] = []
        self.messages.produce(as_sent(0, version, request), replies.append)
        ((results,),) = [reply.responses for reply in replies]
        return {result.index: result for result in results.partition_responses}

    def fetch(self, *parts: FetchPartition, version: int = 12, **fields: Any) -> Iterator[Any]:
        """Yields the result of each partition."""
        topics = (FetchTopic(topic=TOPIC, partitions=parts),)
        request = FetchRequest(topics=topics, **{"max_bytes": ANY_BYTES, **fields})
        replies: list[Any] = []
        self.messages.fetch(as_sent(1, version, request), replies.append)
        ((results,),) = [reply.responses for reply in replies]
        yield from results.partitions


def as_sent(key: int, version: int, request: Any) -> Any:
    frame = encode_request(key, version, 1, "test", request)[4:]
    return decode_request(read_request_header(frame), frame)


def wanted(offset: int, *, bytes_max: int = ANY_BYTES, last_epoch: int = -1) -> FetchPartition:
    return FetchPartition(
        partition=0,
        fetch_offset=offset,
        current_leader_epoch=-1,
        last_fetched_epoch=last_epoch,
        log_start_offset=-1,
        partition_max_bytes=bytes_max,
    )


@pytest.fixture
def broker() -> Broker:
    return Broker()


@pytest.mark.rule("B1.7", "B1.11")
@pytest.mark.parametrize(
    ("bad", "version", "code", "text"),
    [
        (batch(b"a", magic=3), 12, CORRUPT, "Invalid magic found in record: 3"),
        (batch(b"a", magic=-1), 12, CORRUPT, "Invalid magic found in record: -1"),
        (batch(b"a", attributes=5), 6, UNKNOWN_ERROR, None),
    ],
    ids=["magic 3", "magic -1", "codec 5 without zstd"],
)
def test_some_batches_fail_their_whole_request(
    broker: Broker, bad: bytes, version: int, code: ErrorCode, text: str | None
) -> None:
    results = broker.produce((0, batch(b"good")), (1, bad), version=version)

    assert {0: code, 1: code} == {index: result.error_code for index, result in results.items()}
    assert {text} == {result.error_message for result in results.values()}
    assert broker.produce((0, batch(b"good")))[0].base_offset == 0, "nothing was appended"


def test_a_second_batch_that_is_no_batch_fails_its_partition_without_a_text(broker: Broker) -> None:
    results = broker.produce((0, batch(b"good")), (1, batch(b"a") + batch(b"b", magic=3)))

    assert results[0].error_code == 0
    assert (results[1].error_code, results[1].error_message) == (CORRUPT, None)


@pytest.mark.rule("B2.6")
def test_the_last_good_entry_for_a_partition_is_appended_beside_a_bad_one(broker: Broker) -> None:
    results = broker.produce((0, batch(b"a", b"b")), (0, batch(b"c") * 2), (0, b""))

    assert results[0].error_code == INVALID
    assert broker.produce((0, batch(b"next")))[0].base_offset == 2


@pytest.mark.rule("B4.32")
@pytest.mark.parametrize(("offset", "code"), [(0, UNKNOWN_ERROR), (1, 0), (2, OUT_OF_RANGE)])
def test_a_limit_below_0_fails_where_there_is_something_to_read(
    broker: Broker, offset: int, code: int
) -> None:
    broker.produce((0, batch(b"a")))

    (result,) = broker.fetch(wanted(offset, bytes_max=-1))

    assert result.error_code == code


def aborted(data: FetchPartitionData) -> object:
    return data.aborted_transactions


def test_aborted_transactions_are_listed_where_batches_were_looked_at(broker: Broker) -> None:
    broker.produce((0, batch(b"a" * 100)), (1, batch(b"a" * 100)))
    size = len(batch(b"a" * 100))
    first = FetchPartition(
        partition=1, fetch_offset=0, current_leader_epoch=-1, partition_max_bytes=ANY_BYTES
    )

    (whole,) = broker.fetch(wanted(0), isolation_level=1)
    (diverging,) = broker.fetch(wanted(7, last_epoch=0), isolation_level=1)
    _, cut = broker.fetch(first, wanted(0), isolation_level=1, max_bytes=size + 1)
    _, nothing = broker.fetch(first, wanted(0), isolation_level=1, max_bytes=size)
    (future,) = broker.fetch(wanted(0), isolation_level=1, replica_id=-3)

    assert aborted(whole) == () == aborted(nothing)
    assert aborted(diverging) is aborted(cut) is aborted(future) is None
