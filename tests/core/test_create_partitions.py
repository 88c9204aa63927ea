"""CreatePartitions: more partitions of a topic, placed by the request or by the controller."""

from collections import Counter

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.records import PartitionRecord
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from tests.builders import ControllerUnderTest


@pytest.fixture
def cluster() -> ControllerUnderTest:
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1, 2))
    return cluster


def grow(cluster, count, *replicas, name="t", **fields):
    assignments = tuple(CreatePartitionsAssignment(broker_ids=ids) for ids in replicas) or None
    topic = CreatePartitionsTopic(name=name, count=count, assignments=assignments)
    (result,) = cluster.ask(CreatePartitionsRequest(topics=(topic,), **fields)).results
    return result


@pytest.mark.rule("4.18", "4.59")
def test_the_request_places_new_partitions(cluster) -> None:
    cluster.fenced(2)
    mark = cluster.end

    assert grow(cluster, 3, (2, 3), (3, 1)).error_code == 0

    records = cluster.records_since(mark)
    assert [(r.partition_id, r.replicas, r.isr, r.leader) for r in records] == [
        (1, (2, 3), (3,), 3),
        (2, (3, 1), (3, 1), 3),
    ]
    assert (3, (3,)) == cluster.leadership("t", 1)


@pytest.mark.rule("4.46", "4.59")
def test_the_controller_places_as_many_replicas_as_the_topic_has(cluster) -> None:
    assert grow(cluster, 4).error_code == 0

    for partition_id in (1, 2, 3):
        replicas = cluster.partition("t", partition_id).replicas
        assert 2 == len(set(replicas)), replicas
        assert set(replicas) < {1, 2, 3}


@pytest.mark.rule("4.59")
@pytest.mark.parametrize(
    ("count", "replicas", "code", "message"),
    [
        (1, (), ErrorCode.INVALID_PARTITIONS, "Topic already has 1 partition(s)."),
        (
            0,
            (),
            ErrorCode.INVALID_PARTITIONS,
            "The topic t currently has 1 partition(s); 0 would not be an increase.",
        ),
        (
            3,
            ((1, 2),),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "Attempted to add 2 additional partition(s), but only 1 assignment(s) were specified.",
        ),
        (
            2,
            ((1,),),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "The manual partition assignment includes a partition with 1 replica(s), but this is "
            "not consistent with previous partitions, which have 2 replica(s).",
        ),
    ],
)
def test_what_is_refused_writes_nothing(cluster, count, replicas, code, message) -> None:
    mark = cluster.end

    result = grow(cluster, count, *replicas)

    assert (code, message) == (result.error_code, result.error_message)
    assert cluster.records_since(mark) == []


@pytest.mark.rule("4.59")
def test_an_unknown_topic_is_refused_without_a_message(cluster) -> None:
    result = grow(cluster, 2, name="none")

    assert (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None) == (
        result.error_code,
        result.error_message,
    )


@pytest.mark.rule("4.59")
def test_replicas_that_are_all_fenced_are_refused(cluster) -> None:
    cluster.fenced(2, 3)

    manual, automatic = grow(cluster, 2, (2, 3)), grow(cluster, 2)

    assert ErrorCode.INVALID_REPLICA_ASSIGNMENT == manual.error_code
    assert manual.error_message == (
        "All brokers specified in the manual partition assignment for partition 1 are fenced or "
        "in controlled shutdown."
    )
    assert automatic.error_code == 0


@pytest.mark.rule("4.59")
def test_a_failed_topic_does_not_stop_others_and_a_name_given_twice_is_refused(cluster) -> None:
    cluster.created("u", (3,))
    topics = [CreatePartitionsTopic(name=name, count=2) for name in ("t", "u", "none", "t")]
    mark = cluster.end

    results = cluster.ask(CreatePartitionsRequest(topics=tuple(topics))).results

    assert {r.name: r.error_code for r in results} == {
        "t": ErrorCode.INVALID_REQUEST,
        "u": 0,
        "none": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert (results[0].name, results[0].error_message) == ("t", "Duplicate topic name.")
    (record,) = cluster.records_since(mark)
    assert isinstance(record, PartitionRecord)
    assert 1 == len(record.replicas)


@pytest.mark.rule("4.59")
def test_a_request_that_only_validates_writes_nothing(cluster) -> None:
    mark = cluster.end

    assert grow(cluster, 5, validate_only=True).error_code == 0
    assert cluster.records_since(mark) == []


@pytest.mark.rule("4.59")
@pytest.mark.parametrize("count", [10_002, 2**31 - 1])
def test_4_4_refuses_every_topic_of_a_request_that_adds_too_many(cluster, count) -> None:
    mark = cluster.end
    topics = tuple(CreatePartitionsTopic(name=name, count=count) for name in ("t", "none"))

    refused = cluster.ask(CreatePartitionsRequest(topics=topics))

    assert (refused.code, refused.message) == (
        ErrorCode.POLICY_VIOLATION,
        "Excessively large number of additional partitions per request.",
    )
    assert cluster.records_since(mark) == []


@pytest.mark.rule("4.59")
def test_before_4_4_the_records_that_fit_are_written_of_a_topic_that_exceeds() -> None:
    """Observed on 4.3.1: 6,000 partitions of a, and 4,000 of b, which is answered -1."""
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1)
    for name in "ab":
        cluster.created(name, (1,))
    mark = cluster.end
    topics = tuple(CreatePartitionsTopic(name=name, count=6_001) for name in "ab")

    reply = cluster.ask(CreatePartitionsRequest(topics=topics))

    assert [result.error_code for result in reply.results] == [0, ErrorCode.UNKNOWN_SERVER_ERROR]
    written = Counter(record.topic_id for record in cluster.records_since(mark))
    assert sorted(written.values()) == [4_000, 6_000]
