"""A user's policies are asked last, and their texts reach the client.

tests/differential/test_options.py asks a released controller the same.
"""

from dataclasses import replace

import pytest

from kraftsim.configuration.policies import ALTER_CONFIG, CREATE_TOPIC, policies_of
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.handlers import response_to
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_1, KAFKA_4_3
from kraftsim.controller.core.rpc import CreateTopicsRequest
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from tests.builders import ControllerUnderTest, topic

POLICIES = policies_of(
    {
        CREATE_TOPIC: "tests.differential.policies:create_topic",
        ALTER_CONFIG: "tests.differential.policies:alter_config",
    }
)


@pytest.fixture
def cluster():
    cluster = ControllerUnderTest()
    cluster.node.state.policies = POLICIES
    cluster.unfenced(1, 2)
    cluster.created("t")
    return cluster


def result_of(cluster, wanted, *, only_validates=False):
    request = CreateTopicsRequest(topics=(wanted,), validate_only=only_validates)
    before = cluster.node.log.end_offset
    [result] = cluster.accepted(request).topics
    assert before == cluster.node.log.end_offset
    return result.error_code, result.error_message


@pytest.mark.rule("4.57", "4.60")
@pytest.mark.parametrize("only_validates", [False, True])
def test_a_refused_topic_has_the_text_of_the_policy(cluster, only_validates):
    wanted = topic("refused", num_partitions=2, replication_factor=2)
    text = "refused 2 2 null {}"

    assert (ErrorCode.POLICY_VIOLATION, text) == result_of(
        cluster, wanted, only_validates=only_validates
    )


@pytest.mark.rule("4.60")
def test_a_policy_sees_assignments_instead_of_numbers(cluster):
    wanted = topic("refused", (1,), (2,), configs={"segment.ms": "7"})
    text = "refused null null {0=[1], 1=[2]} {segment.ms=7}"

    assert (ErrorCode.POLICY_VIOLATION, text) == result_of(cluster, wanted)


@pytest.mark.rule("4.60")
def test_no_policy_is_asked_about_a_topic_that_kafka_refuses(cluster):
    wanted = topic("refused", num_partitions=1, replication_factor=9)

    assert ErrorCode.INVALID_REPLICATION_FACTOR == result_of(cluster, wanted)[0]


@pytest.mark.rule("4.60", "4.61")
@pytest.mark.parametrize("wanted", [topic("broken"), topic("t2", configs={"segment.ms": "666"})])
def test_a_policy_that_raises_refuses_without_a_text(cluster, wanted):
    assert (ErrorCode.UNKNOWN_SERVER_ERROR, None) == result_of(cluster, wanted)


@pytest.mark.rule("4.60")
@pytest.mark.parametrize("profile", [KAFKA_4_3, KAFKA_4_1, KAFKA_3_9], ids=lambda p: p.name)
def test_before_4_3_a_policy_that_raises_refuses_the_whole_request_and_ends_the_leadership(profile):
    cluster = ControllerUnderTest(profile)
    cluster.node.state.policies = POLICIES
    cluster.unfenced(1)
    epoch = cluster.node.quorum.epoch
    request = CreateTopicsRequest(topics=(topic("first"), topic("broken"), topic("second")))
    response = response_to(request, cluster.ask(request), 7)
    cluster.run_for("10s")

    codes = [result.error_code for result in response.topics]
    if profile is KAFKA_4_3:
        assert ([0, -1, 0], epoch) == (codes, cluster.node.quorum.epoch)
    else:
        assert [-1, -1, -1] == codes
        assert cluster.node.quorum.epoch > epoch
        assert cluster.node.is_active
        assert not cluster.node.committed.topics


@pytest.mark.rule("4.61")
def test_the_configurations_of_a_new_topic_are_altered_configurations(cluster):
    wanted = topic("t2", configs={"retention.ms": "5"})
    text = "ConfigResource(type=TOPIC, name='t2') {retention.ms=5}"

    assert (ErrorCode.POLICY_VIOLATION, text) == result_of(cluster, wanted)


@pytest.mark.rule("4.61")
@pytest.mark.parametrize(("kind", "name", "word"), [(2, "t", "TOPIC"), (4, "", "BROKER")])
def test_refused_configurations_are_not_written(cluster, kind, name, word):
    change = AlterableConfig(name="retention.ms", config_operation=0, value="5")
    resource = IncrementalAlterConfigsResource(
        resource_type=kind, resource_name=name, configs=(change,)
    )
    request = IncrementalAlterConfigsRequest(resources=(resource,))
    before = cluster.node.log.end_offset
    [result] = cluster.accepted(request).responses

    text = f"ConfigResource(type={word}, name='{name}') {{retention.ms=5}}"
    assert (ErrorCode.POLICY_VIOLATION, text) == (result.error_code, result.error_message)
    assert before == cluster.node.log.end_offset


def test_no_policy_refuses_nothing(cluster):
    cluster.node.state.policies = replace(POLICIES, new_topic=None)
    cluster.created("refused")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("org.example.Policy", "expected MODULE:FUNCTION, a function of Python, got"),
        ("no.such.module:f", "No module named 'no'"),
        ("tests.differential.policies:absent", "has no attribute 'absent'"),
        ("tests.differential.policies:__name__", "which is no function"),
    ],
)
def test_a_policy_that_is_not_found_is_refused_by_name(text, reason):
    with pytest.raises(ValueError, match=reason) as raised:
        policies_of({CREATE_TOPIC: text})
    assert str(raised.value).startswith(CREATE_TOPIC)
