"""CreateTopics of many topics is decided in slices, and written as one batch."""

from typing import Any

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
from kraftsim.controller.core.topics.creation import TOPICS_PER_SLICE
from tests.builders import ControllerUnderTest

MANY = 2 * TOPICS_PER_SLICE + 1


def with_brokers() -> ControllerUnderTest:
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2, 3)
    return cluster


def creation(count: int = MANY) -> CreateTopicsRequest:
    topics = (
        CreatableTopic(name=f"t{number}", num_partitions=1, replication_factor=3)
        for number in range(count)
    )
    return CreateTopicsRequest(topics=tuple(topics))


def begun(cluster: ControllerUnderTest) -> list[Any]:
    """Decides the first slice; the list gets the reply."""
    replies: list[Any] = []
    cluster.hosted.submit(creation(), replies.append)
    assert replies == []
    return replies


def finished(cluster: ControllerUnderTest, replies: list[Any]) -> CreateTopicsResponse:
    cluster.run_for("0s")
    (reply,) = replies
    assert isinstance(reply, CreateTopicsResponse)
    return reply


def test_many_topics_are_written_as_one_batch() -> None:
    cluster = with_brokers()
    mark = cluster.end

    reply = cluster.accepted(creation())

    assert {topic.error_code for topic in reply.topics} == {ErrorCode.NONE}
    assert [len(batch.records) for batch in cluster.batches_since(mark)] == [2 * MANY]


def test_a_heartbeat_is_answered_between_two_slices_and_changes_no_placement() -> None:
    quiet, busy = with_brokers(), with_brokers()
    quiet.accepted(creation())
    replies = begun(busy)

    assert busy.heartbeat(1).error_code == ErrorCode.NONE

    finished(busy, replies)
    assert busy.image.topics == quiet.image.topics


def test_topics_are_decided_anew_if_the_cluster_has_changed_between_two_slices() -> None:
    cluster = with_brokers()
    replies = begun(cluster)
    mark = cluster.end

    cluster.hosted.submit(creation(1), lambda reply: None)

    reply = finished(cluster, replies)
    exists = [topic.name for topic in reply.topics if topic.error_code != ErrorCode.NONE]
    assert exists == ["t0"]
    assert [len(batch.records) for batch in cluster.batches_since(mark)] == [2, 2 * MANY - 2]
