"""Registration and unregistration: rules of sections 1 and 3."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3
from kraftsim.controller.core.records import (
    FeatureRange,
    RegisterBrokerRecord,
    UnregisterBrokerRecord,
)
from kraftsim.controller.core.rpc import BrokerRegistrationResponse, UnregisterBrokerResponse
from kraftsim.controller.core.uuid import LOST_DIRECTORY
from tests.builders import (
    ControllerUnderTest,
    directory_of,
    feature,
    listener,
    registration,
    uuid_of,
)

BOTH = pytest.mark.parametrize("profile", [KAFKA_4_3, KAFKA_3_9], ids=lambda p: p.name)
ALL_OF_4_3 = (
    feature("metadata.version", 7, 30),
    feature("eligible.leader.replicas.version", 0, 1),
    feature("group.version", 0, 1),
    feature("kraft.version", 0, 1),
    feature("share.version", 0, 1),
    feature("streams.version", 0, 1),
    feature("transaction.version", 0, 2),
)


@BOTH
@pytest.mark.rule("1.25", "1.26", "1.40", "1.41", "9.4", "9.11")
def test_a_new_incarnation_gets_the_next_offset_as_its_epoch_and_starts_fenced(profile):
    cluster = ControllerUnderTest(profile)
    mark = cluster.end

    reply = cluster.register(1, rack="a")

    assert BrokerRegistrationResponse(broker_epoch=mark) == reply
    (record,) = cluster.records_since(mark)
    assert RegisterBrokerRecord == type(record)
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


@BOTH
@pytest.mark.rule("1.29", "9.1")
def test_epochs_grow_across_ids_and_incarnations(profile):
    cluster = ControllerUnderTest(profile)

    epochs = [cluster.register(b, i).broker_epoch for i in ("x", "y") for b in (2, 1, 3)]

    assert sorted(set(epochs)) == epochs


@BOTH
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


@BOTH
@pytest.mark.rule("1.27")
def test_the_same_incarnation_again_keeps_a_broker_serving(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    cluster.created("t", (1,))

    written = cluster.writes(lambda: cluster.register(1))

    assert [RegisterBrokerRecord] == [type(r) for r in written]
    assert not cluster.is_fenced(1)
    assert (1, (1,)) == cluster.leadership("t")


@BOTH
@pytest.mark.rule("1.27", "2.25", "9.17")
def test_the_same_incarnation_again_keeps_the_shutdown_flag_but_not_the_soft_state(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    assert cluster.node.leases.of(1).is_shutting_down

    cluster.register(1)

    assert cluster.broker(1).in_controlled_shutdown
    assert not cluster.node.leases.of(1).is_shutting_down


@BOTH
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


@BOTH
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


@BOTH
@pytest.mark.rule("1.12", "1.11")
def test_a_broker_that_never_heartbeated_is_replaced_at_once(profile):
    cluster = ControllerUnderTest(profile)
    cluster.registered(1)

    assert cluster.register(1, "second").broker_epoch == cluster.broker(1).register_offset


@pytest.mark.rule("1.12a")
def test_in_4_3_a_broker_still_shutting_down_does_not_hold_its_id():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)

    assert cluster.register(1, "second").broker_epoch > 0
    assert not cluster.broker(1).in_controlled_shutdown


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


@BOTH
@pytest.mark.rule("1.26", "1.32")
def test_a_new_incarnation_starts_without_the_old_ones_past(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2))
    cluster.heartbeat(1, want_shut_down=True)
    cluster.run_for("11s")

    cluster.register(1, "second")

    broker, liveness = cluster.broker(1), cluster.node.leases.of(1)
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


@pytest.mark.rule("1.34")
def test_in_3_9_a_registration_is_written_alone():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1, 2)
    cluster.created("t", (2,))
    cluster.run_for("9001ms")

    written = cluster.writes(lambda: cluster.register(2, "second"))

    assert [RegisterBrokerRecord] == [type(r) for r in written]
    assert (-1, (2,)) == cluster.leadership("t")


@BOTH
@pytest.mark.rule("1.9", "9.9")
@pytest.mark.parametrize("cluster_id", ["", "abcdefghijklmnopqrst4B"])
def test_another_clusters_id_is_refused_and_changes_nothing(profile, cluster_id):
    cluster = ControllerUnderTest(profile)
    before = cluster.everything()

    refusal = cluster.register(1, cluster_id=cluster_id)

    assert ErrorCode.INCONSISTENT_CLUSTER_ID == refusal.code
    assert (
        f"Expected cluster ID abcdefghijklmnopqrst4A, but got cluster ID {cluster_id}"
        == refusal.message
    )
    assert before == cluster.everything()


@pytest.mark.rule("1.13")
def test_a_zookeeper_broker_is_refused_after_the_duplicate_check():
    cluster = ControllerUnderTest()
    request = registration(1, "second", is_migrating_zk_broker=True)

    assert ErrorCode.BROKER_ID_NOT_REGISTERED == cluster.refused(request)
    cluster.unfenced(1)
    assert ErrorCode.DUPLICATE_BROKER_REGISTRATION == cluster.refused(request)


@pytest.mark.rule("1.14", "1.15")
@pytest.mark.parametrize(
    ("log_dirs", "text"),
    [
        ((), "No directories specified in request"),
        ((LOST_DIRECTORY,), "Reserved directory ID in request"),
        ((bytes(15) + b"\x63",), "Reserved directory ID in request"),
        ((bytes(8) + b"\xff" * 8,), "Reserved directory ID in request"),
        ((LOST_DIRECTORY, LOST_DIRECTORY), "Reserved directory ID in request"),
        ((directory_of(9), directory_of(9)), "Duplicate directory ID in request"),
    ],
)
def test_bad_directories_are_refused_in_kafkas_order(log_dirs, text):
    cluster = ControllerUnderTest()

    refusal = cluster.register(1, log_dirs=log_dirs)

    assert (ErrorCode.INVALID_REGISTRATION, text) == (refusal.code, refusal.message)


@pytest.mark.rule("1.14", "1.16", "9.10")
def test_a_directory_belongs_to_one_id_until_that_is_unregistered_or_takes_others():
    cluster = ControllerUnderTest()
    cluster.registered(1)
    stolen = registration(2, log_dirs=(directory_of(1),))

    assert ErrorCode.INVALID_REGISTRATION == cluster.refused(stolen)
    assert "Broker 1 is already registered with directory" in cluster.ask(stolen).message
    assert cluster.register(1, "second").broker_epoch > 0
    cluster.register(1, "second", log_dirs=(directory_of(1, 7),))
    assert cluster.accepted(stolen).broker_epoch > 0
    cluster.unregister(2)
    assert cluster.register(3, log_dirs=(directory_of(1),)).broker_epoch > 0


@pytest.mark.rule("1.17")
def test_before_3_7_directories_are_neither_checked_nor_recorded():
    cluster = ControllerUnderTest(KAFKA_3_9, metadata_version=16)

    assert cluster.register(1, log_dirs=(LOST_DIRECTORY,)).broker_epoch > 0
    assert () == cluster.broker(1).log_dirs


@pytest.mark.rule("1.18")
@pytest.mark.parametrize(
    "bad",
    [
        listener(port=0),
        listener(port=65536),
        listener(host=" "),
        listener(security_protocol=4),
    ],
    ids=["port 0", "port 65536", "blank host", "unknown protocol"],
)
def test_a_listener_nobody_could_reach_is_refused_without_a_failover(bad):
    cluster = ControllerUnderTest()
    before = cluster.everything()

    refusal = cluster.register(1, listeners=(bad,))

    assert ErrorCode.INVALID_REGISTRATION == refusal.code
    assert before == cluster.everything()
    assert cluster.node.is_active


@pytest.mark.rule("1.18")
def test_no_listener_at_all_is_accepted():
    cluster = ControllerUnderTest()

    assert cluster.register(1, listeners=()).broker_epoch > 0


@pytest.mark.rule("3.3", "3.5", "3.4")
def test_a_live_broker_can_be_unregistered_and_leaves_the_isrs_first():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2), (2, 1))
    epoch, mark = cluster.broker(1).broker_epoch, cluster.end

    reply = cluster.unregister(1)

    assert UnregisterBrokerResponse(error_message="") == reply
    (batch,) = cluster.batches_since(mark)
    assert [
        cluster.change("t", 0, isr=(2,), leader=2),
        cluster.change("t", 1, isr=(2,)),
        UnregisterBrokerRecord(broker_id=1, broker_epoch=epoch),
    ] == list(batch.records)


@pytest.mark.rule("3.5", "3.7")
def test_unregistering_takes_a_broker_out_of_isr_then_elr():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.created("elr", (1,))
    cluster.keep_alive(2, during="12s")
    cluster.heartbeat(1)
    cluster.created("isr", (1, 2))
    cluster.alter_partition("isr", (1, 2))
    cluster.fenced(1)
    assert (1,) == cluster.partition("elr").elr

    *changes, last = cluster.writes(lambda: cluster.unregister(1))

    assert [cluster.change("elr", eligible_leader_replicas=())] == changes
    assert UnregisterBrokerRecord == type(last)


@pytest.mark.rule("3.6", "4.12", "3.10", "9.27")
def test_unregistering_the_last_replica_keeps_the_assignment_without_elr():
    cluster = ControllerUnderTest(KAFKA_3_9)
    cluster.unfenced(1)
    cluster.created("t", (1,))

    cluster.unregister(1)

    assert (-1, (1,)) == cluster.leadership("t")
    assert (1,) == cluster.partition("t").replicas


@pytest.mark.rule("3.6", "4.13")
def test_unregistering_the_last_replica_leaves_it_eligible_with_elr():
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1)
    cluster.created("t", (1,))

    cluster.unregister(1)

    partition = cluster.partition("t")
    assert (-1, (), (1,), (1,)) == (
        partition.leader,
        partition.isr,
        partition.elr,
        partition.last_known_elr,
    )
    assert (1,) == partition.replicas


@BOTH
@pytest.mark.rule("3.8", "3.9", "9.3")
def test_an_unregistered_id_is_a_stranger_until_it_registers_anew(profile):
    cluster = ControllerUnderTest(profile)
    cluster.unfenced(1)
    epoch = cluster.broker(1).broker_epoch

    cluster.unregister(1)

    assert 1 not in cluster.image.brokers
    assert 1 not in cluster.node.leases.known()
    request = cluster.heartbeat_request(1, epoch=epoch)
    assert ErrorCode.STALE_BROKER_EPOCH == cluster.refused(request)
    assert cluster.register(1).broker_epoch > epoch


@pytest.mark.rule("3.3", "3.4")
@pytest.mark.parametrize("broker_id", [10, -1])
@pytest.mark.parametrize(
    ("profile", "text"),
    [(KAFKA_4_3, "Broker ID {} is not currently registered"), (KAFKA_3_9, "")],
    ids=["4.3", "3.9"],
)
def test_unregistering_a_stranger_is_refused(profile, text, broker_id):
    """Also what an independent implementation answered with 42 (its issue 259)."""
    cluster = ControllerUnderTest(profile)
    before = cluster.everything()

    refusal = cluster.unregister(broker_id)

    assert (ErrorCode.BROKER_ID_NOT_REGISTERED, text.format(broker_id)) == (
        refusal.code,
        refusal.message,
    )
    assert before == cluster.everything()


@pytest.mark.rule("3.5")
def test_a_fenced_broker_in_no_isr_is_unregistered_with_one_record():
    cluster = ControllerUnderTest()
    cluster.registered(1)

    written = cluster.writes(lambda: cluster.unregister(1))

    assert [UnregisterBrokerRecord] == [type(r) for r in written]


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


@pytest.mark.rule("1.20", "1.21", "1.24")
@pytest.mark.parametrize(
    "offered",
    [
        feature("metadata.version", 1, 29),
        feature("metadata.version", 31, 40),
        feature("metadata.version", 31, 30),
        feature("no.such.feature", 1, 2),
        feature("group.version", 2, 3),
        feature("transaction.version", 0, 1),
    ],
    ids=lambda f: f"{f.name} {f.min_supported_version}-{f.max_supported_version}",
)
def test_a_range_without_the_finalized_level_is_refused(offered):
    cluster = ControllerUnderTest()
    others = tuple(f for f in ALL_OF_4_3 if f.name != offered.name)

    refusal = cluster.register(1, features=(offered, *others))

    assert ErrorCode.UNSUPPORTED_VERSION == refusal.code
    assert f"of {offered.name}. The broker wants a version between" in refusal.message


@pytest.mark.rule("1.20")
def test_the_first_feature_that_fails_is_named():
    cluster = ControllerUnderTest()
    bad = (feature("b", 1, 1), feature("a", 2, 2))

    refusal = cluster.register(1, features=(*ALL_OF_4_3, *bad))

    assert (
        "Unable to register because the broker does not support finalized version 0 of b. "
        "The broker wants a version between 1 and 1, inclusive." == refusal.message
    )


@pytest.mark.rule("1.21")
def test_an_unknown_feature_whose_range_contains_0_is_recorded():
    cluster = ControllerUnderTest()

    cluster.register(1, features=(*ALL_OF_4_3, feature("no.such.feature", 0, 1)))

    expected = FeatureRange(
        name="no.such.feature", min_supported_version=0, max_supported_version=1
    )
    assert expected in cluster.broker(1).features


@pytest.mark.rule("1.22")
@pytest.mark.parametrize(
    ("profile", "code"),
    [(KAFKA_3_9, ErrorCode.UNSUPPORTED_VERSION), (KAFKA_4_3, ErrorCode.INVALID_REGISTRATION)],
    ids=["3.9", "4.3"],
)
def test_a_registration_without_metadata_version_is_refused(profile, code):
    cluster = ControllerUnderTest(profile)

    assert code == cluster.register(1, features=ALL_OF_4_3[1:]).code


@pytest.mark.rule("1.22")
def test_in_3_9_no_metadata_version_means_the_first():
    cluster = ControllerUnderTest(KAFKA_3_9, metadata_version=1, kraft_version=0)

    cluster.register(1, features=())

    implied = FeatureRange(
        name="metadata.version", min_supported_version=1, max_supported_version=1
    )
    assert (implied,) == cluster.broker(1).features


@pytest.mark.rule("1.23", "1.7")
@pytest.mark.parametrize("missing", [f.name for f in ALL_OF_4_3[1:]])
def test_a_finalized_feature_that_is_not_named_counts_as_unsupported(missing):
    cluster = ControllerUnderTest()
    offered = tuple(f for f in ALL_OF_4_3 if f.name != missing)

    refusal = cluster.register(1, features=offered)

    assert ErrorCode.UNSUPPORTED_VERSION == refusal.code
    assert f"of {missing}." in refusal.message
    assert cluster.register(1, features=ALL_OF_4_3).broker_epoch > 0


@pytest.mark.rule("1.23")
def test_in_3_9_metadata_version_alone_is_enough():
    cluster = ControllerUnderTest(KAFKA_3_9, kraft_version=0)

    assert cluster.register(1, features=(feature("metadata.version", 1, 21),)).broker_epoch > 0


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


@pytest.mark.rule("1.15", "1.14")
def test_directory_100_is_not_reserved():
    cluster = ControllerUnderTest()

    assert cluster.register(1, log_dirs=(bytes(15) + b"\x64", uuid_of("x"))).broker_epoch > 0
