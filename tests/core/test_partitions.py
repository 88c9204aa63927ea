"""Which rules hold for a partition, and whose directory is online: rules 4.4, 4.5, 4.24, 4.39."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.image import replay
from kraftsim.controller.core.log.records import ConfigRecord
from kraftsim.controller.core.partitions.broker_changes import (
    allows_unclean,
    default_directory,
    effective_min_isr,
    has_online_directory,
)
from kraftsim.controller.core.uuid import (
    LOST_DIRECTORY,
    MIGRATING_DIRECTORY,
    UNASSIGNED_DIRECTORY,
)
from tests.builders import CONTROLLER_ID, ControllerUnderTest, directory_of


@pytest.fixture
def cluster():
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    return cluster


def configure(cluster, resource_type, resource, name, value):
    record = ConfigRecord(
        resource_type=resource_type, resource_name=resource, name=name, value=value
    )
    replay.apply(cluster.image, record, offset=cluster.image.offset + 1)


@pytest.mark.rule("4.4")
@pytest.mark.parametrize(
    ("directory", "online"),
    [
        (UNASSIGNED_DIRECTORY, True),
        (MIGRATING_DIRECTORY, True),
        (LOST_DIRECTORY, False),
        (directory_of(1), True),
        (directory_of(1, 9), False),
    ],
)
def test_a_directory_is_online_if_it_is_registered_or_not_known(cluster, directory, online):
    partition = replace(cluster.partition("t"), directories=(directory, directory_of(2)))

    assert online is has_online_directory(cluster.node.state, partition, 1)


@pytest.mark.rule("4.4")
def test_a_stranger_has_no_directory_online(cluster):
    partition = cluster.partition("t")
    assert has_online_directory(cluster.node.state, partition, 2)

    cluster.unregister(2)

    assert not has_online_directory(cluster.node.state, partition, 2)


@pytest.mark.rule("4.39", "3.10")
def test_the_directory_of_a_new_replica():
    cluster = ControllerUnderTest()
    cluster.registered(1)
    cluster.register(2, log_dirs=(directory_of(2), directory_of(2, 1)))
    old = ControllerUnderTest(metadata_version=16)
    old.registered(3)

    assert [directory_of(1), UNASSIGNED_DIRECTORY, UNASSIGNED_DIRECTORY] == [
        default_directory(cluster.node.state, b) for b in (1, 2, 9)
    ]
    assert MIGRATING_DIRECTORY == default_directory(old.node.state, 3)


@pytest.mark.rule("4.5")
def test_the_nearest_word_on_unclean_election_counts(cluster):
    state, name = cluster.node.state, "unclean.leader.election.enable"
    assert not allows_unclean(state, "t")

    configure(cluster, 4, "1", name, "true")  # the dynamic config of a broker is irrelevant
    assert not allows_unclean(state, "t")
    configure(cluster, 4, "", name, "true")
    assert allows_unclean(state, "t")
    configure(cluster, 4, str(CONTROLLER_ID), name, "false")
    assert not allows_unclean(state, "t")
    configure(cluster, 2, "t", name, "true")
    assert allows_unclean(state, "t")


@pytest.mark.rule("4.24")
def test_min_isr_comes_from_the_topic_or_the_cluster_and_is_bounded_by_the_replicas(cluster):
    state = cluster.node.state
    assert 1 == effective_min_isr(state, "t", 3)

    configure(cluster, 4, "", "min.insync.replicas", "2")
    assert 2 == effective_min_isr(state, "t", 3)
    configure(cluster, 2, "t", "min.insync.replicas", "9")
    assert 3 == effective_min_isr(state, "t", 3)


@pytest.mark.rule("4.24", "4.54")
@pytest.mark.parametrize("text", [" 2", "+2\n", "\uff12", "0" * 5000 + "2"], ids=range(4))
def test_min_isr_in_any_text_that_is_accepted_is_a_number(cluster, text):
    cluster.created("u", configs={"min.insync.replicas": text})

    assert 2 == effective_min_isr(cluster.node.state, "u", 3)
