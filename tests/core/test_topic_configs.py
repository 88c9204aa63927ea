"""A topic's configurations: which names and values are taken, and what is in force."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.topic_configs import TOPIC_CONFIGS, check
from tests.builders import ControllerUnderTest


@pytest.fixture
def cluster():
    cluster = ControllerUnderTest()
    cluster.unfenced(1)
    return cluster


@pytest.mark.rule("4.54")
@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("retention.ms", "x", "Not a number of type LONG"),
        ("retention.ms", "", "Not a number of type LONG"),
        ("retention.ms", "1_000", "Not a number of type LONG"),
        ("retention.ms", str(2**63), "Not a number of type LONG"),
        ("retention.ms", "-2", "Value must be at least -1"),
        ("min.insync.replicas", "0", "Value must be at least 1"),
        ("min.insync.replicas", str(2**31), "Not a number of type INT"),
        ("min.cleanable.dirty.ratio", "x", "Not a number of type DOUBLE"),
        ("min.cleanable.dirty.ratio", "1.5", "Value must be between 0 and 1"),
        ("min.cleanable.dirty.ratio", "nan", "Value must be between 0 and 1"),
        ("preallocate", "yes", "Expected value to be either true or false"),
        ("message.timestamp.type", "x", "String must be one of: CreateTime, LogAppendTime"),
        ("cleanup.policy", "shred", "String must be one of: compact, delete"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(cluster, name, value, why):
    result = cluster.create_topic("t", configs={name: value})

    assert ErrorCode.INVALID_CONFIG == result.error_code
    assert f"Invalid value {value} for configuration {name}: {why}" == result.error_message


@pytest.mark.rule("4.54")
@pytest.mark.parametrize("name", TOPIC_CONFIGS)
def test_every_default_is_a_value_that_could_be_set(name):
    check(name, TOPIC_CONFIGS[name].default, KAFKA_4_3)


@pytest.mark.rule("4.5", "4.23")
def test_what_is_in_force_comes_from_the_topic_the_cluster_or_the_default(cluster):
    result = cluster.created("t", configs={"retention.ms": "5"})

    in_force = {c.name: (c.value, c.config_source) for c in result.configs}
    assert ("5", 1) == in_force["retention.ms"]
    assert ("1", 3) == in_force["min.insync.replicas"]  # the bootstrap's ConfigRecord
    assert ("delete", 5) == in_force["cleanup.policy"]
    assert sorted(TOPIC_CONFIGS) == [c.name for c in result.configs]
