"""DescribeTopicPartitions and DescribeLogDirs, as a broker answers them from its metadata."""

import pytest

from kraftsim.broker_agent.config import CLIENT_LISTENER
from kraftsim.broker_agent.descriptions import describe_log_dirs, describe_topic_partitions
from kraftsim.broker_agent.directories.log_directories import simulated_directory
from kraftsim.broker_agent.replica_store import ReplicaStore
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import response_to
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.replay import apply
from kraftsim.controller.core.log.records import PartitionRecord, Record, TopicRecord
from kraftsim.controller.core.rpc.descriptions import (
    DescribeLogDirsRequest,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    LogDirTopic,
    TopicCursor,
    TopicRequest,
)
from kraftsim.controller.core.uuid import Uuid

FIRST, SECOND = bytes(15) + b"\x65", bytes(15) + b"\x66"


def topic_id(name: str) -> Uuid:
    return name.encode().rjust(16, b"\0")


@pytest.fixture
def image() -> Image:
    """Topics "a" with 3 partitions and "b" with 2, on brokers 1 and 2; nobody is registered."""
    image = Image()
    offset = 0
    for name, size in (("b", 2), ("a", 3)):
        records: list[Record] = [TopicRecord(name=name, topic_id=topic_id(name))]
        records += [
            PartitionRecord(
                partition_id=index,
                topic_id=topic_id(name),
                replicas=(1, 2),
                isr=(1, 2),
                removing_replicas=(),
                adding_replicas=(),
                leader=1,
                leader_recovery_state=0,
                leader_epoch=4,
                partition_epoch=0,
                directories=(SECOND if index == 1 else FIRST, FIRST),
                eligible_leader_replicas=(2,),
                last_known_elr=(),
            )
            for index in range(size)
        ]
        for record in records:
            apply(image, record, offset=offset)
            offset += 1
    return image


def page(image: Image, **fields: object) -> tuple[list[tuple[str | None, list[int]]], object]:
    request = DescribeTopicPartitionsRequest(**fields)  # type: ignore[arg-type]
    response = describe_topic_partitions(image, request, CLIENT_LISTENER)
    return [
        (topic.name, [partition.partition_index for partition in topic.partitions])
        for topic in response.topics
    ], response.next_cursor


def test_topics_come_in_the_order_of_their_names(image: Image) -> None:
    assert page(image) == ([("a", [0, 1, 2]), ("b", [0, 1])], None)
    asked = (TopicRequest(name="b"), TopicRequest(name="b"))
    assert page(image, topics=asked) == ([("b", [0, 1])], None)


def test_pages_join_at_their_cursors(image: Image) -> None:
    first, following = page(image, response_partition_limit=2)
    second, last = page(image, response_partition_limit=3, cursor=following)

    assert (first, following) == ([("a", [0, 1])], TopicCursor(topic_name="a", partition_index=2))
    assert (second, last) == ([("a", [2]), ("b", [0, 1])], None)


def test_a_page_that_ends_with_a_topic_goes_on_at_the_next(image: Image) -> None:
    described, following = page(image, response_partition_limit=3)

    assert described == [("a", [0, 1, 2])]
    assert following == TopicCursor(topic_name="b", partition_index=0)


def test_a_leader_that_nobody_reaches_is_minus_1_without_an_error(image: Image) -> None:
    response = describe_topic_partitions(image, DescribeTopicPartitionsRequest(), CLIENT_LISTENER)

    partition = response.topics[0].partitions[0]
    assert (partition.error_code, partition.leader_id, partition.leader_epoch) == (0, -1, 4)
    assert partition.offline_replicas == (1, 2)
    assert (partition.eligible_leader_replicas, partition.last_known_elr) == ((2,), ())


def test_an_unknown_topic_and_a_negative_cursor_are_refused(image: Image) -> None:
    asked = DescribeTopicPartitionsRequest(topics=(TopicRequest(name="z"),))
    (topic,) = describe_topic_partitions(image, asked, CLIENT_LISTENER).topics

    assert (topic.name, topic.error_code) == ("z", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    cursor = TopicCursor(topic_name="a", partition_index=-1)
    with pytest.raises(ApiError) as refused:
        page(image, cursor=cursor)
    assert refused.value.code == ErrorCode.INVALID_REQUEST


@pytest.mark.rule("5.44c")
@pytest.mark.parametrize("limit", [0, -1])
def test_a_page_has_at_least_one_partition(image: Image, limit: int) -> None:
    following = TopicCursor(topic_name="a", partition_index=1)

    assert page(image, response_partition_limit=limit) == ([("a", [0])], following)


def refused(image: Image, cursor: TopicCursor | None, *names: str) -> list[int]:
    topics = tuple(TopicRequest(name=name) for name in names)
    request = DescribeTopicPartitionsRequest(topics=topics, cursor=cursor)
    with pytest.raises(ApiError) as error:
        describe_topic_partitions(image, request, CLIENT_LISTENER)
    response = response_to(request, error.value, version=0)
    assert isinstance(response, DescribeTopicPartitionsResponse)
    return [topic.error_code for topic in response.topics]


@pytest.mark.rule("5.44c")
@pytest.mark.parametrize("name", ["", "aa", "z"])
def test_a_cursor_at_a_topic_that_is_not_asked_for_is_refused(image: Image, name: str) -> None:
    cursor = TopicCursor(topic_name=name, partition_index=0)

    assert refused(image, cursor, "a", "b") == [ErrorCode.INVALID_REQUEST] * 2
    assert page(image, cursor=TopicCursor(topic_name="aa", partition_index=0)) == (
        [("b", [0, 1])],
        None,
    )


@pytest.mark.rule("5.44b")
def test_an_empty_name_fails_the_request_and_an_invalid_one_its_topic(image: Image) -> None:
    assert refused(image, None, "", "a") == [ErrorCode.UNKNOWN_SERVER_ERROR] * 2
    asked = (TopicRequest(name="a b"), TopicRequest(name="b"))
    response = describe_topic_partitions(
        image, DescribeTopicPartitionsRequest(topics=asked), CLIENT_LISTENER
    )
    codes = [topic.error_code for topic in response.topics]
    assert codes == [ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.NONE]


def test_each_replica_is_in_its_directory(image: Image) -> None:
    def of(broker_id: int, topics: tuple[LogDirTopic, ...] | None) -> list[object]:
        request = DescribeLogDirsRequest(topics=topics)
        stored = ReplicaStore().on_disk(image, broker_id)
        directories = tuple(map(simulated_directory, (FIRST, SECOND)))
        response = describe_log_dirs(stored, (), request, directories, (), (), {})
        return [
            [
                (topic.name, [row.partition_index for row in topic.partitions])
                for topic in row.topics
            ]
            for row in response.results
        ]

    assert of(1, None) == [[("a", [0, 2]), ("b", [0])], [("a", [1]), ("b", [1])]]
    assert of(2, None) == [[("a", [0, 1, 2]), ("b", [0, 1])], []]
    assert of(3, None) == [[], []]
    assert of(1, (LogDirTopic(topic="a", partitions=(1, 9)),)) == [[], [("a", [1])]]
