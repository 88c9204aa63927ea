"""Who is heard of, and what follows when nobody is: rules 2.33 to 2.49."""

import pytest

from kraftsim.controller.core.leases import RAN_OUT_MAX, Leases
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, KIP_631
from kraftsim.controller.node.active import EXPIRY_RECORDS_MAX
from tests.builders import ControllerUnderTest
from tests.profiles import EACH_PROFILE


@pytest.mark.rule("2.34", "2.36", "9.13", "9.14")
def test_in_3_9_a_lease_ends_exactly_one_session_after_the_heartbeat_arrived():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.at_ms(700)
    cluster.unfenced(1)

    cluster.at_ms(9_700)
    assert not cluster.is_fenced(1)
    cluster.at_ms(9_701)
    assert cluster.is_fenced(1)


@pytest.mark.rule("2.34", "2.41", "9.14")
def test_in_3_9_leases_that_ended_unseen_end_with_the_first_contact():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1)
    cluster.unfenced(2)
    cluster.fail_over()
    claimed_ms = cluster.timeline.now_ms
    cluster.at_ms(claimed_ms + 9_001)
    assert not cluster.is_fenced(2)

    cluster.register(1)
    cluster.at_ms(claimed_ms + 9_001)

    assert cluster.is_fenced(2)


@pytest.mark.rule("2.34", "9.14")
def test_in_kip_631_a_session_is_18_s():
    cluster = ControllerUnderTest(KIP_631)
    cluster.unfenced(1)

    cluster.at_ms(18_000)
    assert not cluster.is_fenced(1)
    cluster.at_ms(18_001)
    assert cluster.is_fenced(1)


@pytest.mark.rule("2.46", "2.47", "9.13", "9.14")
def test_in_4_3_leases_are_examined_eight_times_a_session():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1)

    cluster.at_ms(10_124)
    assert not cluster.is_fenced(1)  # over since 9,001; examined at 9,000 and at 10,125
    cluster.at_ms(10_125)
    assert cluster.is_fenced(1)


@pytest.mark.rule("2.46", "2.47")
def test_in_4_3_a_lease_that_ends_at_an_examination_survives_it():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.at_ms(1_125)
    cluster.unfenced(1)

    cluster.at_ms(10_125)
    assert not cluster.is_fenced(1)
    cluster.at_ms(11_250)
    assert cluster.is_fenced(1)


@EACH_PROFILE
@pytest.mark.parametrize("session_ms", [0, -1, -9_000])
@pytest.mark.rule("7.5")
def test_without_a_session_a_lease_expires_at_the_next_check(profile, session_ms):
    """A released 4.3.1 fences a broker of such a session soon after each heartbeat."""
    cluster = ControllerUnderTest(profile, broker_session_timeout_ms=session_ms)

    for at_ms in (100, 2_100):
        cluster.at_ms(at_ms)
        if at_ms == 100:
            cluster.register(1)
        assert not cluster.heartbeat(1).is_fenced
        cluster.at_ms(at_ms + 2)
        assert cluster.is_fenced(1)

    cluster.at_ms(4_000)
    assert 0 == cluster.register(1, "second").error_code, "no session refuses another process"


@EACH_PROFILE
@pytest.mark.rule("2.33", "2.35")
def test_a_broker_that_is_heard_of_is_never_fenced(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    mark = cluster.end

    cluster.keep_alive(1, during="60s", every="9s")

    assert [] == cluster.records_since(mark)


@EACH_PROFILE
@pytest.mark.rule("2.36", "2.47", "4.12", "4.13")
def test_two_leases_that_end_in_one_instant_are_fenced_one_by_one(profile):
    """Each in a batch of its own, on what the other left."""
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    mark = cluster.end

    cluster.run_for("12s")

    first, second = cluster.batches_since(mark)
    assert [cluster.change("t", isr=(2,), leader=2), cluster.fence_record(1)] == list(first.records)
    with_elr = {"isr": (), "eligible_leader_replicas": (2,), "last_known_elr": (2,)}
    offline = cluster.change("t", leader=-1, **(with_elr if profile is not KAFKA_3_9 else {}))
    assert [offline, cluster.fence_record(2)] == list(second.records)
    assert first.timestamp_ms == second.timestamp_ms


@pytest.mark.rule("4.25", "4.13")
def test_two_leases_that_end_in_one_instant_leave_whom_the_min_isr_asks_for():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2), configs={"min.insync.replicas": "2"})

    cluster.run_for("12s")

    partition = cluster.partition("t")
    assert ((), (1, 2), (2,)) == (partition.isr, partition.elr, partition.last_known_elr)


@EACH_PROFILE
@pytest.mark.rule("2.36", "2.47")
def test_leases_that_end_together_are_fenced_in_steps_of_few_records(profile):
    """In virtual time at one instant; heartbeats of a living controller are served in between."""
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(*range(1, 11))
    cluster.created("t", num_partitions=900, replication_factor=3)
    written, mark = [], cluster.end
    cluster.hosted.step_listeners.append(
        lambda _, turn: written.append(sum(len(batch.records) for batch in turn.persist))
    )

    cluster.run_for("12s")

    of_one = max(len(batch.records) for batch in cluster.batches_since(mark))
    assert max(written) < EXPIRY_RECORDS_MAX + of_one
    assert 1 < sum(count > 1 for count in written)
    assert all(cluster.is_fenced(broker_id) for broker_id in range(1, 11))
    assert 1 == len({batch.timestamp_ms for batch in cluster.batches_since(mark)})


