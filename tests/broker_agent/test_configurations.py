"""Configurations at a broker's listener: refusals of Kafka 4.3.1, forwarding, lists."""

from dataclasses import replace

import pytest

from kraftsim.broker_agent.configurations import alter, list_resources
from kraftsim.configuration.dynamic import check_together
from kraftsim.controller.core.configs.node_configs import NodeView
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, KAFKA_4_4, KAFKA_TRUNK
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
    IncrementalAlterConfigsResponse,
    ListConfigResourcesRequest,
)

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT, UNKNOWN = range(5)
VIEW = NodeView(node_id=1, profile=KAFKA_4_3, image=Image(), static={})


def resource(kind, name, *operations):
    configs = tuple(
        AlterableConfig(name=key, config_operation=operation, value=text)
        for key, operation, text in operations
    )
    return IncrementalAlterConfigsResource(resource_type=kind, resource_name=name, configs=configs)


def answers_to(*resources, view=VIEW):
    """The messages of the reply, "forwarded" for what the controller answers."""
    replies = []

    def forward(request, reply_to):
        responses = tuple(
            AlterConfigsResourceResponse(
                error_message="forwarded",
                resource_type=of.resource_type,
                resource_name=of.resource_name,
            )
            for of in request.resources
        )
        reply_to(IncrementalAlterConfigsResponse(responses=responses))

    request = IncrementalAlterConfigsRequest(resources=resources)
    alter(view, request, check_together, forward, replies.append)
    [reply] = replies
    return [response.error_message for response in reply.responses]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            resource(BROKER, "2", ("log.retention.ms", SET, "5")),
            "Unexpected broker id, expected 1, but received 2",
        ),
        (
            resource(BROKER, "x", ("log.retention.ms", SET, "5")),
            "Node id must be an integer, but it is: x",
        ),
        (
            resource(BROKER, "1", ("log.segment.bytes", SET, "0")),
            "Invalid value 0 for configuration log.segment.bytes: Value must be at least 1048576",
        ),
        (
            resource(BROKER, "1", ("num.io.threads", SET, "3")),
            "Invalid value org.apache.kafka.common.config.ConfigException: Dynamic thread count "
            "update validation failed for num.io.threads=3, value should be at least half the "
            "current value 8 for configuration Invalid dynamic configuration",
        ),
        (
            resource(BROKER, "", ("log.cleaner.threads", SET, "3")),
            "Invalid value org.apache.kafka.common.config.ConfigException: Log cleaner threads "
            "cannot be increased to more than double the current value 1 for configuration Invalid "
            "dynamic configuration",
        ),
        (resource(BROKER, "1", ("log.cleaner.threads", SET, "0")), "/ by zero"),
        (
            resource(BROKER, "1", ("leader.replication.throttled.rate", SET, "-1")),
            "Invalid value -1 for configuration leader.replication.throttled.rate: Value must be "
            "at least 0",
        ),
        (resource(BROKER, "1", ("num.io.threads", SET, "16")), "forwarded"),
        (resource(BROKER, "1", ("leader.replication.throttled.rate", SET, "5")), "forwarded"),
        (
            resource(BROKER, "1", ("node.id", SET, "5"), ("broker.rack", SET, "r")),
            "Cannot update these configs dynamically: [node.id, broker.rack]",
        ),
        (
            resource(BROKER, "1", ("log.retention.ms", SET, "x")),
            "Invalid value x for configuration log.retention.ms: Not a number of type LONG",
        ),
        (
            resource(BROKER, "", ("ssl.keystore.location", SET, "/x")),
            "These security configs can be dynamically updated only per-listener using the "
            "listener prefix: [ssl.keystore.location]",
        ),
        (
            resource(BROKER, "", ("listener.name.plaintext.ssl.keystore.location", SET, "/x")),
            "Cannot update these configs at default cluster level, broker id must be specified: "
            "[listener.name.plaintext.ssl.keystore.location]",
        ),
        (
            resource(BROKER, "", ("log.retention.ms", APPEND, "1")),
            "Config value append is not allowed for config key: log.retention.ms",
        ),
        (
            resource(BROKER, "1", ("log.retention.ms", SET, "0")),
            "requirement failed: log.retention.ms must be unlimited (-1) or, greater than or equal "
            "to 1",
        ),
        (
            resource(BROKER, "", ("log.roll.ms", SET, "0")),
            "requirement failed: log.roll.ms must be greater than or equal to 1",
        ),
        (
            resource(BROKER, "1", ("log.cleaner.dedupe.buffer.size", SET, "1048576")),
            "requirement failed: log.cleaner.dedupe.buffer.size must be at least 1MB per cleaner "
            "thread.",
        ),
        (
            resource(BROKER, "1", ("max.connections.per.ip", SET, "0")),
            "requirement failed: max.connections.per.ip can be set to zero only if "
            "max.connections.per.ip.overrides property is set.",
        ),
        (
            resource(
                *(BROKER, "1", ("max.connections.per.ip", SET, "0")),
                ("max.connections.per.ip.overrides", SET, "a:1"),
            ),
            "forwarded",
        ),
        (
            resource(BROKER, "1", ("node.id", SET, "5"), ("no.such", UNKNOWN, "x")),
            "Unknown operations type 4",
        ),
        (
            resource(TOPIC, "t", ("flush.ms", SET, None), ("retention.ms", SET, None)),
            "Null value not supported for : flush.ms, retention.ms",
        ),
        (
            resource(TOPIC, "t", ("flush.ms", SET, "1"), ("flush.ms", SET, "2")),
            "Error due to duplicate config keys",
        ),
        (resource(3, "x"), "Unknown resource type 3"),
        (
            resource(LOGGER, "3000", ("kafka", SET, "INFO")),
            "Unexpected node id. Expected 1, but received 3000",
        ),
    ],
)
def test_a_broker_refuses_with_the_words_of_kafka(asked, message):
    assert answers_to(asked) == [message]


