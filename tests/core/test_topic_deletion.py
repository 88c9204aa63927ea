"""DeleteTopics: rules 4.52 and 4.59."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.records import RemoveTopicRecord
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_1, KAFKA_4_3, KAFKA_4_4
from kraftsim.controller.core.rpc import DeleteTopicsRequest, DeleteTopicState
from kraftsim.controller.core.uuid import ZERO_UUID
from tests.builders import ControllerUnderTest, uuid_of

TWICE_BY_NAME = "Duplicate topic name."
TWICE_BY_ID = "Duplicate topic id."
BY_NAME_AND_ID = "The provided topic name maps to an ID that was already supplied."


@pytest.fixture(params=(KAFKA_4_4, KAFKA_4_3, KAFKA_4_1, KAFKA_3_9), ids=lambda p: p.name)
def cluster(request):
    """Topics a and b on brokers 10 and 11."""
    cluster = ControllerUnderTest(request.param)
    cluster.unfenced(10, 11)
    cluster.created("a", (10, 11), configs={"retention.ms": "5"})
    cluster.created("b", (10,))
    return cluster


def deleted(cluster, *topics):
    """(name, id, code, text) of each result."""
    results = cluster.accepted(DeleteTopicsRequest(topics=topics)).responses
    return [(r.name, r.topic_id, r.error_code, r.error_message) for r in results]


def by_name(name):
    return DeleteTopicState(name=name)


def by_id(topic_id):
    return DeleteTopicState(topic_id=topic_id)


@pytest.mark.rule("4.59")
def test_a_topic_is_deleted_with_one_record_and_leaves_nothing(cluster):
    topic_id, mark = cluster.topic_id("a"), cluster.end

    result = cluster.delete_topic("a")

    assert ("a", topic_id, 0) == (result.name, result.topic_id, result.error_code)
    assert [RemoveTopicRecord(topic_id=topic_id)] == cluster.records_since(mark)
    assert topic_id not in cluster.image.topics
    assert (2, "a") not in cluster.image.configs
    assert all(key[0] != topic_id for key in cluster.image.index.in_isr(10))
    assert 0 == cluster.create_topic("a").error_code


@pytest.mark.rule("4.59")
def test_topics_by_name_and_by_id_are_deleted_in_one_batch(cluster):
    a, b, mark = cluster.topic_id("a"), cluster.topic_id("b"), cluster.end

    results = deleted(cluster, by_name("a"), by_id(b))

    assert {("a", a, 0, None), ("b", b, 0, None)} == set(results)
    (batch,) = cluster.batches_since(mark)
    assert {RemoveTopicRecord(topic_id=a), RemoveTopicRecord(topic_id=b)} == set(batch.records)


@pytest.mark.rule("4.59")
def test_an_unknown_topic_cannot_be_deleted(cluster):
    stranger, before = uuid_of("stranger"), cluster.everything()

    results = deleted(cluster, by_name("no"), by_id(stranger))

    assert [
        (None, stranger, 100, "This server does not host this topic ID."),
        ("no", ZERO_UUID, 3, "This server does not host this topic-partition."),
    ] == results
    assert before == cluster.everything()


@pytest.mark.rule("4.52")
def test_a_topic_is_given_by_its_name_or_by_its_id(cluster):
    a, before = cluster.topic_id("a"), cluster.everything()

    results = deleted(cluster, DeleteTopicState(), DeleteTopicState(name="a", topic_id=a))

    assert [
        (None, ZERO_UUID, 42, "Neither topic name nor id were specified."),
        ("a", a, 42, "You may not specify both topic name and topic id."),
    ] == results
    assert before == cluster.everything()


@pytest.mark.rule("4.52")
@pytest.mark.parametrize("name", ["a", "no"])
def test_a_name_that_stands_twice_gets_one_answer_and_deletes_nothing(cluster, name):
    before = cluster.everything()

    assert [(name, ZERO_UUID, 42, TWICE_BY_NAME)] == deleted(cluster, *[by_name(name)] * 3)
    assert before == cluster.everything()


@pytest.mark.rule("4.52")
def test_a_name_that_stands_twice_in_an_older_request_gets_one_answer(cluster):
    """Versions 1 to 5 list names alone."""
    before = cluster.everything()

    (result,) = cluster.accepted(DeleteTopicsRequest(topic_names=("a", "a"))).responses

    assert ("a", 42, TWICE_BY_NAME) == (result.name, result.error_code, result.error_message)
    assert before == cluster.everything()


@pytest.mark.rule("4.52")
def test_an_id_that_stands_twice_gets_one_answer_and_deletes_nothing(cluster):
    a, before = cluster.topic_id("a"), cluster.everything()

    assert [(None, a, 42, TWICE_BY_ID)] == deleted(cluster, by_id(a), by_id(a))
    assert before == cluster.everything()


@pytest.mark.rule("4.52")
def test_a_topic_given_by_its_name_and_by_its_id_is_not_deleted(cluster):
    a, before = cluster.topic_id("a"), cluster.everything()

    assert [("a", a, 42, BY_NAME_AND_ID)] == deleted(cluster, by_name("a"), by_id(a))
    assert before == cluster.everything()


@pytest.mark.rule("4.52", "4.59")
def test_a_refused_topic_does_not_stop_the_others(cluster):
    a, b, mark = cluster.topic_id("a"), cluster.topic_id("b"), cluster.end

    results = deleted(cluster, by_name("a"), by_id(b), by_name("a"))

    assert [("a", ZERO_UUID, 42, TWICE_BY_NAME), ("b", b, 0, None)] == results
    assert [RemoveTopicRecord(topic_id=b)] == cluster.records_since(mark)
    assert [a] == list(cluster.image.topics)


@pytest.mark.rule("4.62")
def test_no_topic_is_deleted_if_that_is_disabled():
    cluster = ControllerUnderTest(delete_topic_enable=False)
    cluster.unfenced(1)
    cluster.created("t")
    request = DeleteTopicsRequest(topic_names=("t", "absent"))

    assert ErrorCode.TOPIC_DELETION_DISABLED == cluster.refused(request)
    assert "t" in cluster.node.latest.topic_ids
