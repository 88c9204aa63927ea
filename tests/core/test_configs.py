"""Configurations of topics, brokers, groups and client metrics: changed, refused, described."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.log.records import ClearElrRecord, ConfigRecord
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_1, KAFKA_4_3
from kraftsim.controller.core.rpc import DeleteTopicsRequest, DeleteTopicState
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
    DescribeConfigsRequest,
    DescribeConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
    LegacyConfig,
)
from tests.builders import ControllerUnderTest
from tests.other_controllers import CONTROLLER_ID

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)


@pytest.fixture
def cluster():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1)
    cluster.created("t")
    return cluster


def change(kind, name, *operations, only_validates=False):
    configs = tuple(
        AlterableConfig(name=key, config_operation=operation, value=text)
        for key, operation, text in operations
    )
    resource = IncrementalAlterConfigsResource(
        resource_type=kind, resource_name=name, configs=configs
    )
    return IncrementalAlterConfigsRequest(resources=(resource,), validate_only=only_validates)


def whole(kind, name, **configs):
    entries = tuple(
        LegacyConfig(name=key.replace("_", "."), value=text) for key, text in configs.items()
    )
    resource = AlterConfigsResource(resource_type=kind, resource_name=name, configs=entries)
    return AlterConfigsRequest(resources=(resource,))


def result_of(cluster, request):
    [response] = cluster.accepted(request).responses
    return response.error_code, response.error_message


def written_by(cluster, request):
    before = cluster.node.log.end_offset
    assert result_of(cluster, request) == (0, None)
    return [record for batch in cluster.node.log.read(before) for record in batch.records]


def configs_of(cluster, kind, name):
    return cluster.node.committed.configs.get((kind, name), {})


def described(cluster, kind, name):
    resource = DescribeConfigsResource(resource_type=kind, resource_name=name)
    request = DescribeConfigsRequest(resources=(resource,), include_synonyms=True)
    [result] = cluster.accepted(request).results
    assert result.error_code == 0, result.error_message
    return {entry.name: entry for entry in result.configs}


def test_a_set_value_replaces_the_old_one_and_a_deleted_one_is_gone(cluster):
    result_of(cluster, change(TOPIC, "t", ("retention.ms", SET, "5")))
    result_of(cluster, change(TOPIC, "t", ("retention.ms", SET, "7")))
    assert configs_of(cluster, TOPIC, "t") == {"retention.ms": "7"}

    result_of(cluster, change(TOPIC, "t", ("retention.ms", DELETE, None)))
    assert configs_of(cluster, TOPIC, "t") == {}


def test_a_topic_that_has_the_value_gets_no_record_and_a_broker_gets_one(cluster):
    for kind, name, key in ((TOPIC, "t", "retention.ms"), (BROKER, "1", "log.retention.ms")):
        result_of(cluster, change(kind, name, (key, SET, "5")))

    assert written_by(cluster, change(TOPIC, "t", ("retention.ms", SET, "5"))) == []
    assert written_by(cluster, change(BROKER, "1", ("log.retention.ms", SET, "5"))) == [
        ConfigRecord(resource_type=BROKER, resource_name="1", name="log.retention.ms", value="5")
    ]


@pytest.mark.parametrize(
    ("operation", "text", "becomes"),
    [
        (APPEND, "compact", "delete,compact"),
        (APPEND, "delete", "delete"),
        (SUBTRACT, "delete", ""),
        (SUBTRACT, "compact", "delete"),
    ],
)
def test_a_list_that_is_not_set_begins_with_its_default(cluster, operation, text, becomes):
    result_of(cluster, change(TOPIC, "t", ("cleanup.policy", operation, text)))

    assert configs_of(cluster, TOPIC, "t") == {"cleanup.policy": becomes}


def test_a_request_that_only_validates_writes_nothing(cluster):
    request = change(TOPIC, "t", ("retention.ms", SET, "5"), only_validates=True)

    assert written_by(cluster, request) == []


def test_all_configurations_at_once_delete_those_that_are_left_out(cluster):
    result_of(cluster, whole(TOPIC, "t", flush_ms="3", retention_ms="5"))
    result_of(cluster, whole(TOPIC, "t", flush_ms="4"))

    assert configs_of(cluster, TOPIC, "t") == {"flush.ms": "4"}


def test_configurations_go_with_their_topic(cluster):
    result_of(cluster, change(TOPIC, "t", ("retention.ms", SET, "5")))
    state = DeleteTopicState(name="t")
    cluster.accepted(DeleteTopicsRequest(topics=(state,)))

    assert configs_of(cluster, TOPIC, "t") == {}


@pytest.mark.rule("4.23")
@pytest.mark.parametrize(("kind", "name", "cleared"), [(TOPIC, "t", "t"), (BROKER, "", "")])
def test_a_new_min_isr_clears_elrs(cluster, kind, name, cleared):
    *_, last = written_by(cluster, change(kind, name, ("min.insync.replicas", SET, "2")))

    assert last == ClearElrRecord(topic_name=cleared)


@pytest.mark.parametrize(
    ("request_made", "code", "message"),
    [
        (change(TOPIC, "t", ("retention.ms", SET, "x")), ErrorCode.INVALID_CONFIG, None),
        (
            change(TOPIC, "t", ("retention.ms", APPEND, "5")),
            ErrorCode.INVALID_CONFIG,
            "Can't APPEND to key retention.ms because its type is not LIST.",
        ),
        (
            change(TOPIC, "gone", ("retention.ms", SET, "5")),
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "The topic 'gone' does not exist.",
        ),
        (
            change(TOPIC, "", ("retention.ms", SET, "5")),
            ErrorCode.INVALID_REQUEST,
            "Default topic resources are not allowed.",
        ),
        (
            change(BROKER, "9", ("log.retention.ms", SET, "5")),
            ErrorCode.BROKER_ID_NOT_REGISTERED,
            "No node with id 9 found.",
        ),
        (
            change(BROKER, "x", ("log.retention.ms", SET, "5")),
            ErrorCode.INVALID_REQUEST,
            "Unable to parse broker name as a base 10 number.",
        ),
        (
            change(BROKER, "1", ("min.insync.replicas", SET, "2")),
            ErrorCode.INVALID_CONFIG,
            "Broker-level min.insync.replicas cannot be altered while ELR is enabled.",
        ),
        (
            change(BROKER, "", ("min.insync.replicas", DELETE, None)),
            ErrorCode.INVALID_CONFIG,
            "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.",
        ),
        (
            change(GROUP, "g", ("consumer.session.timeout.ms", SET, "60001")),
            ErrorCode.INVALID_CONFIG,
            "consumer.session.timeout.ms must be less than or equal to "
            "group.consumer.max.session.timeout.ms",
        ),
        (
            change(METRICS, "m", ("interval.ms", SET, "99")),
            ErrorCode.INVALID_REQUEST,
            "Invalid value 99 for interval.ms, interval must be between 100 and 3600000 (1 hour)",
        ),
        (
            change(METRICS, "m", ("match", SET, "host=a")),
            ErrorCode.INVALID_CONFIG,
            "Illegal client matching pattern: host=a",
        ),
        (
            change(LOGGER, str(CONTROLLER_ID), ("kafka", SET, "INFO")),
            ErrorCode.INVALID_CONFIG,
            "Logger kafka does not exist!",
        ),
        (
            change(LOGGER, str(CONTROLLER_ID), ("kafka", 4, "INFO")),
            ErrorCode.UNKNOWN_SERVER_ERROR,
            None,
        ),
        (change(3, "x"), ErrorCode.UNSUPPORTED_VERSION, "Unknown resource type 3."),
        (whole(LOGGER, "1"), ErrorCode.INVALID_REQUEST, "Unexpected resource type BROKER_LOGGER."),
    ],
)
def test_a_refusal_has_the_code_and_the_words_of_kafka(cluster, request_made, code, message):
    before = cluster.node.log.end_offset
    found = result_of(cluster, request_made)

    assert found[0] == code
    assert message in (None, found[1])
    assert cluster.node.log.end_offset == before


def test_a_resource_that_is_named_twice_is_refused_once(cluster):
    [resource] = change(TOPIC, "t", ("flush.ms", SET, "5")).resources
    request = IncrementalAlterConfigsRequest(resources=(resource, resource))

    assert result_of(cluster, request) == (ErrorCode.INVALID_REQUEST, "Duplicate resource.")


def test_groups_of_3_9_have_no_configurations():
    cluster = ControllerUnderTest(KAFKA_3_9)

    assert result_of(cluster, change(GROUP, "g")) == (
        ErrorCode.UNSUPPORTED_VERSION,
        "Unknown resource type 32.",
    )


def test_a_topics_value_is_described_above_the_values_of_brokers(cluster):
    result_of(cluster, change(BROKER, "", ("log.retention.ms", SET, "78")))
    result_of(cluster, change(BROKER, str(CONTROLLER_ID), ("log.retention.ms", SET, "77")))
    result_of(cluster, change(TOPIC, "t", ("retention.ms", SET, " 5")))

    entry = described(cluster, TOPIC, "t")["retention.ms"]

    assert (entry.value, entry.config_source, entry.config_type) == ("5", 1, 5)
    assert [(of.name, of.value, of.source) for of in entry.synonyms] == [
        ("retention.ms", "5", 1),
        ("log.retention.ms", "77", 2),
        ("log.retention.ms", "78", 3),
        ("log.retention.hours", "168", 5),
    ]


def test_a_repeated_policy_is_described_once_and_an_empty_default_is_empty(cluster):
    """Observed of 4.3.1 (KIP-1161): `make differential`, sequences 41-4372 and 41-3365."""
    result_of(cluster, change(TOPIC, "t", ("cleanup.policy", SET, "compact,compact")))
    assert "compact" == described(cluster, TOPIC, "t")["cleanup.policy"].value

    result_of(cluster, change(TOPIC, "t", ("cleanup.policy", DELETE, None)))
    result_of(cluster, change(BROKER, "", ("log.cleanup.policy", SUBTRACT, "delete")))
    assert "" == described(cluster, TOPIC, "t")["cleanup.policy"].value


def test_a_repeated_element_of_a_nodes_list_is_described_once_in_4_3(cluster):
    """Observed of 4.3.1 (KIP-1161); the synonyms keep the text, and so does the whole cluster."""
    name = str(CONTROLLER_ID)
    result_of(cluster, change(BROKER, name, ("log.cleanup.policy", SET, "compact,delete,compact")))
    result_of(cluster, change(BROKER, "", ("config.providers", SET, "a,b,a")))

    policy = described(cluster, BROKER, name)["log.cleanup.policy"]
    assert "compact,delete" == policy.value
    assert "compact,delete,compact" == policy.synonyms[0].value
    assert "a,b" == described(cluster, BROKER, name)["config.providers"].value
    assert "a,b,a" == described(cluster, BROKER, "")["config.providers"].value


def test_a_sensitive_value_is_never_shown(cluster):
    name = "listener.name.controller.ssl.key.password"
    result_of(cluster, change(BROKER, str(CONTROLLER_ID), (name, SET, "secret")))

    entry = described(cluster, BROKER, str(CONTROLLER_ID))[name]

    assert entry.is_sensitive
    assert {entry.value, *(of.value for of in entry.synonyms)} == {None}


def test_a_node_ignores_what_does_not_parse_or_cannot_change(cluster):
    operations = (
        ("num.io.threads", SET, "x"),
        ("node.id", SET, "5"),
        ("max.connections", SET, "7"),
    )
    result_of(cluster, change(BROKER, "", *operations))

    assert sorted(described(cluster, BROKER, "")) == ["max.connections", "min.insync.replicas"]
    node = described(cluster, BROKER, str(CONTROLLER_ID))
    assert (node["num.io.threads"].value, node["num.io.threads"].config_source) == ("8", 5)
    assert (node["node.id"].value, node["node.id"].read_only) == (str(CONTROLLER_ID), True)
    assert (node["max.connections"].value, node["max.connections"].config_source) == ("7", 3)


def test_one_missing_topic_does_not_hide_the_other_resources(cluster):
    resources = tuple(
        DescribeConfigsResource(resource_type=TOPIC, resource_name=name, configuration_keys=("x",))
        for name in ("t", "gone")
    )
    results = cluster.accepted(DescribeConfigsRequest(resources=resources)).results

    assert [result.error_code for result in results] == [0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


def test_an_internal_value_is_described_as_it_was_given(cluster):
    """4.4.0, drawn sequence 7264 of seed 4605."""
    values = {"internal.segment.bytes": " 7", "flush.ms": " 7"}
    for name, text in values.items():
        result_of(cluster, change(TOPIC, "t", (name, SET, text)))

    of_topic = described(cluster, TOPIC, "t")

    shown = {name: of_topic[name] for name in values}
    assert {name: entry.value for name, entry in shown.items()} == values | {"flush.ms": "7"}
    assert [synonym.value for synonym in shown["internal.segment.bytes"].synonyms] == [" 7"]


def test_a_resource_of_an_unknown_type_refuses_the_whole_description(cluster):
    resource = DescribeConfigsResource(resource_type=3, resource_name="x")
    reply = cluster.ask(DescribeConfigsRequest(resources=(resource,)))

    assert isinstance(reply, ApiError)
    assert reply.code == ErrorCode.INVALID_REQUEST


def test_each_resource_of_an_unknown_type_is_answered(cluster):
    [resource] = change(3, "x").resources
    request = IncrementalAlterConfigsRequest(resources=(resource, resource))

    responses = cluster.accepted(request).responses

    assert [of.error_message for of in responses] == ["Unknown resource type 3."] * 2


def test_a_voter_has_configurations_before_it_has_registered():
    """Below metadata.version 3.7-IV0 controllers do not register."""
    cluster = ControllerUnderTest(KAFKA_4_3, metadata_version=11, kraft_version=0)

    found = result_of(
        cluster, change(BROKER, str(CONTROLLER_ID), ("compression.type", SET, "zstd"))
    )

    assert found == (0, None)


def test_the_clusters_configurations_are_described_as_they_were_given(cluster):
    result_of(cluster, change(BROKER, "", ("log.retention.ms", SET, " 7")))

    assert described(cluster, BROKER, "")["log.retention.ms"].value == " 7"
    assert described(cluster, BROKER, str(CONTROLLER_ID))["log.retention.ms"].value == "7"


VIA_CONTROLLERS = (
    "When updating cordoned.log.dirs via controllers,  the new value must be a subset of the "
    "current configuration value."
)


@pytest.mark.rule("4.61a")
def test_only_a_broker_cordons_directories_for_a_client(cluster):
    """Only the broker knows its directories; a controller may only uncordon some of them."""
    both = change(BROKER, "1", ("cordoned.log.dirs", SET, "/a , /b"))
    one = change(BROKER, "1", ("cordoned.log.dirs", SET, "/b"))
    refused = (ErrorCode.INVALID_CONFIG, VIA_CONTROLLERS)

    assert result_of(cluster, both) == refused
    assert result_of(cluster, whole(BROKER, "1", cordoned_log_dirs="/a")) == refused
    assert result_of(cluster, replace(both, is_forwarded=True)) == (0, None)
    assert result_of(cluster, one) == (0, None)
    assert result_of(cluster, both) == refused
    assert result_of(cluster, change(BROKER, "1", ("cordoned.log.dirs", SET, ""))) == (0, None)


@pytest.mark.rule("4.61a")
def test_releases_before_4_3_let_a_controller_set_any_directories():
    cluster = ControllerUnderTest(KAFKA_4_1)
    cluster.unfenced(1)

    assert result_of(cluster, change(BROKER, "1", ("cordoned.log.dirs", SET, "/a"))) == (0, None)


@pytest.mark.rule("4.61a")
def test_a_value_has_at_most_32767_characters(cluster):
    longest = change(BROKER, "1", ("metric.reporters", SET, "x" * 32_765))
    assert result_of(cluster, longest) == (0, None)
    assert result_of(cluster, change(BROKER, "1", ("metric.reporters", APPEND, "y"))) == (0, None)

    assert result_of(cluster, change(BROKER, "1", ("metric.reporters", APPEND, "z"))) == (
        ErrorCode.INVALID_CONFIG,
        "The configuration value cannot be added because it exceeds the maximum value size of "
        "32767 bytes.",
    )
