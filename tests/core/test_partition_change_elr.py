"""Eligible leader replicas, as 4.3.1 was recorded: section 4D."""

import pytest

from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3
from tests.builders import ControllerUnderTest

UNCLEAN = {"unclean.leader.election.enable": "true"}


@pytest.fixture
def elr():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2, 3)
    return cluster


def partition_of(cluster, name="t"):
    p = cluster.partition(name)
    return p.leader, p.isr, p.leader_epoch, p.partition_epoch


@pytest.mark.rule("4.13", "4.25", "4.27", "2.21")
def test_with_elr_the_last_in_sync_leaves_an_empty_isr_and_stays_eligible(elr):
    """Golden 4.3.1, offsets 348 to 357."""
    elr.created("alone", (2,))
    elr.created("led", (2, 1))
    elr.created("followed", (1, 2))

    *changes, last = elr.writes(lambda: elr.fenced(2))

    offline = {"isr": (), "leader": -1, "eligible_leader_replicas": (2,), "last_known_elr": (2,)}
    expected = [
        elr.change("alone", **offline),
        elr.change("led", isr=(1,), leader=1),
        elr.change("followed", isr=(1,)),
    ]
    assert sorted(expected, key=repr) == sorted(changes, key=repr)
    assert elr.fence_record(2) == last


@pytest.mark.rule("4.28", "4.11", "4.27", "2.22")
def test_with_elr_the_same_incarnation_comes_back_out_of_the_elr_without_recovery(elr):
    """Golden 4.3.1, offsets 367 to 369."""
    elr.created("t", (2,))
    elr.fenced(2)

    written = elr.writes(lambda: elr.heartbeat(2))

    back = {"isr": (2,), "leader": 2, "eligible_leader_replicas": (), "last_known_elr": ()}
    assert [elr.unfence_record(2), elr.change("t", **back)] == written
    assert (2, (2,), 2, 2) == partition_of(elr)


@pytest.mark.rule("4.28", "1.37")
def test_with_elr_another_incarnation_comes_back_as_last_known_leader_and_recovers(elr):
    """Golden 4.3.1, offsets 443 to 445 and 450 to 452."""
    elr.created("t", (2,))
    elr.keep_alive(1, 3, during="12s")
    registered = elr.writes(lambda: elr.register(2, "second"))

    assert elr.change("t", eligible_leader_replicas=()) == registered[0]
    written = elr.writes(lambda: elr.heartbeat(2))
    back = {"isr": (2,), "leader": 2, "leader_recovery_state": 1, "last_known_elr": ()}
    assert [elr.unfence_record(2), elr.change("t", **back)] == written


@pytest.mark.rule("4.28")
def test_with_elr_a_fenced_last_known_leader_is_not_elected(elr):
    """KAFKA-19522, not copied."""
    elr.created("t", (2, 1))
    elr.alter_partition("t", (2,))
    elr.fenced(1)
    elr.keep_alive(1, 3, during="12s")
    elr.register(2, "second")

    elr.fenced(3)
    elr.heartbeat(3)

    assert (-1, (), (2,)) == (*elr.leadership("t"), elr.partition("t").last_known_elr)


@pytest.mark.rule("4.25", "4.24", "9.25")
def test_with_elr_whoever_leaves_below_min_isr_stays_eligible_until_the_isr_is_back(elr):
    elr.created("t", (1, 2, 3), configs={"min.insync.replicas": "2"})
    elr.fenced(3)
    assert ((1, 2), ()) == (elr.partition("t").isr, elr.partition("t").elr)
    elr.fenced(2)
    assert ((1,), (2,)) == (elr.partition("t").isr, elr.partition("t").elr)
    elr.heartbeat(3)

    elr.alter_partition("t", (1, 3))

    assert ((1, 3), ()) == (elr.partition("t").isr, elr.partition("t").elr)


@pytest.mark.rule("4.24")
def test_min_isr_is_at_most_the_number_of_replicas(elr):
    elr.created("t", (1, 2), configs={"min.insync.replicas": "3"})
    elr.fenced(2)
    elr.heartbeat(2)
    assert (2,) == elr.partition("t").elr

    elr.alter_partition("t", (1, 2))

    assert () == elr.partition("t").elr


@pytest.mark.rule("4.8")
def test_with_elr_nobody_eligible_leads_while_the_isr_has_a_member(elr):
    elr.created("t", (1, 2), configs={"min.insync.replicas": "2"})
    elr.fenced(2)
    assert (2,) == elr.partition("t").elr
    elr.heartbeat(2)

    elr.heartbeat(1, want_shut_down=True)

    assert (2, (2,)) == elr.leadership("t")
    assert (1,) == elr.partition("t").elr


@pytest.mark.rule("4.23")
@pytest.mark.parametrize(("profile", "version"), [(KAFKA_3_9, 21), (KAFKA_4_3, 22)])
def test_without_the_level_or_the_feature_there_is_no_elr(profile, version):
    cluster = ControllerUnderTest(profile, metadata_version=version)
    cluster.unfenced(1)
    cluster.created("t", (1,))

    cluster.fenced(1)

    assert ((1,), ()) == (cluster.partition("t").isr, cluster.partition("t").elr)
