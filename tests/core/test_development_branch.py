"""The development branch of Kafka, and KIP-1372 on top of it: rules that were read, not judged."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.profile import KAFKA_4_4, KAFKA_TRUNK, KIP_1372
from kraftsim.controller.core.rpc import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from tests.builders import ControllerUnderTest

TOPIC, GROUP = 2, 32


def setting(kind, name, key, value, **fields):
    config = AlterableConfig(name=key, config_operation=0, value=value)
    resource = IncrementalAlterConfigsResource(
        resource_type=kind, resource_name=name, configs=(config,)
    )
    return IncrementalAlterConfigsRequest(resources=(resource,), **fields)


def answer(cluster, request):
    [response] = cluster.accepted(request).responses
    return response.error_code, response.error_message


UNKNOWN = setting(GROUP, "g", "foobar", "abc")
REFUSED = (ErrorCode.INVALID_CONFIG, "Unknown group config name: foobar")


@pytest.mark.rule("5.60a")
def test_the_branch_finalizes_a_level_that_no_release_supports():
    trunk, newest = ControllerUnderTest(KAFKA_TRUNK), ControllerUnderTest(KAFKA_4_4)

    assert (trunk.node.committed.metadata_version, newest.node.committed.metadata_version) == (
        34,
        33,
    )


@pytest.mark.rule("4.70")
def test_a_controller_trusts_the_broker_that_forwards_a_change_of_a_group():
    cluster = ControllerUnderTest(KAFKA_TRUNK)

    assert answer(cluster, UNKNOWN) == REFUSED
    assert answer(cluster, replace(UNKNOWN, is_forwarded=True)) == (0, None)


@pytest.mark.rule("4.70")
def test_below_its_level_a_broker_may_be_older_and_the_controller_validates():
    cluster = ControllerUnderTest(KAFKA_TRUNK, metadata_version=33)

    assert answer(cluster, replace(UNKNOWN, is_forwarded=True)) == REFUSED


@pytest.mark.rule("4.70")
def test_a_controller_checks_the_name_of_every_group():
    cluster = ControllerUnderTest(KAFKA_TRUNK)
    nameless = setting(GROUP, "", "foobar", "abc", is_forwarded=True)

    assert answer(cluster, nameless) == (
        ErrorCode.INVALID_REQUEST,
        "Default group resources are not allowed.",
    )


def creation(name, min_isr, replication_factor):
    config = CreatableTopicConfig(name="min.insync.replicas", value=min_isr)
    topic = CreatableTopic(
        name=name, num_partitions=2, replication_factor=replication_factor, configs=(config,)
    )
    return CreateTopicsRequest(topics=(topic,))


def created(cluster, *words):
    [result] = cluster.accepted(creation(*words)).topics
    return result.error_code, result.error_message


BEYOND = (
    ErrorCode.INVALID_CONFIG,
    "min.insync.replicas (3) must not exceed the replication factor (2)",
)


@pytest.mark.rule("4.72")
def test_a_topic_requires_no_more_replicas_in_sync_than_it_has():
    cluster = ControllerUnderTest(KIP_1372)
    cluster.unfenced(1, 2)

    assert created(cluster, "a", "3", 2) == BEYOND
    assert created(cluster, "a", "2", 2) == (0, None)
    assert answer(cluster, setting(TOPIC, "a", "min.insync.replicas", "3")) == BEYOND
    assert answer(cluster, setting(TOPIC, "a", "min.insync.replicas", "1")) == (0, None)


@pytest.mark.rule("4.72")
def test_releases_accept_a_min_isr_that_is_never_reached():
    cluster = ControllerUnderTest(KAFKA_TRUNK)
    cluster.unfenced(1, 2)

    assert created(cluster, "a", "3", 2) == (0, None)
    assert answer(cluster, setting(TOPIC, "a", "min.insync.replicas", "4")) == (0, None)
