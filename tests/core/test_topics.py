"""CreateTopics: rules 4.50 to 4.58, with the texts of golden 4.3.1 A6."""

import pytest

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import refusal
from kraftsim.controller.core.log.records import (
    ClearElrRecord,
    ConfigRecord,
    PartitionRecord,
    TopicRecord,
)
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_1, KAFKA_4_3
from kraftsim.controller.core.rpc import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from kraftsim.controller.core.uuid import UNASSIGNED_DIRECTORY, ZERO_UUID
from tests.builders import ControllerUnderTest, directory_of, topic
from tests.profiles import UNDER_TEST

NAME = "Topic name is invalid: "
MANUAL = "The manual partition assignment includes "


@pytest.fixture(params=UNDER_TEST, ids=lambda p: p.name)
def cluster(request):
    """Brokers 10, 11 and 12 (two directories) serve; topic a.b exists: as in the recording."""
    cluster = ControllerUnderTest(request.param)
    cluster.unfenced(10, 11)
    cluster.unfenced(12, log_dirs=(directory_of(12), directory_of(12, 1)))
    cluster.created("a.b", num_partitions=2, replication_factor=2)
    return cluster


def of(partition, *broker_ids):
    return CreatableReplicaAssignment(partition_index=partition, broker_ids=broker_ids)


def manual(*assignments, **fields):
    return CreatableTopic(name="m", assignments=assignments, **fields)


@pytest.mark.rule("4.50", "4.51", "4.52", "4.54", "4.55", "4.56")
@pytest.mark.parametrize(
    ("wanted", "code", "text"),
    [
        (topic("a_b"), 17, "Topic 'a_b' collides with existing topic: a.b"),
        (topic("a.b"), 36, "Topic 'a.b' already exists."),
        (topic(""), 17, NAME + "the empty string is not allowed"),
        (topic("."), 17, NAME + "'.' is not allowed"),
        (topic(".."), 17, NAME + "'..' is not allowed"),
        (
            topic("x" * 250),
            17,
            f"{NAME}the length of '{'x' * 250}' is longer than the max allowed length 249",
        ),
        (
            topic("a b"),
            17,
            NAME + "'a b' contains one or more characters other than ASCII alphanumerics, "
            "'.', '_' and '-'",
        ),
        (
            topic("__cluster_metadata"),
            42,
            "Creation of internal topic __cluster_metadata is prohibited.",
        ),
        (
            topic("p0", num_partitions=0),
            37,
            "Number of partitions was set to an invalid non-positive value.",
        ),
        (
            topic("p-2", num_partitions=-2),
            37,
            "Number of partitions was set to an invalid non-positive value.",
        ),
        (
            topic("r0", replication_factor=0, num_partitions=0),
            38,
            "Replication factor must be larger than 0, or -1 to use the default value.",
        ),
        (
            manual(of(0, 10, 11), num_partitions=1),
            42,
            "A manual partition assignment was specified, but numPartitions was not set to -1.",
        ),
        (manual(of(0, 10, 99)), 39, MANUAL + "broker 99, but no such broker is registered."),
        (manual(of(0, 10, 10)), 39, MANUAL + "the broker 10 more than once."),
        (
            manual(of(0, 10), of(2, 11)),
            39,
            "partitions should be a consecutive 0-based integer sequence",
        ),
        (
            manual(of(0, 10), of(1, 10, 11)),
            39,
            MANUAL + "a partition with 2 replica(s), but this is not consistent with previous "
            "partitions, which have 1 replica(s).",
        ),
        (manual(of(0)), 39, MANUAL + "an empty replica list."),
        (
            topic("c", configs={"retention.ms": "x"}),
            40,
            "Invalid value x for configuration retention.ms: Not a number of type LONG",
        ),
        (
            topic("c", configs={"retention.ms": None}),
            40,
            "Null value not supported for topic configs: retention.ms",
        ),
        (topic("c", configs={"no.such": "1"}), 40, "Unknown topic config name: no.such"),
    ],
    ids=lambda value: value.name[:20] if isinstance(value, CreatableTopic) else "",
)
def test_a_topic_is_refused_in_kafkas_words_and_nothing_changes(cluster, wanted, code, text):
    before = cluster.everything()

    (result,) = cluster.accepted(CreateTopicsRequest(topics=(wanted,))).topics

    assert (code, text) == (result.error_code, result.error_message)
    assert (ZERO_UUID, -1, -1, ()) == (
        result.topic_id,
        result.num_partitions,
        result.replication_factor,
        result.configs,
    )
    assert before == cluster.everything()


