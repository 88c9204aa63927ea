"""The quota of mutations refuses or slows clients that create and delete too many partitions."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.mutations import BUCKETS_MAX, MutationNote, Mutations
from kraftsim.controller.core.rpc import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    DeleteTopicState,
)
from kraftsim.controller.core.rpc.quotas import (
    AlterClientQuotasEntry,
    AlterClientQuotasRequest,
    QuotaEntityData,
    QuotaOperation,
)
from kraftsim.controller.core.rpc.senders import Requester
from kraftsim.controller.core.settings import Settings
from tests.builders import ControllerUnderTest, topic

BURST = 11  # controller.quota.window.num x controller.quota.window.size.seconds, at a rate of 1
EXCEEDED = ErrorCode.THROTTLING_QUOTA_EXCEEDED
JUDGE = Requester(client_id="judge", version=7)


@pytest.fixture
def cluster():
    cluster = ControllerUnderTest()
    cluster.unfenced(1)
    cluster.created("old", (1,), (1,))
    limit(cluster, 1.0, ("client-id", "judge"))
    return cluster


def limit(cluster, rate, *entity):
    parts = tuple(QuotaEntityData(entity_type=kind, entity_name=name) for kind, name in entity)
    op = QuotaOperation(key="controller_mutation_rate", value=rate, remove=False)
    cluster.accepted(
        AlterClientQuotasRequest(entries=(AlterClientQuotasEntry(entity=parts, ops=(op,)),))
    )


def create(cluster, *names, partitions=1, by=JUDGE, only_validates=False):
    request = CreateTopicsRequest(
        topics=tuple(topic(n, num_partitions=partitions, replication_factor=1) for n in names),
        requester=by,
        validate_only=only_validates,
    )
    response = cluster.accepted(request)
    return [result.error_code for result in response.topics], response.throttle_time_ms


@pytest.mark.rule("4.57", "4.63")
def test_a_topic_may_overdraw_the_bucket_and_the_next_is_refused(cluster):
    assert ([0, 0], 0) == create(cluster, "a", "b", partitions=BURST - 1)
    assert ([EXCEEDED], (BURST - 2) * 1_000) == create(cluster, "c")
    assert "c" not in cluster.node.latest.topic_ids

    cluster.run_for("9s")
    assert ([0], 0) == create(cluster, "c")


@pytest.mark.rule("4.63")
def test_a_request_that_only_validates_takes_tokens_too(cluster):
    create(cluster, "a", partitions=BURST + 1, only_validates=True)

    assert [EXCEEDED] == create(cluster, "a")[0]


@pytest.mark.rule("4.63")
def test_what_is_refused_for_another_reason_takes_none(cluster):
    create(cluster, "old", "a b", partitions=BURST)

    assert ([0, 0], 0) == create(cluster, "a", "b", partitions=BURST - 1)


@pytest.mark.rule("4.64")
def test_a_version_without_the_error_is_slowed_only(cluster):
    old = Requester(client_id="judge", version=5)

    assert ([0], 1_000) == create(cluster, "a", partitions=BURST + 1, by=old)
    assert ([0], 2_000) == create(cluster, "b", by=old)


@pytest.mark.rule("4.63")
def test_new_partitions_and_deleted_topics_take_tokens(cluster):
    create(cluster, "a", partitions=BURST + 1)
    grown = CreatePartitionsTopic(name="old", count=3)
    more = cluster.accepted(CreatePartitionsRequest(topics=(grown,), requester=JUDGE))
    gone = DeleteTopicsRequest(topics=(DeleteTopicState(name="old"),), requester=JUDGE)
    deleted = cluster.accepted(gone)

    assert (EXCEEDED, 1_000) == (more.results[0].error_code, more.throttle_time_ms)
    assert (EXCEEDED, 1_000) == (deleted.responses[0].error_code, deleted.throttle_time_ms)
    assert 2 == len(cluster.node.latest.topics[cluster.node.latest.topic_ids["old"]].partitions)


@pytest.mark.rule("4.63")
@pytest.mark.parametrize("entity", [("client-id", "other"), ("client-id", None)])
def test_other_clients_have_other_buckets(cluster, entity):
    limit(cluster, 1.0, entity)
    create(cluster, "a", partitions=BURST + 1)

    assert [0] == create(cluster, "b", by=Requester(client_id="other"))[0]
    assert [EXCEEDED] == create(cluster, "c")[0]


@pytest.mark.rule("4.63")
def test_the_most_specific_quota_applies(cluster):
    limit(cluster, 100.0, ("client-id", "judge"), ("user", "ANONYMOUS"))
    limit(cluster, 2.0, ("user", None))

    assert ([0, 0], 0) == create(cluster, "a", "b", partitions=500)
    assert ([0], 0) == create(cluster, "c", partitions=23, by=Requester())
    assert [EXCEEDED] == create(cluster, "d", by=Requester(client_id="yet another"))[0]


def test_buckets_are_bounded():
    mutations = Mutations(Settings())
    for number in range(BUCKETS_MAX + 10):
        mutations.taken(MutationNote(("", str(number)), 0.0, 0))

    assert BUCKETS_MAX == len(mutations)