def test_who_is_told_to_have_lost_a_lease_is_forgotten_at_some_time():
    leases = Leases(KAFKA_4_3, 9_000)
    for broker_id in range(RAN_OUT_MAX + 1):
        leases.registered(broker_id, 7, fenced=False, amends=False, now_ms=0)
        leases.note_contact(broker_id, 7, 0)
        leases.expired(broker_id)

    assert RAN_OUT_MAX == len(leases.ran_out)
    assert 0 not in leases.ran_out


@EACH_PROFILE
@pytest.mark.rule("2.36")
def test_who_was_heard_of_longest_ago_is_fenced_first(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2, 3)
    cluster.run_for("100ms")
    cluster.heartbeat(2)
    cluster.run_for("100ms")
    cluster.heartbeat(1)
    mark = cluster.end

    cluster.run_for("12s")

    fenced = [record.broker_id for record in cluster.records_since(mark)]
    assert [3, 2, 1] == fenced


@pytest.mark.rule("2.38", "2.47")
def test_in_4_3_a_fenced_broker_that_was_heard_of_is_fenced_once_more():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.registered(1)
    cluster.heartbeat(1, want_fence=True)
    mark = cluster.end

    cluster.at_ms(10_124)
    assert [] == cluster.records_since(mark)
    cluster.at_ms(10_125)
    assert [cluster.fence_record(1)] == cluster.records_since(mark)
    cluster.run_for("30s")
    assert [cluster.fence_record(1)] == cluster.records_since(mark)


@pytest.mark.rule("2.38", "2.47")
def test_in_4_3_a_new_incarnation_has_no_contact_of_the_former_one():
    """A session lasts 9 s, and the next examination is after 10.125 s."""
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1)
    cluster.at_ms(9_100)
    cluster.registered(1, incarnation="second")
    mark = cluster.end

    cluster.run_for("30s")

    assert [] == cluster.records_since(mark)


@pytest.mark.rule("2.38")
def test_in_4_3_a_broker_that_finished_its_shutdown_is_fenced_once_more():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1)
    mark = cluster.end
    assert cluster.heartbeat(1, want_shut_down=True).should_shut_down

    cluster.run_for("30s")

    assert [cluster.fence_record(1)] * 2 == cluster.records_since(mark)


@pytest.mark.rule("2.38", "2.48")
def test_in_4_3_a_broker_that_was_never_heard_of_is_not_fenced_again():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.registered(1)
    cluster.registered(2)
    cluster.heartbeat(2, want_fence=True)
    cluster.fail_over()
    mark = cluster.end

    cluster.run_for("30s")

    assert [] == cluster.records_since(mark)


@pytest.mark.rule("2.38")
def test_in_3_9_a_fenced_broker_has_no_lease_to_lose():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.registered(1)
    cluster.heartbeat(1, want_fence=True)
    mark = cluster.end

    cluster.run_for("30s")

    assert [] == cluster.records_since(mark)


@EACH_PROFILE
@pytest.mark.rule("2.38", "2.48")
def test_whose_lease_was_not_there_to_lose_is_not_said_to_have_lost_it(profile):
    """Or the next fence, which it wishes for, is told to be one for its silence."""
    cluster = ControllerUnderTest(profile)
    cluster.registered(1)
    cluster.heartbeat(1, want_fence=True)

    cluster.run_for("30s")

    assert {} == cluster.node.leases.ran_out


@EACH_PROFILE
@pytest.mark.rule("2.39")
def test_a_broker_in_controlled_shutdown_has_a_lease_like_any_other(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)

    cluster.keep_alive(2, during="12s")

    assert cluster.is_fenced(1)
    assert not cluster.node.leases.liveness[1].is_shutting_down


@EACH_PROFILE
@pytest.mark.rule("2.40", "2.48", "9.15")
def test_a_new_active_controller_grants_a_whole_session(profile):
    """Not an instant fence for want of news (bug 7 of an independent implementation)."""
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.run_for("8s")

    cluster.fail_over()

    cluster.heartbeat(2)
    cluster.run_for("9s")
    assert not cluster.is_fenced(1)
    cluster.run_for("1126ms")
    assert cluster.is_fenced(1)


@pytest.mark.rule("2.41", "0A.12")
def test_in_3_9_a_new_controller_that_nobody_contacts_fences_nobody():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1, 2)
    cluster.fail_over()

    cluster.run_for("60s")
    assert not cluster.is_fenced(1)
    cluster.heartbeat(2)
    cluster.run_for("1ms")
    assert cluster.is_fenced(1)


@pytest.mark.rule("2.49", "2.48")
def test_in_4_3_a_new_controller_that_nobody_contacts_fences_all():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.fail_over()

    cluster.run_for("10125ms")

    assert cluster.is_fenced(1)
    assert cluster.is_fenced(2)


@pytest.mark.rule("2.40", "2.43")
def test_a_new_controller_knows_of_no_offset_until_everybody_reported():
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    cluster.fail_over()
    cluster.created("u", (3,))

    assert cluster.node.leases.lowest_active_offset() == -1
    cluster.heartbeat(2)
    assert cluster.node.leases.lowest_active_offset() == -1
    cluster.heartbeat(1)
    cluster.heartbeat(3)
    assert cluster.node.leases.lowest_active_offset() > 0


@EACH_PROFILE
@pytest.mark.rule("2.15")
def test_with_nobody_active_the_lowest_offset_is_infinite(profile):
    cluster = ControllerUnderTest(profile)
    cluster.registered(1)

    assert cluster.node.leases.lowest_active_offset() == float("inf")


@EACH_PROFILE
@pytest.mark.rule("2.33")
def test_a_lease_is_nothing_that_the_log_tells(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    image = cluster.image.copy()

    cluster.run_for("400ms")
    cluster.heartbeat(1)

    assert cluster.image == image
    assert cluster.node.leases.contact_ms(1) == 400