@pytest.mark.rule("4.55")
def test_a_manual_assignment_leaves_the_factor_open_and_names_each_partition_once(cluster):
    with_factor = cluster.create_topic("m", (10,), replication_factor=1)
    assert ErrorCode.INVALID_REQUEST == with_factor.error_code

    twice = cluster.accepted(CreateTopicsRequest(topics=(manual(of(0, 10), of(0, 11)),)))

    assert ErrorCode.INVALID_REPLICA_ASSIGNMENT == twice.topics[0].error_code


@pytest.mark.rule("4.43", "4.51")
@pytest.mark.parametrize(
    ("profile", "end"),
    [
        (KAFKA_4_3, " or some brokers have all their log directories cordoned."),
        (KAFKA_4_1, "."),
        (KAFKA_3_9, "."),
    ],
    ids=["4.3", "4.1", "3.9"],
)
def test_too_large_a_factor_reads_as_in_that_release(profile, end):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(10, 11)
    cluster.registered(12)

    result = cluster.create_topic("r9", replication_factor=9, num_partitions=1)

    assert (
        "Unable to replicate the partition 9 time(s): The target replication factor of 9 cannot "
        f"be reached because only 3 broker(s) are registered{end}" == result.error_message
    )
    assert ErrorCode.INVALID_REPLICATION_FACTOR == result.error_code


@pytest.mark.rule("4.50", "4.43", "4.51")
@pytest.mark.parametrize(
    ("profile", "end"),
    [
        (KAFKA_4_3, ", or have all their log directories cordoned."),
        (KAFKA_4_1, "."),
        (KAFKA_3_9, "."),
    ],
    ids=["4.3", "4.1", "3.9"],
)
def test_with_everybody_fenced_nothing_can_be_placed(profile, end):
    cluster = ControllerUnderTest(profile)
    cluster.registered(1)

    automatic = cluster.create_topic("t")
    by_hand = cluster.create_topic("t", (1,))

    assert (38, 39) == (automatic.error_code, by_hand.error_code)
    assert (
        f"Unable to replicate the partition 1 time(s): All brokers are currently fenced{end}"
        == automatic.error_message
    )
    assert "for partition 0 are fenced or in controlled shutdown." in by_hand.error_message


@pytest.mark.rule("4.50", "4.41", "4.40")
def test_after_a_failover_a_broker_that_is_leaving_is_a_candidate_but_never_in_sync():
    cluster = ControllerUnderTest()
    cluster.unfenced(1)
    cluster.created("t", (1,))
    cluster.heartbeat(1, want_shut_down=True)
    assert "All brokers are currently fenced, or" in cluster.create_topic("u").error_message

    cluster.fail_over()
    result = cluster.create_topic("u")

    assert (
        "Unable to replicate the partition 1 time(s): All brokers are currently fenced or in "
        "controlled shutdown." == result.error_message
    )


@pytest.mark.rule("4.18", "4.50", "9.28")
def test_in_sync_is_who_is_active_in_the_order_of_the_assignment(cluster):
    cluster.fenced(11)

    cluster.created("t", (11, 12, 10))

    partition = cluster.partition("t")
    assert (12, (12, 10), 0, 0, 0) == (
        partition.leader,
        partition.isr,
        partition.leader_epoch,
        partition.partition_epoch,
        partition.leader_recovery_state,
    )


@pytest.mark.rule("4.39")
def test_a_replica_on_a_broker_with_several_directories_is_unassigned(cluster):
    cluster.created("t", (10, 12))

    assert (directory_of(10), UNASSIGNED_DIRECTORY) == cluster.partition("t").directories


