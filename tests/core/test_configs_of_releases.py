"""What releases differ in about configurations; each was observed of the released controller."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_1, KAFKA_4_3, KAFKA_4_4
from kraftsim.controller.core.rpc.configs import DescribeConfigsRequest, DescribeConfigsResource
from tests.builders import ControllerUnderTest
from tests.core.test_configs import (
    BROKER,
    GROUP,
    METRICS,
    SET,
    TOPIC,
    change,
    described,
    result_of,
)
from tests.core.test_update_features import voter
from tests.other_controllers import CONTROLLER_ID


def test_before_4_3_only_static_voters_have_configurations():
    request = change(BROKER, str(CONTROLLER_ID), ("compression.type", SET, "zstd"))
    unknown = (ErrorCode.BROKER_ID_NOT_REGISTERED, f"No node with id {CONTROLLER_ID} found.")

    assert result_of(ControllerUnderTest(KAFKA_4_1, kraft_version=1), request) == unknown
    assert result_of(ControllerUnderTest(KAFKA_4_1, kraft_version=0), request) == (0, None)


@pytest.mark.rule("7.1")
def test_a_voter_that_has_not_registered_has_configurations_only_if_it_is_static():
    unregistered = CONTROLLER_ID + 1
    cluster = ControllerUnderTest()
    request = change(BROKER, str(unregistered), ("compression.type", SET, "zstd"))
    cluster.node.state.voters = lambda: (voter(CONTROLLER_ID), voter(unregistered))

    unknown = (ErrorCode.BROKER_ID_NOT_REGISTERED, f"No node with id {unregistered} found.")
    assert result_of(cluster, request) == unknown

    cluster.node.state.static_voter_ids = (CONTROLLER_ID, unregistered)
    assert result_of(cluster, request) == (0, None)


@pytest.mark.rule("4.70")
@pytest.mark.parametrize(
    ("profile", "first"),
    [
        (KAFKA_4_1, "errors.deadletterqueue.topic.name"),
        (KAFKA_4_3, "streams.num.warmup.replicas"),
    ],
    ids=["4.1", "4.3"],
)
def test_the_first_unknown_name_of_a_group_is_that_of_the_hash_map(profile, first):
    unknown = ("errors.deadletterqueue.topic.name", "streams.num.warmup.replicas")
    sets = [*unknown, "share.heartbeat.interval.ms", "share.session.timeout.ms"]
    request = change(GROUP, "b", *((name, SET, "5000") for name in sets))

    refusal = (ErrorCode.INVALID_CONFIG, f"Unknown group config name: {first}")
    assert result_of(ControllerUnderTest(profile), request) == refusal


def test_groups_of_3_9_cannot_be_described():
    resource = DescribeConfigsResource(resource_type=GROUP, resource_name="g")

    refusal = ControllerUnderTest(KAFKA_3_9).ask(DescribeConfigsRequest(resources=(resource,)))

    assert refusal.code == ErrorCode.INVALID_REQUEST


def test_a_group_of_4_1_has_its_own_value_or_the_default_and_none_of_the_brokers():
    cluster = ControllerUnderTest(KAFKA_4_1)
    result_of(cluster, change(GROUP, "g", ("consumer.session.timeout.ms", SET, "46000")))

    found = described(cluster, GROUP, "g")

    own, default = "consumer.session.timeout.ms", "consumer.heartbeat.interval.ms"
    assert [(synonym.name, synonym.value) for synonym in found[own].synonyms] == [(own, "46000")]
    assert [(of.name, of.value) for of in found[default].synonyms] == [(default, "5000")]


def test_a_subscription_of_3_9_is_described_with_what_it_sets_only():
    cluster = ControllerUnderTest(KAFKA_3_9)
    result_of(cluster, change(METRICS, "s", ("interval.ms", SET, "1000")))

    [(name, entry)] = described(cluster, METRICS, "s").items()

    assert (name, entry.value, entry.synonyms, entry.config_type) == ("interval.ms", "1000", (), 0)
    assert described(cluster, METRICS, "other") == {}


def test_a_group_of_4_4_is_described_without_its_internal_configurations():
    cluster = ControllerUnderTest(KAFKA_4_4)

    found = described(cluster, GROUP, "g")

    assert "streams.num.warmup.replicas" not in found
    assert [synonym.name for synonym in found["streams.assignor.name"].synonyms] == [
        "group.streams.assignors"
    ]


@pytest.mark.parametrize(
    ("name", "value", "bound"),
    [
        ("consumer.heartbeat.interval.ms", "1", "in the range 5000 to 15000 inclusive."),
        ("consumer.heartbeat.interval.ms", "15001", "in the range 5000 to 15000 inclusive."),
        ("streams.num.standby.replicas", "9", "less than or equal to 2"),
        ("streams.num.warmup.replicas", "21", "less than or equal to 20"),
        ("streams.task.offset.interval.ms", "1", "greater than or equal to 15000"),
    ],
)
def test_a_value_out_of_bounds_of_a_group_of_4_4_is_refused_with_the_bounds(name, value, bound):
    cluster = ControllerUnderTest(KAFKA_4_4)

    found = result_of(cluster, change(GROUP, "g", (name, SET, value)))

    assert found == (ErrorCode.INVALID_CONFIG, f"{name} must be {bound}")


def test_a_controller_describes_the_texts_of_its_property_file():
    """Observed of 4.3.1: synonyms have the text of the file, an entry the parsed value."""
    cluster = ControllerUnderTest(
        static={"log.preallocate": "TRUE", "num.partitions": "1", "log.retention.hours": "5"}
    )
    cluster.unfenced(1)
    cluster.created("t")

    of_node = described(cluster, BROKER, str(CONTROLLER_ID))
    of_topic = described(cluster, TOPIC, "t")

    assert {
        name: (entry.value, entry.config_source, entry.synonyms[0].value)
        for name, entry in (of_node | of_topic).items()
        if name in ("log.preallocate", "num.partitions", "log.retention.hours", "preallocate")
    } == {
        "log.preallocate": ("true", 4, "TRUE"),
        "num.partitions": ("1", 4, "1"),
        "log.retention.hours": ("5", 4, "5"),
        "preallocate": ("true", 4, "TRUE"),
    }


OF_GROUPS = {
    "group.consumer.min.session.timeout.ms": "4000",
    "group.consumer.max.session.timeout.ms": "50000",
    "group.consumer.session.timeout.ms": "46000",
    "group.consumer.min.heartbeat.interval.ms": "1000",
    "group.consumer.max.heartbeat.interval.ms": "45000",
    "group.consumer.heartbeat.interval.ms": "20000",
}
SESSION, HEARTBEAT = "consumer.session.timeout.ms", "consumer.heartbeat.interval.ms"
TOO_SHORT = f"{SESSION} must be greater than {HEARTBEAT}"


@pytest.mark.parametrize(
    ("configs", "refusal"),
    [
        ({SESSION: "3999"}, f"{SESSION} must be in the range 4000 to 50000 inclusive."),
        ({SESSION: "50001"}, f"{SESSION} must be in the range 4000 to 50000 inclusive."),
        ({SESSION: "20000"}, TOO_SHORT),
        ({SESSION: "20001"}, None),
        ({HEARTBEAT: "45000"}, None),
        ({HEARTBEAT: "46000"}, f"{HEARTBEAT} must be in the range 1000 to 45000 inclusive."),
        ({SESSION: "4000", HEARTBEAT: "4000"}, TOO_SHORT),
        ({SESSION: "4001", HEARTBEAT: "4000"}, None),
        ({SESSION: "19000", "errors.deadletterqueue.topic.name": "__x"}, TOO_SHORT),
    ],
)
def test_the_property_file_of_a_controller_limits_groups(configs, refusal):
    """Observed of 4.4.0; 4.1.1 and 4.3.1 have the same limits, and other words."""
    cluster = ControllerUnderTest(KAFKA_4_4, static=OF_GROUPS)

    asked = change(GROUP, "g", *((name, SET, value) for name, value in configs.items()))

    expected = (0, None) if refusal is None else (ErrorCode.INVALID_CONFIG, refusal)
    assert result_of(cluster, asked) == expected


def test_the_limits_of_a_property_file_have_their_names_before_4_4():
    """Observed of 4.1.1 and 4.3.1."""
    cluster = ControllerUnderTest(KAFKA_4_1, static=OF_GROUPS)

    found = result_of(cluster, change(GROUP, "g", (SESSION, SET, "3999")))

    least = "group.consumer.min.session.timeout.ms"
    assert found == (
        ErrorCode.INVALID_CONFIG,
        f"{SESSION} must be greater than or equal to {least}",
    )