@pytest.mark.rule("4.66")
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"log.remote.copy.lag.ms": "604800001"},
            "Invalid value 604800001 for configuration log.remote.copy.lag.ms: Value must not "
            "exceed log.local.retention.ms (effective value: 604800000)",
        ),
        ({"log.remote.copy.lag.ms": "604800000"}, None),
        (
            {"log.retention.bytes": "7", "log.remote.copy.lag.bytes": "8"},
            "Invalid value 8 for configuration log.remote.copy.lag.bytes: Value must not exceed "
            "log.local.retention.bytes (effective value: 7)",
        ),
        (
            {"log.local.retention.ms": "5", "log.remote.copy.lag.ms": "6"},
            "Invalid value 6 for configuration log.remote.copy.lag.ms: Value must not exceed "
            "log.local.retention.ms (effective value: 5)",
        ),
        (
            {"log.local.retention.ms": "999999999999"},
            "Invalid value 999999999999 for configuration log.local.retention.ms: Value must not "
            "be more than log.retention.ms property value: 604800000",
        ),
        ({"log.remote.copy.lag.bytes": "99"}, None),
    ],
)
@pytest.mark.parametrize("node", ["", "1"])
def test_4_4_compares_the_limits_of_remote_storage(node, changes, reason):
    asked = resource(BROKER, node, *((name, SET, text) for name, text in changes.items()))

    [message] = answers_to(asked, view=replace(VIEW, profile=KAFKA_4_4))

    of_kafka = "Invalid value org.apache.kafka.common.config.ConfigException: {} for configuration"
    expected = f"{of_kafka.format(reason)} Invalid dynamic configuration" if reason else "forwarded"
    assert message == expected


@pytest.mark.rule("4.66")
def test_3_9_refuses_other_advertised_listeners_although_they_are_dynamic():
    asked = resource(BROKER, "1", ("advertised.listeners", SET, "PLAINTEXT://other:1"))

    assert answers_to(asked, view=replace(VIEW, profile=KAFKA_3_9)) == [
        "Invalid value org.apache.kafka.common.config.ConfigException: Advertised listeners cannot "
        "be altered when using a Raft-based metadata quorum. for configuration Invalid dynamic "
        "configuration"
    ]


@pytest.mark.rule("4.66")
def test_new_values_are_checked_with_those_in_force():
    image = Image(configs={(BROKER, "1"): {"max.connections.per.ip.overrides": "a:1"}})
    asked = resource(BROKER, "1", ("max.connections.per.ip", SET, "0"))

    assert answers_to(asked, view=replace(VIEW, image=image)) == ["forwarded"]
    overridden = resource(BROKER, "", ("log.retention.ms", SET, "0"))
    image = Image(configs={(BROKER, "1"): {"log.retention.ms": "5"}})
    assert answers_to(overridden, view=replace(VIEW, image=image)) == ["forwarded"]