@pytest.mark.rule("4.58")
def test_a_topic_its_configurations_and_its_partitions_are_one_batch(cluster):
    mark = cluster.end

    result = cluster.created("t", (10,), (11,), configs={"retention.ms": "5"})

    (batch,) = cluster.batches_since(mark)
    topic_id = result.topic_id
    expected = PartitionRecord(
        partition_id=1,
        topic_id=topic_id,
        replicas=(11,),
        isr=(11,),
        leader=11,
        directories=(directory_of(11),),
    )
    assert TopicRecord(name="t", topic_id=topic_id) == batch.records[0]
    assert (
        ConfigRecord(resource_type=2, resource_name="t", name="retention.ms", value="5")
        == (batch.records[1])
    )
    assert (4, expected) == (len(batch.records), batch.records[3])
    assert (2, 1) == (result.num_partitions, result.replication_factor)


@pytest.mark.rule("4.23")
def test_where_there_is_elr_min_isr_clears_it_between_configs_and_partitions(cluster):
    """Golden 4.3.1, offset 71."""
    mark = cluster.end

    cluster.created("t", (10,), configs={"min.insync.replicas": "1", "retention.ms": "5"})

    kinds = [type(r) for r in cluster.records_since(mark)]
    cleared = [ClearElrRecord] if cluster.node.profile is not KAFKA_3_9 else []
    assert [TopicRecord, ConfigRecord, ConfigRecord, *cleared, PartitionRecord] == kinds


@pytest.mark.rule("4.52", "4.58")
def test_one_refused_topic_does_not_stop_the_others(cluster):
    wanted = (topic("d"), topic("."), topic("d"), topic("good"))

    response = cluster.accepted(CreateTopicsRequest(topics=wanted))

    assert [(".", 17), ("good", 0), ("d", 42)] == [(t.name, t.error_code) for t in response.topics]
    assert "Duplicate topic name." == response.topics[-1].error_message
    assert ["a.b", "good"] == sorted(cluster.image.topic_ids)


@pytest.mark.rule("4.52", "4.58")
def test_a_text_that_is_too_long_to_be_sent_spoils_the_reply_and_nothing_else(cluster):
    """Observed of 3.9.1, 4.1.1, 4.3.1 and 4.4.0."""
    longest = 32_767 - len("Unknown topic config name: ")
    fits = cluster.create_topic("c", configs={"x" * longest: "1"})
    wanted = (topic("c", configs={"x" * (longest + 1): "1"}), topic("good"), topic("a.b"))

    results = cluster.accepted(CreateTopicsRequest(topics=wanted)).topics

    assert (40, 32_767) == (fits.error_code, len(fits.error_message))
    expected = [("c", -1, None), ("good", -1, None), ("a.b", -1, None)]
    assert expected == [(r.name, r.error_code, r.error_message) for r in results]
    assert ["a.b", "good"] == list(cluster.image.topic_ids)


@pytest.mark.rule("4.58")
def test_validate_only_writes_nothing_and_still_names_an_id(cluster):
    before = cluster.everything()

    response = cluster.accepted(CreateTopicsRequest(topics=(topic("vo"),), validate_only=True))

    (result,) = response.topics
    assert (0, 1, 1) == (result.error_code, result.num_partitions, result.replication_factor)
    assert ZERO_UUID != result.topic_id
    assert before == cluster.everything()


@pytest.mark.rule("4.53", "0A.1")
def test_no_topics_are_created_even_by_a_node_that_does_not_lead():
    request = CreateTopicsRequest(topics=())
    error = ApiError(ErrorCode.NOT_CONTROLLER, "")

    assert CreateTopicsResponse(topics=()) == refusal(request, error)


@pytest.mark.rule("4.56")
def test_defaults_are_the_controllers():
    cluster = ControllerUnderTest(num_partitions=3, default_replication_factor=2)
    cluster.unfenced(1, 2)

    result = cluster.created("dd")

    assert (3, 2) == (result.num_partitions, result.replication_factor)
