"""Who holds an id: incarnations, epochs and what the last one left (sections 1C to 1E)."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.records import RegisterBrokerRecord
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3
from kraftsim.controller.core.rpc import BrokerRegistrationResponse
from tests.builders import ControllerUnderTest, directory_of, listener, registration
from tests.profiles import EACH_PROFILE


@EACH_PROFILE
@pytest.mark.rule("1.25", "1.26", "1.40", "1.41", "9.4", "9.11")
def test_a_new_incarnation_gets_the_next_offset_as_its_epoch_and_starts_fenced(profile):
    cluster = ControllerUnderTest(profile)
    mark = cluster.end

    reply = cluster.register(1, rack="a")

    assert BrokerRegistrationResponse(broker_epoch=mark) == reply
    (record,) = cluster.records_since(mark)
    assert isinstance(record, RegisterBrokerRecord)
    assert (mark, True, False, "a") == (
        record.broker_epoch,
        record.fenced,
        record.in_controlled_shutdown,
        record.rack,
    )
    assert (directory_of(1),) == record.log_dirs
    assert [("PLAINTEXT", "broker.test", 9092, 0)] == [
        (e.name, e.host, e.port, e.security_protocol) for e in record.end_points
    ]
    assert mark == cluster.broker(1).register_offset


@EACH_PROFILE
@pytest.mark.rule("1.29", "9.1")
def test_epochs_grow_across_ids_and_incarnations(profile):
    cluster = ControllerUnderTest(profile)

    epochs = [cluster.register(b, i).broker_epoch for i in ("x", "y") for b in (2, 1, 3)]

    assert sorted(set(epochs)) == epochs


@EACH_PROFILE
@pytest.mark.rule("1.27", "1.28", "9.2")
def test_the_same_incarnation_again_keeps_its_epoch_and_moves_the_register_offset(profile):
    cluster = ControllerUnderTest(profile)
    epoch = cluster.register(1).broker_epoch
    mark = cluster.end

    again = cluster.register(1, listeners=(listener(port=1234),), rack="b")

    assert epoch == again.broker_epoch
    assert [RegisterBrokerRecord] == [type(r) for r in cluster.records_since(mark)]
    broker = cluster.broker(1)
    assert (epoch, mark, True) == (broker.broker_epoch, broker.register_offset, broker.fenced)
    assert (1234, "b") == (broker.listeners[0].port, broker.rack)
    behind = cluster.heartbeat(1, offset=mark - 1)
    assert (False, True) == (behind.is_caught_up, behind.is_fenced)


@EACH_PROFILE
@pytest.mark.rule("1.27")
def test_the_same_incarnation_again_keeps_a_broker_serving(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    cluster.created("t", (1,))

    written = cluster.writes(lambda: cluster.register(1))

    assert [RegisterBrokerRecord] == [type(r) for r in written]
    assert not cluster.is_fenced(1)
    assert (1, (1,)) == cluster.leadership("t")


@EACH_PROFILE
@pytest.mark.rule("1.27", "2.25", "9.17")
def test_the_same_incarnation_again_keeps_the_shutdown_flag_but_not_the_soft_state(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    assert cluster.node.leases.liveness[1].is_shutting_down

    cluster.register(1)

    assert cluster.broker(1).in_controlled_shutdown
    assert not cluster.node.leases.liveness[1].is_shutting_down


@EACH_PROFILE
@pytest.mark.rule("1.32", "1.42")
def test_the_same_incarnation_again_forgets_the_offset_that_was_reported(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    cluster.heartbeat(1)
    assert cluster.node.leases.lowest_active_offset() > 0

    cluster.register(1)

    assert cluster.node.leases.lowest_active_offset() == -1


@pytest.mark.rule("1.32")
def test_in_3_9_the_same_incarnation_again_renews_the_lease():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1)

    cluster.run_for("8s")
    cluster.register(1)
    cluster.run_for("9s")
    assert not cluster.is_fenced(1)
    cluster.run_for("1ms")
    assert cluster.is_fenced(1)


@EACH_PROFILE
@pytest.mark.rule("1.10", "1.11", "1.12", "9.7")
def test_another_incarnation_inside_a_live_lease_is_refused_and_changes_nothing(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    cluster.run_for("9s")
    before = cluster.everything()

    refusal = cluster.register(1, "second")

    assert ErrorCode.DUPLICATE_BROKER_REGISTRATION == refusal.code
    assert refusal.message.startswith("Another broker is registered with that broker id.")
    assert before == cluster.everything()


@pytest.mark.rule("1.12")
@pytest.mark.parametrize(
    ("profile", "text"),
    [
        (KAFKA_3_9, "Another broker is registered with that broker id."),
        (
            KAFKA_4_3,
            "Another broker is registered with that broker id. If the broker was recently "
            "restarted this should self-resolve once the heartbeat manager expires the broker's "
            "session.",
        ),
    ],
    ids=["3.9", "4.3"],
)
def test_the_refusal_of_a_second_incarnation_reads_as_in_that_release(profile, text):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)

    assert text == cluster.register(1, "second").message


@pytest.mark.rule("1.11")
def test_in_3_9_a_fenced_broker_that_just_heartbeated_is_replaced_at_once():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.registered(1)
    cluster.heartbeat(1, want_fence=True)

    assert cluster.register(1, "second").broker_epoch > 0


@pytest.mark.rule("1.12")
def test_in_4_3_a_fenced_broker_that_just_heartbeated_holds_its_id_until_its_contact_is_over():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.registered(1)
    cluster.heartbeat(1, want_fence=True)
    request = registration(1, "second")

    cluster.run_for("9s")
    assert ErrorCode.DUPLICATE_BROKER_REGISTRATION == cluster.refused(request)
    cluster.run_for("1ms")
    assert cluster.accepted(request).broker_epoch > 0


@EACH_PROFILE
@pytest.mark.rule("1.12", "1.11")
def test_a_broker_that_never_heartbeated_is_replaced_at_once(profile):
    cluster = ControllerUnderTest(profile)
    cluster.registered(1)

    assert cluster.register(1, "second").broker_epoch == cluster.broker(1).register_offset


@EACH_PROFILE
@pytest.mark.rule("1.11", "1.12a")
def test_a_broker_in_controlled_shutdown_holds_its_id(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    before = cluster.everything()

    refused = cluster.refused(registration(1, "second"))

    assert ErrorCode.DUPLICATE_BROKER_REGISTRATION == refused
    assert before == cluster.everything()
    assert cluster.broker(1).in_controlled_shutdown


@pytest.mark.rule("1.12a")
def test_in_4_3_a_broker_that_finished_its_shutdown_holds_its_id_until_its_contact_is_over():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    cluster.heartbeat(2)
    assert cluster.heartbeat(1, want_shut_down=True).should_shut_down
    request = registration(1, "second")

    assert ErrorCode.DUPLICATE_BROKER_REGISTRATION == cluster.refused(request)
    cluster.run_for("9001ms")
    assert cluster.accepted(request).broker_epoch > 0


@EACH_PROFILE
@pytest.mark.rule("1.26", "1.32")
def test_a_new_incarnation_starts_without_the_old_ones_past(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    cluster.run_for("11s")

    cluster.register(1, "second")

    broker, liveness = cluster.broker(1), cluster.node.leases.liveness[1]
    assert (True, False) == (broker.fenced, broker.in_controlled_shutdown)
    assert (True, -1, False) == (
        liveness.fenced,
        liveness.metadata_offset,
        liveness.is_shutting_down,
    )


@pytest.mark.rule("1.37", "1.30", "4.28")
def test_in_4_3_an_unclean_new_incarnation_leaves_every_elr_before_it_registers():
    """Golden 4.3.1, offsets 443 to 445."""
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("t", (2,), (2,), (1,))
    cluster.keep_alive(1, during="12s")
    assert (2,) == cluster.partition("t", 0).elr
    mark = cluster.end

    reply = cluster.register(2, "second")

    (batch,) = cluster.batches_since(mark)
    *changes, record = batch.records
    assert [cluster.change("t", p, eligible_leader_replicas=()) for p in (0, 1)] == changes
    assert (mark, mark) == (reply.broker_epoch, record.broker_epoch)
    assert mark + 2 == cluster.broker(2).register_offset


@pytest.mark.rule("1.37")
def test_in_4_3_a_clean_new_incarnation_stays_eligible():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("t", (2,))
    epoch = cluster.broker(2).broker_epoch
    cluster.keep_alive(1, during="12s")

    written = cluster.writes(lambda: cluster.register(2, "second", previous_broker_epoch=epoch))

    assert [RegisterBrokerRecord] == [type(r) for r in written]
    assert (2,) == cluster.partition("t").elr


@pytest.mark.rule("1.37", "1.30")
def test_in_4_3_a_session_that_is_over_but_not_fenced_yet_does_not_block():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("t", (2, 1))
    cluster.keep_alive(1, during="9001ms")
    assert not cluster.is_fenced(2)

    written = cluster.writes(lambda: cluster.register(2, "second"))

    assert [cluster.change("t", isr=(1,), leader=1)] == written[:-1]
    assert [RegisterBrokerRecord] == [type(r) for r in written[-1:]]


@pytest.mark.rule("1.34", "1.36")
@pytest.mark.parametrize("named", [False, True], ids=["unclean", "clean"])
def test_in_3_9_a_registration_is_written_alone_whatever_epoch_it_names(named):
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1, 2)
    cluster.created("t", (2,))
    previous = cluster.broker(2).broker_epoch if named else -1
    cluster.run_for("9001ms")

    written = cluster.writes(lambda: cluster.register(2, "second", previous_broker_epoch=previous))

    assert [RegisterBrokerRecord] == [type(r) for r in written]
    assert (-1, (2,)) == cluster.leadership("t")


@pytest.mark.rule("8.12", "8.13")
def test_the_start_time_is_that_of_the_incarnation():
    cluster = ControllerUnderTest()
    cluster.at_ms(1000)
    cluster.registered(1)
    started_ms = cluster.broker(1).start_time_ms

    cluster.at_ms(2000)
    cluster.register(1)
    assert cluster.timeline.wall_ms - 1000 == started_ms == cluster.broker(1).start_time_ms
    cluster.register(1, "second")
    assert cluster.timeline.wall_ms == cluster.broker(1).start_time_ms
    cluster.unregister(1)
    cluster.at_ms(3000)
    cluster.register(1, "second")
    assert cluster.timeline.wall_ms == cluster.broker(1).start_time_ms


@pytest.mark.rule("1.39")
@pytest.mark.parametrize(
    ("metadata_version", "version"), [(6, 0), (7, 1), (8, 2), (16, 2), (17, 3), (29, 3), (30, 4)]
)
def test_the_version_of_a_registration_follows_the_metadata_version(metadata_version, version):
    cluster = ControllerUnderTest(KAFKA_4_3, metadata_version=metadata_version)
    mark = cluster.end

    cluster.register(1)

    (batch,) = cluster.batches_since(mark)
    assert (version,) == batch.versions