PER_IP, OVERRIDES = "max.connections.per.ip", "max.connections.per.ip.overrides"


@pytest.mark.rule("4.66")
@pytest.mark.parametrize(
    ("in_force", "asked", "answer"),
    [
        ({"log.retention.ms": "0"}, [("log.retention.ms", DELETE, None)], "forwarded"),
        (
            {PER_IP: "0", OVERRIDES: "a:1"},
            [(OVERRIDES, DELETE, None)],
            f"requirement failed: {PER_IP} can be set to zero only if {OVERRIDES} property is set.",
        ),
        (
            {PER_IP: "0", OVERRIDES: "a:1"},
            [(PER_IP, DELETE, None), (OVERRIDES, SET, "")],
            "forwarded",
        ),
    ],
)
def test_values_are_checked_without_those_that_are_removed(in_force, asked, answer):
    image = Image(configs={(BROKER, "1"): in_force})

    assert answers_to(resource(BROKER, "1", *asked), view=replace(VIEW, image=image)) == [answer]


def test_the_release_of_3_9_has_no_configurations_of_groups():
    asked = resource(GROUP, "g", ("consumer.session.timeout.ms", SET, "5"))

    assert answers_to(asked) == ["forwarded"]
    assert answers_to(asked, view=replace(VIEW, profile=KAFKA_3_9)) == ["Unknown resource type 32"]


@pytest.mark.rule("4.70")
def test_a_broker_of_the_development_branch_validates_what_it_forwards_of_groups():
    """It merges the change with the configurations that it knows."""
    known = Image(configs={(GROUP, "g"): {"no.such": "1"}})
    trunk = replace(VIEW, profile=KAFKA_TRUNK, image=known)
    changed = resource(GROUP, "g", ("consumer.session.timeout.ms", SET, "45000"))
    mended = resource(GROUP, "g", ("no.such", DELETE, None))
    refused = "Unknown group config name: no.such"

    assert answers_to(changed, view=trunk) == [refused]
    assert answers_to(mended, view=trunk) == ["forwarded"]
    assert answers_to(resource(GROUP, "h", ("no.such", SET, "1")), view=trunk) == [refused]
    assert answers_to(resource(GROUP, ""), view=trunk) == [
        "Default group resources are not allowed."
    ]
    assert answers_to(changed, view=replace(trunk, profile=KAFKA_4_4)) == ["forwarded"]


def test_a_resource_that_is_named_twice_is_refused_twice():
    once = resource(TOPIC, "t", ("flush.ms", SET, "1"))

    assert answers_to(once, once) == ["Each resource must appear at most once."] * 2


def test_what_the_broker_does_not_refuse_is_forwarded():
    found = answers_to(
        resource(TOPIC, "t", ("flush.ms", SET, "1")),
        resource(BROKER, "7", ("log.retention.ms", SET, "1")),
        resource(BROKER, "1", ("log.cleanup.policy", APPEND, "compact"), ("no.such", SET, "1")),
    )

    refused = "Unexpected broker id, expected 1, but received 7"
    assert found == ["forwarded", "forwarded", refused]


def test_resources_are_listed_by_type_and_version_0_lists_client_metrics():
    image = Image(configs={(GROUP, "g"): {"a": "b"}, (METRICS, "m"): {"a": "b"}})

    def listed(**fields):
        reply = list_resources(image, ListConfigResourcesRequest(**fields))
        return reply.error_code, [
            (of.resource_type, of.resource_name) for of in reply.config_resources
        ]

    assert listed(resource_types=()) == (0, [(METRICS, "m"), (GROUP, "g")])
    assert listed() == (0, [(METRICS, "m")])
    assert listed(resource_types=(3,)) == (35, [])


@pytest.mark.rule("4.61a")
def test_what_is_forwarded_says_so():
    forwarded = []
    request = IncrementalAlterConfigsRequest(resources=(resource(TOPIC, "t"),))

    alter(VIEW, request, check_together, lambda r, _: forwarded.append(r), print)

    assert [(sent.resources, sent.is_forwarded) for sent in forwarded] == [
        (request.resources, True)
    ]
