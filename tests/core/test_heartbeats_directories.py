"""What a heartbeat says of its directories: rules 2.24 and 2.30 to 2.32a."""

import pytest

from kraftsim.controller.core.profile import KAFKA_3_9
from tests.builders import ControllerUnderTest, directory_of
from tests.profiles import EACH_PROFILE


@pytest.mark.rule("2.24")
def test_a_registration_change_is_written_in_the_lowest_version_that_holds_it():
    cluster = ControllerUnderTest()
    dirs = (directory_of(1), directory_of(1, 1))
    cluster.unfenced(2)
    cluster.unfenced(1, log_dirs=dirs)
    cluster.created("t", (1, 2))
    mark = cluster.end

    cluster.heartbeat(1, cordoned_log_dirs=())
    cluster.heartbeat(1, offline_log_dirs=dirs[:1])
    cluster.heartbeat(1, want_shut_down=True)
    cluster.fenced(2)

    versions = [batch.versions[0] for batch in cluster.batches_since(mark)[:-1]]
    assert [3, 2, 1] == versions
    assert 0 == cluster.batches_since(mark)[-1].versions[-1]


@EACH_PROFILE
@pytest.mark.rule("2.30", "2.31")
def test_a_directory_that_goes_offline_costs_its_replicas_once(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(2)
    cluster.registered(1)
    cluster.heartbeat(1)
    cluster.created("t", (1, 2))
    lost, kept = directory_of(1), directory_of(1, 1)
    cluster.register(1, log_dirs=(lost, kept))
    mark = cluster.end

    cluster.heartbeat(1, offline_log_dirs=(lost, directory_of(9)))

    assert [
        cluster.change("t", isr=(2,), leader=2),
        cluster.registration_change(1, log_dirs=(kept,)),
    ] == cluster.records_since(mark)
    assert not cluster.is_fenced(1)
    mark = cluster.end
    cluster.heartbeat(1, offline_log_dirs=(lost,))
    assert [] == cluster.records_since(mark)
    assert lost not in cluster.image.directories


@EACH_PROFILE
@pytest.mark.rule("2.30")
def test_a_lost_directory_costs_no_replica_of_another_directory(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    lost, kept = directory_of(1, 1), directory_of(1)
    cluster.register(1, log_dirs=(lost, kept))

    written = cluster.writes(lambda: cluster.heartbeat(1, offline_log_dirs=(lost,)))

    assert [cluster.registration_change(1, log_dirs=(kept,))] == written


@EACH_PROFILE
@pytest.mark.rule("2.30")
def test_a_lost_directory_elects_for_its_leaderless_partitions(profile):
    """Recorded of 4.3.1: broker 1 registers its directory anew and can lead, broker 2 loses its."""
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.created("elsewhere", (1,))
    cluster.alter_partition("t", (1,))
    cluster.heartbeat(1, offline_log_dirs=(directory_of(1),))
    cluster.register(1)
    assert -1 == cluster.partition("t").leader == cluster.partition("elsewhere").leader

    *changes, _ = cluster.writes(lambda: cluster.heartbeat(2, offline_log_dirs=(directory_of(2),)))

    from_elr = {"isr": (1,), "eligible_leader_replicas": (), "last_known_elr": ()}
    fields = from_elr if profile is not KAFKA_3_9 else {}
    assert [cluster.change("t", leader=1, **fields)] == changes


@EACH_PROFILE
@pytest.mark.rule("2.31")
def test_a_directory_nobody_registered_is_ignored(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)

    assert [] == cluster.writes(lambda: cluster.heartbeat(1, offline_log_dirs=(directory_of(9),)))


@EACH_PROFILE
@pytest.mark.rule("2.30", "2.32")
def test_when_all_directories_go_offline_the_registry_keeps_the_old_list(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    lost = (directory_of(1),)

    for _ in range(2):
        mark = cluster.end
        cluster.heartbeat(1, offline_log_dirs=lost)
        (batch,) = cluster.batches_since(mark)
        assert ((cluster.registration_change(1),), (2,)) == (batch.records, batch.versions)
    assert lost == cluster.broker(1).log_dirs


@pytest.mark.rule("2.30")
def test_before_3_7_offline_directories_are_ignored():
    cluster = ControllerUnderTest(KAFKA_3_9, metadata_version=16)
    cluster.unfenced(1)

    assert [] == cluster.writes(lambda: cluster.heartbeat(1, offline_log_dirs=(directory_of(1),)))


@pytest.mark.rule("2.32a", "2.24")
def test_a_list_of_cordoned_directories_is_written_when_it_differs():
    cluster = ControllerUnderTest()
    cluster.registered(1)
    dirs = (directory_of(1),)
    mark = cluster.end

    for cordoned in (None, (), (), dirs, dirs, ()):
        reply = cluster.heartbeat(1, want_fence=True, cordoned_log_dirs=cordoned)
        assert (0, True) == (reply.error_code, reply.is_fenced)

    changes = [cluster.registration_change(1, cordoned_log_dirs=c) for c in ((), dirs, ())]
    assert changes == cluster.records_since(mark)


@pytest.mark.rule("2.32a")
def test_cordoned_directories_are_compared_as_sets():
    cluster = ControllerUnderTest()
    dirs = (directory_of(1), directory_of(1, 1))
    cluster.registered(1, log_dirs=dirs)
    cluster.heartbeat(1, want_fence=True, cordoned_log_dirs=dirs)
    mark = cluster.end

    for same in (dirs[::-1], (*dirs, dirs[0])):
        cluster.heartbeat(1, want_fence=True, cordoned_log_dirs=same)

    assert [] == cluster.records_since(mark)


@pytest.mark.rule("2.32a")
def test_below_4_3_a_list_of_cordoned_directories_is_ignored():
    cluster = ControllerUnderTest(metadata_version=29)
    cluster.unfenced(1)

    assert [] == cluster.writes(lambda: cluster.heartbeat(1, cordoned_log_dirs=()))
