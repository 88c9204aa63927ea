"""DecommissionBroker as KIP-631 drafted it (rule 3.12)."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.records import RECOVERING, UnregisterBrokerRecord
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import (
    DecommissionBrokerResponse,
    FeatureUpdate,
    UpdateFeaturesRequest,
)
from tests.builders import ControllerUnderTest
from tests.core.reassigning import reassign
from tests.profiles import EACH_PROFILE


@EACH_PROFILE
@pytest.mark.rule("3.12")
@pytest.mark.parametrize("force", [False, True])
def test_a_stranger_is_not_available(profile, force):
    cluster = ControllerUnderTest(profile)
    before = cluster.everything()

    refusal = cluster.decommission(10, force=force)

    assert ErrorCode.BROKER_NOT_AVAILABLE == refusal.code
    assert "got 10" in refusal.message
    assert before == cluster.everything()


@EACH_PROFILE
@pytest.mark.rule("3.12", "9.27")
def test_a_broker_leaves_every_replica_set_in_the_batch_of_its_unregistration(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1, 2), (2, 1), (2, 3))
    epoch, mark = cluster.broker(1).broker_epoch, cluster.end

    reply = cluster.decommission(1)

    assert DecommissionBrokerResponse() == reply
    (batch,) = cluster.batches_since(mark)
    assert UnregisterBrokerRecord(broker_id=1, broker_epoch=epoch) == batch.records[-1]
    assert 3 == len(batch.records)
    assert [((2,), (2,), 2), ((2,), (2,), 2), ((2, 3), (2, 3), 2)] == [
        (p.replicas, p.isr, p.leader) for p in (cluster.partition("t", i) for i in range(3))
    ]
    assert 1 not in cluster.image.brokers


@EACH_PROFILE
@pytest.mark.rule("3.12", "4.36")
def test_a_lost_replica_moves_the_leader_epoch(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (2, 1))

    cluster.decommission(1)

    partition = cluster.partition("t")
    assert (2, 1, 1) == (partition.leader, partition.leader_epoch, partition.partition_epoch)


@EACH_PROFILE
@pytest.mark.rule("3.12")
@pytest.mark.parametrize("assignment", [(1,), (1, 2)], ids=["only replica", "only one in sync"])
def test_a_last_replica_is_required_and_nothing_changes(profile, assignment):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", assignment)
    if len(assignment) > 1:
        cluster.alter_partition("t", (1,))
    before = cluster.everything()

    refusal = cluster.decommission(1)

    assert ErrorCode.BROKER_REQUIRED_FOR_PARTITIONS == refusal.code
    assert "broker 1 is the last replica of t-0; force places them anew" == refusal.message
    assert before == cluster.everything()


@pytest.mark.rule("3.12", "4.28")
def test_the_last_known_leader_is_a_last_replica():
    """ISR and ELR are empty after an unclean restart: nobody else has the data."""
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.alter_partition("t", (1,))
    cluster.keep_alive(2, during="12s")
    cluster.register(1, "second")
    assert ((), (), (1,)) == (
        cluster.partition("t").isr,
        cluster.partition("t").elr,
        cluster.partition("t").last_known_elr,
    )

    assert ErrorCode.BROKER_REQUIRED_FOR_PARTITIONS == cluster.decommission(1).code
    assert cluster.decommission(2).error_code == 0
    assert ((1,), (1,)) == (
        cluster.partition("t").replicas,
        cluster.partition("t").last_known_elr,
    )


@EACH_PROFILE
@pytest.mark.rule("3.12")
def test_the_refusal_names_three_partitions_and_counts_the_others(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", *[(1,)] * 5)

    assert "t-0, t-1, t-2 and 2 more;" in cluster.decommission(1).message


@EACH_PROFILE
@pytest.mark.rule("3.12", "4.11")
def test_forced_a_last_replica_is_placed_anew_on_a_live_broker(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1,))
    cluster.fenced(2)

    assert cluster.decommission(1, force=True).error_code == 0

    partition = cluster.partition("t")
    assert ((3,), (3,), 3) == (partition.replicas, partition.isr, partition.leader)
    assert RECOVERING == partition.leader_recovery_state
    assert ((), (), 1) == (partition.elr, partition.last_known_elr, partition.leader_epoch)
    assert cluster.broker(3).log_dirs == partition.directories


@EACH_PROFILE
@pytest.mark.rule("3.12")
def test_forced_a_live_replica_that_was_out_of_sync_takes_over(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1, 3))
    cluster.alter_partition("t", (1,))

    cluster.decommission(1, force=True)

    assert (3,) == cluster.partition("t").replicas
    assert (3, (3,)) == cluster.leadership("t")


@EACH_PROFILE
@pytest.mark.rule("3.12")
def test_forced_a_dead_replica_stays_and_a_live_broker_leads(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1, 3))
    cluster.alter_partition("t", (1,))
    cluster.fenced(3)

    cluster.decommission(1, force=True)

    assert (3, 2) == cluster.partition("t").replicas
    assert (2, (2,)) == cluster.leadership("t")


@EACH_PROFILE
@pytest.mark.rule("3.12")
def test_with_no_other_live_broker_a_last_replica_is_required_even_so(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    cluster.registered(2)
    cluster.created("t", (1,))
    before = cluster.everything()

    refusal = cluster.decommission(1, force=True)

    assert ErrorCode.BROKER_REQUIRED_FOR_PARTITIONS == refusal.code
    assert "no other broker is live to take them" in refusal.message
    assert before == cluster.everything()


@EACH_PROFILE
@pytest.mark.rule("3.12", "3.9")
def test_a_decommissioned_broker_that_lives_on_is_told_it_is_stale(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    request = cluster.heartbeat_request(1)

    cluster.decommission(1)

    assert ErrorCode.STALE_BROKER_EPOCH == cluster.refused(request)
    assert 1 not in cluster.node.leases.liveness


@EACH_PROFILE
@pytest.mark.rule("3.12")
def test_a_fenced_replica_leaves_and_the_others_go_on(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.fenced(1)

    cluster.decommission(1)

    partition = cluster.partition("t")
    assert ((2,), (2,), 2) == (partition.replicas, partition.isr, partition.leader)
    assert len(partition.directories) == 1


@pytest.mark.rule("3.12", "4.25")
def test_a_decommissioned_broker_leaves_the_elr():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2), configs={"min.insync.replicas": "2"})
    cluster.fenced(1)
    assert (1,) == cluster.partition("t").elr

    cluster.decommission(1)

    assert ((2,), (), (2,)) == (
        cluster.partition("t").isr,
        cluster.partition("t").elr,
        cluster.partition("t").replicas,
    )


def with_a_partition_that_moved_to_3() -> ControllerUnderTest:
    """t-1 was on 1 and 2, which deleted their replicas and are still in its ELR (rule 4.25)."""
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2, 3, 4)
    cluster.created("t", (2, 4), (1, 2), configs={"min.insync.replicas": "2"})
    reassign(cluster, (3,), index=1)
    cluster.alter_partition("t", (1, 2, 3), index=1)
    moved = cluster.partition("t", 1)
    assert (moved.replicas, moved.isr, moved.elr) == ((3,), (3,), (1, 2))
    return cluster


@pytest.mark.rule("3.12", "4.25")
def test_a_broker_leaves_the_elr_of_a_partition_that_moved_away_from_it():
    cluster = with_a_partition_that_moved_to_3()

    assert cluster.decommission(1) == DecommissionBrokerResponse()

    left = cluster.partition("t", 1)
    assert (left.replicas, left.isr, left.leader, left.elr) == ((3,), (3,), 3, (2,))


@pytest.mark.rule("3.12", "4.25")
def test_a_former_replica_in_the_elr_holds_no_data():
    cluster = with_a_partition_that_moved_to_3()
    reassign(cluster, (3, 4), index=1)

    assert cluster.decommission(3).code == ErrorCode.BROKER_REQUIRED_FOR_PARTITIONS
    assert cluster.decommission(4) == DecommissionBrokerResponse()


@EACH_PROFILE
@pytest.mark.rule("3.12", "4.36")
def test_a_reassignment_that_only_waited_for_the_broker_is_complete(profile):
    """Hunts of S41 found that it was complete, and still listed as in progress."""
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1,))
    reassign(cluster, (2, 3))
    cluster.alter_partition("t", (1, 2))

    cluster.decommission(3)

    left = cluster.partition("t", 0)
    assert (left.replicas, left.isr, left.leader) == ((2,), (2,), 2)
    assert (left.adding_replicas, left.removing_replicas) == ((), ())


@pytest.mark.rule("3.12", "4.13", "9.19")
def test_without_elr_the_last_member_of_the_isr_is_required():
    """An ELR that is left from before the feature was disabled elects nobody."""
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2), configs={"min.insync.replicas": "2"})
    cluster.fenced(1)
    disabled = FeatureUpdate(
        feature="eligible.leader.replicas.version", max_version_level=0, upgrade_type=2
    )
    assert cluster.ask(UpdateFeaturesRequest(feature_updates=(disabled,))).error_code == 0
    assert ((2,), (1,)) == (cluster.partition("t").isr, cluster.partition("t").elr)

    assert ErrorCode.BROKER_REQUIRED_FOR_PARTITIONS == cluster.decommission(2).code
    assert (2,) == cluster.partition("t").isr


@EACH_PROFILE
@pytest.mark.rule("3.12")
def test_whatever_leaves_no_partition_names_it_any_more(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1, 2), (2, 1), (3, 1), (1, 3), (2, 3))
    cluster.alter_partition("t", (1,))
    cluster.fenced(3)

    cluster.decommission(1, force=True)

    for partition_id in range(5):
        p = cluster.partition("t", partition_id)
        assert 1 not in {p.leader, *p.replicas, *p.isr, *p.elr, *p.last_known_elr}
