"""The life between registering and leaving: rules 2.7 to 2.32a, row by row of table 2.12."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.records import (
    FenceBrokerRecord,
    RegisterBrokerRecord,
    UnfenceBrokerRecord,
)
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from tests.builders import ControllerUnderTest, registration
from tests.profiles import EACH_PROFILE


def flags(reply):
    return reply.is_caught_up, reply.is_fenced, reply.should_shut_down


@EACH_PROFILE
@pytest.mark.rule("2.7")
def test_a_heartbeat_of_a_stranger_is_stale_and_changes_nothing(profile):
    """102 is what an independent implementation answered (its bug 8)."""
    cluster = ControllerUnderTest(profile)
    before = cluster.everything()
    request = BrokerHeartbeatRequest(
        broker_id=10, broker_epoch=1, current_metadata_offset=99, want_fence=False,
        want_shut_down=False,
    )  # fmt: skip

    refusal = cluster.ask(request)

    assert ErrorCode.STALE_BROKER_EPOCH == refusal.code
    assert "Receive a heartbeat from broker 10 before registration" == refusal.message
    assert before == cluster.everything()


@EACH_PROFILE
@pytest.mark.rule("2.8", "9.8")
@pytest.mark.parametrize("error", [-1, 1], ids=["lower", "higher"])
@pytest.mark.parametrize("wish", ["nothing", "want_fence", "want_shut_down"])
def test_a_stale_epoch_is_refused_and_changes_nothing(profile, error, wish):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    cluster.created("t", (1,))
    cluster.run_for("5s")
    epoch, before = cluster.broker(1).broker_epoch, cluster.everything()
    wishes = {} if wish == "nothing" else {wish: True}

    refusal = cluster.heartbeat(1, epoch=epoch + error, **wishes)

    assert ErrorCode.STALE_BROKER_EPOCH == refusal.code
    assert f"Expected broker epoch {epoch}, but got broker epoch {epoch + error}" == refusal.message
    assert before == cluster.everything()


@EACH_PROFILE
@pytest.mark.rule("2.8", "9.8", "9.13")
def test_a_superseded_incarnation_keeps_no_lease_alive(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    epoch = cluster.broker(1).broker_epoch

    for _ in range(6):
        cluster.run_for("2s")
        cluster.heartbeat(1, epoch=epoch + 1)

    assert cluster.is_fenced(1)


@EACH_PROFILE
@pytest.mark.rule("2.12", "2.18", "2.19", "2.2a")
def test_fenced_until_it_has_caught_up_with_its_own_registration(profile):
    cluster = ControllerUnderTest(profile)
    cluster.registered(1)
    register_offset = cluster.broker(1).register_offset
    cluster.run_for("3s")

    mark = cluster.end
    behind = cluster.heartbeat(1, offset=register_offset - 1)
    assert (False, True, False) == flags(behind)
    assert [] == cluster.records_since(mark)
    caught_up = cluster.heartbeat(1, offset=register_offset)
    assert (True, False, False) == flags(caught_up)
    assert [cluster.unfence_record(1)] == cluster.records_since(mark)


@EACH_PROFILE
@pytest.mark.rule("2.12", "1.28")
def test_the_epoch_is_not_what_a_broker_must_catch_up_with(profile):
    cluster = ControllerUnderTest(profile)
    cluster.registered(1)
    epoch = cluster.broker(1).broker_epoch
    cluster.register(1)

    assert (False, True, False) == flags(cluster.heartbeat(1, offset=epoch))


@EACH_PROFILE
@pytest.mark.rule("2.12", "2.18")
def test_a_fenced_broker_that_wants_to_be_fenced_stays_so(profile):
    cluster = ControllerUnderTest(profile)
    cluster.registered(1)
    mark = cluster.end

    assert (True, True, False) == flags(cluster.heartbeat(1, want_fence=True))
    assert [] == cluster.records_since(mark)


@EACH_PROFILE
@pytest.mark.rule("2.12", "2.17", "2.18")
@pytest.mark.parametrize("want_fence", [False, True])
def test_a_fenced_broker_that_wants_to_leave_is_fenced_once_more_each_time(profile, want_fence):
    cluster = ControllerUnderTest(profile)
    cluster.registered(1)
    mark = cluster.end

    for _ in range(3):
        reply = cluster.heartbeat(1, want_shut_down=True, want_fence=want_fence)
        assert (True, True, True) == flags(reply)

    assert [cluster.fence_record(1)] * 3 == cluster.records_since(mark)


@EACH_PROFILE
@pytest.mark.rule("2.12")
def test_a_serving_broker_that_wants_nothing_writes_nothing(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    mark = cluster.end

    assert (True, False, False) == flags(cluster.heartbeat(1))
    assert (False, False, False) == flags(cluster.heartbeat(1, offset=0))
    assert [] == cluster.records_since(mark)


@EACH_PROFILE
@pytest.mark.rule("2.12", "2.21")
@pytest.mark.parametrize("want_shut_down", [False, True])
def test_a_serving_broker_that_wants_to_be_fenced_leaves_the_isrs_first(profile, want_shut_down):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2), (2, 1))
    mark = cluster.end

    reply = cluster.heartbeat(1, want_fence=True, want_shut_down=want_shut_down)

    assert (True, True, want_shut_down) == flags(reply)
    (batch,) = cluster.batches_since(mark)
    assert [
        cluster.change("t", 0, isr=(2,), leader=2),
        cluster.change("t", 1, isr=(2,)),
        cluster.fence_record(1),
    ] == list(batch.records)


@EACH_PROFILE
@pytest.mark.rule("2.12", "2.16", "2.21")
def test_a_broker_that_leads_nothing_may_leave_at_once(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (2, 1))
    mark = cluster.end

    assert (True, True, True) == flags(cluster.heartbeat(1, want_shut_down=True))
    assert [
        cluster.change("t", isr=(2,)),
        cluster.fence_record(1),
    ] == cluster.records_since(mark)
    assert (True, False) == (cluster.is_fenced(1), cluster.broker(1).in_controlled_shutdown)


@EACH_PROFILE
@pytest.mark.rule("2.12", "2.14", "2.15", "2.23", "2.28", "9.16")
def test_a_leader_gives_its_leaderships_away_and_waits_for_the_others_to_see_it(profile):
    """Not at once, as an independent implementation did it (its bug 4)."""
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2), (2, 1))
    mark = cluster.end

    assert (True, False, False) == flags(cluster.heartbeat(1, want_shut_down=True))
    assert [
        cluster.shutdown_record(1),
        cluster.change("t", 0, isr=(2,), leader=2),
        cluster.change("t", 1, isr=(2,)),
    ] == cluster.records_since(mark)
    last = cluster.end - 1
    assert last == cluster.node.leases.liveness[1].controlled_shutdown_offset

    cluster.heartbeat(2, offset=last - 1)
    assert not cluster.heartbeat(1, want_shut_down=True).should_shut_down
    cluster.heartbeat(2, offset=last)
    mark = cluster.end
    assert (True, True, True) == flags(cluster.heartbeat(1, want_shut_down=True))
    assert [cluster.fence_record(1)] == cluster.records_since(mark)


@EACH_PROFILE
@pytest.mark.rule("2.28")
def test_the_offset_of_a_controlled_shutdown_does_not_move(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    offset = cluster.node.leases.liveness[1].controlled_shutdown_offset

    cluster.run_for("2s")
    cluster.heartbeat(1, want_shut_down=True)

    assert offset == cluster.node.leases.liveness[1].controlled_shutdown_offset


@EACH_PROFILE
@pytest.mark.rule("2.11", "2.12", "2.13")
def test_there_is_no_way_back_from_a_controlled_shutdown(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    mark = cluster.end

    for wishes in ({}, {"want_fence": True}, {"want_shut_down": True}):
        assert (True, False, False) == flags(cluster.heartbeat(1, **wishes))
    assert [] == cluster.records_since(mark)
    cluster.heartbeat(2)
    assert cluster.heartbeat(1).should_shut_down


@EACH_PROFILE
@pytest.mark.rule("2.12", "2.15", "4.20")
def test_the_last_broker_may_leave_with_its_second_wish(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    cluster.created("t", (1,))

    assert not cluster.heartbeat(1, want_shut_down=True).should_shut_down
    assert -1 == cluster.partition("t").leader
    assert cluster.heartbeat(1, want_shut_down=True).should_shut_down


@EACH_PROFILE
@pytest.mark.rule("2.29", "2.15", "2.43")
def test_a_broker_just_unfenced_holds_up_the_shutdown_of_others(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.registered(3)
    cluster.heartbeat(1, want_shut_down=True)
    cluster.heartbeat(2)

    cluster.heartbeat(3)
    assert -1 == cluster.node.leases.liveness[3].metadata_offset
    assert not cluster.heartbeat(1, want_shut_down=True).should_shut_down
    cluster.heartbeat(3)
    assert cluster.heartbeat(1, want_shut_down=True).should_shut_down


@EACH_PROFILE
@pytest.mark.rule("2.25", "2.16", "9.17", "4.1")
def test_a_broker_that_goes_on_after_its_shutdown_is_unfenced_but_inactive(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    cluster.heartbeat(2)
    cluster.heartbeat(1, want_shut_down=True)
    mark = cluster.end

    assert (True, False, False) == flags(cluster.heartbeat(1))
    assert [cluster.unfence_record(1)] == cluster.records_since(mark)
    assert (False, True) == (cluster.is_fenced(1), cluster.broker(1).in_controlled_shutdown)
    assert not cluster.image.is_active(1)
    cluster.created("u", (2, 1))
    assert (2, (2,)) == cluster.leadership("u")


@EACH_PROFILE
@pytest.mark.rule("2.42", "2.23")
def test_after_a_failover_a_shutdown_begins_again_without_its_flag(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    cluster.fail_over()
    assert not cluster.node.leases.liveness[1].is_shutting_down
    mark = cluster.end

    assert (True, True, True) == flags(cluster.heartbeat(1, want_shut_down=True))
    assert [cluster.fence_record(1)] == cluster.records_since(mark)


@EACH_PROFILE
@pytest.mark.rule("2.22", "4.21", "2.27")
def test_a_fenced_broker_comes_back_with_its_epoch_and_into_no_isr(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    epoch = cluster.broker(1).broker_epoch
    cluster.keep_alive(2, during="12s")
    mark = cluster.end

    cluster.heartbeat(1)

    assert [cluster.unfence_record(1)] == cluster.records_since(mark)
    assert epoch == cluster.broker(1).broker_epoch
    assert (2, (2,)) == cluster.leadership("t")


@EACH_PROFILE
@pytest.mark.rule("2.12", "2.27")
def test_a_broker_whose_session_ran_out_stays_fenced_while_it_is_behind(profile):
    """Bug 1 of an independent implementation: it was electable at once."""
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    cluster.run_for("12s")

    assert (False, True, False) == flags(cluster.heartbeat(1, offset=0))
    assert cluster.is_fenced(1)


@EACH_PROFILE
@pytest.mark.rule("2.21", "2.22")
def test_before_3_3_fences_have_records_of_their_own(profile):
    cluster = ControllerUnderTest(profile, metadata_version=5)
    cluster.registered(1)
    epoch, mark = cluster.broker(1).broker_epoch, cluster.end

    cluster.heartbeat(1)
    cluster.heartbeat(1, want_fence=True)

    assert [
        UnfenceBrokerRecord(id=1, epoch=epoch),
        FenceBrokerRecord(id=1, epoch=epoch),
    ] == cluster.records_since(mark)


@EACH_PROFILE
@pytest.mark.rule("2.23")
def test_before_3_3_a_controlled_shutdown_has_no_flag(profile):
    cluster = ControllerUnderTest(profile, metadata_version=6)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    mark = cluster.end

    cluster.heartbeat(1, want_shut_down=True)

    assert [cluster.change("t", isr=(2,), leader=2)] == cluster.records_since(mark)
    assert cluster.image.is_active(1)


@EACH_PROFILE
@pytest.mark.rule("2.2")
def test_an_error_reads_as_fenced(profile):
    assert (False, True, False) == flags(BrokerHeartbeatResponse(error_code=77))


@EACH_PROFILE
@pytest.mark.rule("2.9", "9.12")
def test_records_of_a_life_in_order(profile):
    cluster = ControllerUnderTest(profile)
    mark = cluster.end

    cluster.accepted(registration(1))
    cluster.heartbeat(1, want_fence=True)
    cluster.heartbeat(1)
    cluster.heartbeat(1)
    cluster.heartbeat(1, want_shut_down=True)

    register, *others = cluster.records_since(mark)
    assert isinstance(register, RegisterBrokerRecord)
    assert [cluster.unfence_record(1), cluster.fence_record(1)] == others


@EACH_PROFILE
@pytest.mark.rule("2.23", "2.25", "2.22")
def test_the_flag_of_a_controlled_shutdown_is_written_once_an_epoch(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    cluster.created("t", (1,))
    cluster.heartbeat(1, want_shut_down=True)
    assert cluster.heartbeat(1, want_shut_down=True).should_shut_down
    cluster.heartbeat(1)
    assert (1, (1,)) == cluster.leadership("t")

    written = cluster.writes(lambda: cluster.heartbeat(1, want_shut_down=True))

    assert ["PartitionChangeRecord"] == [type(r).__name__ for r in written]
    assert -1 == cluster.partition("t").leader
