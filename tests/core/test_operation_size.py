"""How large an operation may be, and in how many batches it leaves (rule 0A.7)."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.handlers import refusal
from kraftsim.controller.core.profile import KAFKA_3_9
from kraftsim.controller.core.rpc import CreateTopicsRequest
from tests.builders import ControllerUnderTest, topic
from tests.profiles import UNDER_TEST

pytestmark = pytest.mark.slow


TOO_MANY_RECORDS = (
    ErrorCode.POLICY_VIOLATION,
    "Unable to perform excessively large batch operation.",
)
TOO_MANY_PARTITIONS = (
    ErrorCode.POLICY_VIOLATION,
    "Excessively large number of partitions per request.",
)


def told(error):
    return error.code, error.message


@pytest.fixture(params=UNDER_TEST, ids=lambda p: p.name)
def cluster(request):
    """Brokers 10 and 11 serve; topic a.b exists."""
    cluster = ControllerUnderTest(request.param)
    cluster.unfenced(10, 11)
    cluster.created("a.b", num_partitions=2, replication_factor=2)
    return cluster


@pytest.mark.rule("0A.7")
def test_an_operation_has_a_bound(cluster):
    request = CreateTopicsRequest(topics=(topic("t", num_partitions=10_000),))
    just_too_many = cluster.ask(request)
    fits = cluster.create_topic("t", num_partitions=9_999)

    assert TOO_MANY_RECORDS == told(just_too_many)
    assert 0 == fits.error_code


@pytest.mark.rule("0A.7")
def test_topics_that_write_too_many_records_together_are_refused_together(cluster):
    """Observed on 4.3.1 and 3.9.1: 10,000 partitions, and a record for each topic besides."""
    before = cluster.everything()
    wanted = (topic("a", num_partitions=5_000), topic("b", num_partitions=5_000))

    assert TOO_MANY_RECORDS == told(cluster.ask(CreateTopicsRequest(topics=wanted)))
    assert before == cluster.everything()


@pytest.mark.rule("0A.7", "4.52")
@pytest.mark.parametrize(
    "wanted",
    [
        (topic("a", num_partitions=5_000), topic("b", num_partitions=5_000), topic("c")),
        (topic("a", num_partitions=9_999), topic("b", num_partitions=-1), topic("c")),
        (topic("a", *[(10,)] * 5_000), topic("b", *[(10,)] * 5_001)),
        (topic("bad name", num_partitions=10_001), topic("a.b", num_partitions=-5)),
    ],
)
def test_more_than_10_000_partitions_are_refused_before_anything_is_looked_at(cluster, wanted):
    """Observed on 4.3.1, 4.1.1 and 3.9.1."""
    reply = cluster.ask(CreateTopicsRequest(topics=wanted, validate_only=True))

    assert TOO_MANY_PARTITIONS == told(reply)


@pytest.mark.rule("0A.7", "4.52")
def test_every_topic_of_a_refused_request_is_answered_repeated_ones_too(cluster):
    """Observed on 4.3.1: in the order of the request."""
    wanted = (topic("q"), topic("big", num_partitions=10_001), topic("q"))
    request = CreateTopicsRequest(topics=wanted)

    answered = refusal(request, cluster.ask(request)).topics

    assert [("q", 44), ("big", 44), ("q", 44)] == [(t.name, t.error_code) for t in answered]
    assert {TOO_MANY_PARTITIONS[1]} == {t.error_message for t in answered}


@pytest.mark.rule("0A.7", "4.52")
def test_what_the_listener_takes_out_does_not_count(cluster):
    """Observed on 4.3.1: a repeated name and __cluster_metadata are refused by the listener."""
    wanted = (
        topic("q", num_partitions=6_000),
        topic("q", num_partitions=6_000),
        topic("__cluster_metadata", num_partitions=10_001),
        topic("z"),
    )

    answered = cluster.accepted(CreateTopicsRequest(topics=wanted)).topics

    assert [("z", 0), ("q", 42), ("__cluster_metadata", 42)] == [
        (t.name, t.error_code) for t in answered
    ]


@pytest.mark.rule("0A.7", "3.5")
def test_unregistering_a_broker_of_too_many_partitions_is_refused(cluster):
    cluster.created("big", num_partitions=9_999)
    cluster.created("more", *[(10,)] * 9_999)
    led = len(cluster.image.index.in_isr(10))
    before = cluster.everything()

    refused = cluster.unregister(10)

    explains = cluster.node.profile is not KAFKA_3_9
    assert (TOO_MANY_RECORDS if explains else (ErrorCode.POLICY_VIOLATION, "")) == told(refused)
    assert led >= 10_000
    assert before == cluster.everything()


class Unwalkable(dict):
    """Topics that may be looked up and not walked."""

    def __iter__(self):
        raise AssertionError("expected a look-up, got a walk over every topic")

    items = keys = values = __iter__


@pytest.mark.rule("4.54")
def test_a_new_name_is_not_compared_with_every_topic(cluster):
    cluster.image.topic_ids = Unwalkable(cluster.image.topic_ids)

    results = [cluster.create_topic(name).error_code for name in ("a_b", "a.b", "c_d", "e")]

    assert [17, 36, 0, 0] == results


@pytest.mark.rule("0A.7", "9.35")
def test_an_atomic_result_is_one_batch_however_large(cluster):
    mark = cluster.end

    cluster.created("t", num_partitions=9_999)

    assert [10_000] == [len(batch.records) for batch in cluster.batches_since(mark)]


@pytest.mark.rule("0A.7", "9.35")
def test_a_fence_of_more_than_10_000_partitions_leaves_in_batches(cluster):
    for name in ("t", "u"):
        cluster.created(name, *[(10, 11)] * 6_000)
    changes, mark = len(cluster.image.index.in_isr(10)), cluster.end

    cluster.fenced_in_time(10)

    sizes = [len(batch.records) for batch in cluster.batches_since(mark)]
    assert [10_000, changes + 1 - 10_000] == sizes
    assert cluster.records_since(mark)[-1] == cluster.fence_record(10)
    assert cluster.node.committed == cluster.node.latest
