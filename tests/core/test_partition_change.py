"""What happens to a partition: table 4.19, the elections of 4B, step by step."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.image.partition import changed
from kraftsim.controller.core.log.records import RECOVERING, PartitionChangeRecord
from kraftsim.controller.core.partitions.change import build
from kraftsim.controller.core.partitions.target import Election, Rules, assignment_of
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3
from kraftsim.controller.core.uuid import LOST_DIRECTORY, UNASSIGNED_DIRECTORY
from tests.builders import ControllerUnderTest, directory_of, uuid_of

UNCLEAN = {"unclean.leader.election.enable": "true"}


@pytest.fixture
def plain():
    """Without ELR: the world of table 4.19."""
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1, 2, 3)
    return cluster


def partition_of(cluster, name="t"):
    p = cluster.partition(name)
    return p.leader, p.isr, p.leader_epoch, p.partition_epoch


@pytest.mark.rule("4.6", "4.16", "4.19", "9.24")
def test_the_leader_is_fenced(plain):
    plain.created("t", (1, 2, 3))

    plain.fenced(1)

    assert (2, (2, 3), 1, 1) == partition_of(plain)


@pytest.mark.rule("4.19", "4.17")
def test_a_follower_is_fenced(plain):
    plain.created("t", (1, 2, 3))

    plain.fenced(3)

    assert (1, (1, 2), 0, 1) == partition_of(plain)


@pytest.mark.rule("4.19", "4.12", "9.18")
def test_the_last_in_sync_is_fenced_and_stays_in_the_isr(plain):
    plain.created("t", (1, 2, 3))
    plain.alter_partition("t", (1,))

    plain.fenced(1)

    assert (-1, (1,), 1, 2) == partition_of(plain)


@pytest.mark.rule("4.19", "2.22")
def test_the_last_in_sync_comes_back_and_leads(plain):
    plain.created("t", (1, 2, 3))
    plain.alter_partition("t", (1,))
    plain.fenced(1)
    mark = plain.end

    plain.heartbeat(1)

    assert [plain.unfence_record(1), plain.change("t", leader=1)] == plain.records_since(mark)
    assert (1, (1,), 2, 3) == partition_of(plain)


@pytest.mark.rule("4.19", "4.12", "4.14", "9.26")
def test_nobody_else_may_take_over_from_the_last_in_sync(plain):
    plain.created("t", (1, 2, 3))
    plain.alter_partition("t", (1,))
    plain.fenced(2)
    plain.fenced(1)
    mark = plain.end

    plain.heartbeat(2)

    assert [plain.unfence_record(2)] == plain.records_since(mark)
    assert (-1, (1,), 1, 2) == partition_of(plain)


@pytest.mark.rule("4.19", "4.9", "4.11")
def test_with_unclean_election_whoever_comes_first_leads_and_recovers(plain):
    plain.created("t", (1, 2), configs=UNCLEAN)
    plain.fenced(2)
    plain.fenced(1)
    assert (-1, (1,), 1, 2) == partition_of(plain)

    plain.heartbeat(2)

    assert (2, (2,), 2, 3) == partition_of(plain)
    assert RECOVERING == plain.partition("t").leader_recovery_state


@pytest.mark.rule("4.19", "4.5")
@pytest.mark.parametrize("value", ["true", "TRUE"])
def test_with_unclean_election_a_live_replica_leads_at_once(plain, value):
    plain.created("t", (1, 2, 3), configs={"unclean.leader.election.enable": value})
    plain.alter_partition("t", (1,))

    plain.fenced(1)

    assert (2, (2,), 1, 2) == partition_of(plain)
    assert RECOVERING == plain.partition("t").leader_recovery_state


@pytest.mark.rule("4.5")
def test_unclean_election_with_white_space_around_the_word_is_off(plain):
    """Observed of 3.9.1 and 4.3.1: the value is valid, and the election is a clean one."""
    plain.created("t", (1, 2, 3), configs={"unclean.leader.election.enable": " True "})
    plain.alter_partition("t", (1,))

    plain.fenced(1)

    assert (-1, (1,), 1, 2) == partition_of(plain)


@pytest.mark.rule("4.5")
@pytest.mark.parametrize("value", [None, "false"])
def test_unclean_election_may_be_the_clusters_default(value):
    cluster = ControllerUnderTest(KAFKA_3_9, unclean_leader_election_enable=True)
    cluster.unfenced(1, 2)
    own = {} if value is None else {"unclean.leader.election.enable": value}
    cluster.created("t", (1, 2), configs=own)
    cluster.alter_partition("t", (1,))

    cluster.fenced(1)

    assert (2 if value is None else -1) == cluster.partition("t").leader


@pytest.mark.rule("4.19")
def test_the_leader_shuts_down(plain):
    plain.created("t", (1, 2))

    plain.heartbeat(1, want_shut_down=True)

    assert (2, (2,), 1, 1) == partition_of(plain)


@pytest.mark.rule("4.19", "4.20")
def test_the_last_in_sync_shuts_down_and_the_partition_goes_offline(plain):
    plain.created("t", (1, 2))
    plain.alter_partition("t", (1,))

    plain.heartbeat(1, want_shut_down=True)

    assert (-1, (1,), 1, 2) == partition_of(plain)


@pytest.mark.rule("4.7", "4.17")
def test_before_3_6_a_follower_that_leaves_moves_the_leader_epoch():
    cluster = ControllerUnderTest(KAFKA_3_9, metadata_version=11)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))

    cluster.fenced(2)

    assert (1, (1,), 1, 1) == partition_of(cluster)


@pytest.mark.rule("4.9", "4.8")
def test_leaders_are_chosen_in_the_order_of_replicas_not_of_the_isr(plain):
    plain.created("t", (1, 2, 3))
    plain.alter_partition("t", (3, 1, 2))

    plain.fenced(1)

    assert (2, (3, 2)) == plain.leadership("t")


@pytest.mark.rule("4.3", "4.1")
def test_nobody_who_is_shutting_down_becomes_leader(plain):
    plain.created("t", (1, 2, 3))
    plain.created("u", (2, 1))
    plain.heartbeat(2, want_shut_down=True)
    assert (1, (1, 3)) == plain.leadership("t")

    plain.fenced(1)

    assert (3, (3,)) == plain.leadership("t")


@pytest.mark.rule("4.3", "4.4")
def test_a_replica_whose_directory_is_not_registered_any_more_cannot_lead(plain):
    plain.created("t", (1, 2, 3))
    plain.register(2, log_dirs=(directory_of(2, 5),))

    plain.fenced(1)

    assert 3 == plain.partition("t").leader


@pytest.mark.rule("4.37")
@pytest.mark.parametrize(("metadata_version", "version"), [(16, 0), (17, 1), (22, 1), (23, 2)])
def test_the_version_of_partition_records_follows_the_metadata_version(metadata_version, version):
    cluster = ControllerUnderTest(KAFKA_4_3, metadata_version=metadata_version)
    cluster.unfenced(1, 2)
    mark = cluster.end

    cluster.created("t", (1, 2))
    cluster.fenced(1)

    creation, fence = cluster.batches_since(mark)
    assert (0, version) == creation.versions
    assert version == fence.versions[0]


# One partition, one wish: `build` alone.

KEY = (uuid_of("t"), 0)


def rules(election=Election.ONLINE, **fields):
    return Rules(
        **{
            "metadata_version": 21,
            "elr_enabled": False,
            "min_isr": 1,
            "election": election,
            "awaits_every_replica": False,
            "directory_of": directory_of,
        }
        | fields
    )


def partition(cluster, replicas=(1, 2, 3)):
    cluster.created("built", replicas)
    return cluster.partition("built")


@pytest.mark.rule("4.7", "4.14")
def test_nothing_to_say_is_no_record(plain):
    p = partition(plain)

    assert build(KEY, p, rules(), target_isr=p.isr, acceptable=lambda r: True) is None


@pytest.mark.rule("4.10")
@pytest.mark.parametrize(
    ("live", "leader"), [((1, 2, 3), 1), ((2, 3), -2), ((3,), 3), ((), -1)], ids=str
)
def test_a_preferred_election_asks_the_first_replica_then_the_leader(plain, live, leader):
    p = partition(plain)
    led_by_2 = changed(p, PartitionChangeRecord(topic_id=KEY[0], partition_id=0, leader=2))

    record = build(
        KEY, led_by_2, rules(Election.PREFERRED), target_isr=p.isr, acceptable=lambda r: r in live
    )

    assert leader == (-2 if record is None else record.leader)


@pytest.mark.rule("4.9")
def test_an_unclean_election_prefers_who_is_in_sync(plain):
    p = partition(plain)

    record = build(
        KEY, p, rules(Election.UNCLEAN), target_isr=(3,), acceptable=lambda r: r in (2, 3)
    )

    assert (3, (3,), -1) == (record.leader, record.isr, record.leader_recovery_state)


@pytest.mark.rule("4.7", "4.11")
def test_before_3_2_there_is_no_recovery_state(plain):
    p = partition(plain)
    old = rules(Election.UNCLEAN, metadata_version=2)

    record = build(KEY, p, old, target_isr=(1,), acceptable=lambda r: r == 2)

    assert (2, (2,), -1) == (record.leader, record.isr, record.leader_recovery_state)


@pytest.mark.rule("4.7")
def test_a_replica_that_goes_moves_the_leader_epoch_though_the_leader_stays(plain):
    p = partition(plain)

    record = build(
        KEY,
        p,
        rules(),
        target_isr=(1, 2),
        assignment=replace(assignment_of(p), replicas=(1, 2)),
        acceptable=lambda r: True,
    )

    assert (1, (1, 2), (1, 2)) == (record.leader, record.isr, record.replicas)
    assert p.directories[:2] == record.directories


@pytest.mark.rule("4.38")
def test_directories_are_written_only_when_they_differ(plain):
    p = partition(plain)

    record = build(KEY, p, rules(), target_isr=(1, 2), acceptable=lambda r: True)

    assert (None, (1, 2)) == (record.directories, record.isr)


@pytest.mark.rule("4.2", "4.15", "4.16", "9.23")
def test_each_change_moves_the_partition_epoch_and_a_named_leader_the_leader_epoch(plain):
    """-1 is no leader, -2 unchanged (bug 29 of an independent implementation)."""
    p = partition(plain)
    epochs = [
        (after.leader_epoch, after.partition_epoch, after.leader)
        for leader in (-2, -1, 1, 2)
        for after in (
            changed(p, PartitionChangeRecord(topic_id=KEY[0], partition_id=0, leader=leader)),
        )
    ]

    assert [(0, 1, 1), (1, 1, -1), (1, 1, 1), (1, 1, 2)] == epochs


@pytest.mark.rule("4.4", "4.39")
def test_directories_of_new_replicas(plain):
    plain.register(2, log_dirs=(directory_of(2), directory_of(2, 1)))
    plain.created("t", (1, 2))

    assert (directory_of(1), UNASSIGNED_DIRECTORY) == plain.partition("t").directories
    assert LOST_DIRECTORY not in plain.partition("t").directories
