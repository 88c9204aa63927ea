"""What a controller writes when it becomes active: rules 0A.11, 0A.14, 9.34."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.cluster.bootstrap import activation_records
from kraftsim.controller.core.feature_levels import level_of
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.log.records import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    ConfigRecord,
    Endpoint,
    EndTransactionRecord,
    FeatureLevelRecord,
    NoOpRecord,
    RegisterControllerRecord,
    ZkMigrationStateRecord,
)
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, KAFKA_4_4
from kraftsim.controller.core.settings import Settings
from tests.builders import WALL_START_MS, ControllerUnderTest
from tests.profiles import EACH_PROFILE

MIN_ISR = ConfigRecord(resource_type=4, resource_name="", name="min.insync.replicas", value="1")
BOOTSTRAP = BeginTransactionRecord(name="Bootstrap records")


def levels(**named):
    return [
        FeatureLevelRecord(name=name.replace("_", "."), feature_level=level)
        for name, level in named.items()
    ]


@pytest.mark.rule("0A.11")
def test_4_3_opens_its_log_as_recorded():
    """Golden 4.3.1, offsets 1 to 9."""
    cluster = ControllerUnderTest(KAFKA_4_3, kraft_version=0)

    opening, bootstrap, registered = cluster.node.log.batches

    assert (True, 0) == (opening.is_control, opening.base_offset)
    assert (
        BOOTSTRAP,
        *levels(
            metadata_version=30,
            eligible_leader_replicas_version=1,
            group_version=1,
            share_version=1,
            streams_version=1,
            transaction_version=2,
        ),
        MIN_ISR,
        EndTransactionRecord(),
    ) == bootstrap.records
    assert 9 == bootstrap.last_offset
    assert [RegisterControllerRecord] == [type(r) for r in registered.records]


@pytest.mark.rule("0A.11", "7.3")
def test_the_cluster_wide_minimum_is_what_the_controller_is_configured_with():
    cluster = ControllerUnderTest(min_insync_replicas=2)

    assert replace(MIN_ISR, value="2") in cluster.node.log.batches[1].records


@pytest.mark.rule("0A.11")
def test_3_9_opens_its_log_as_recorded():
    """Golden 3.9.1, offsets 1 to 4."""
    cluster = ControllerUnderTest(KAFKA_3_9, kraft_version=0)

    bootstrap = cluster.node.log.batches[1]

    zk = ZkMigrationStateRecord(zk_migration_state=0)
    expected = (BOOTSTRAP, *levels(metadata_version=21), zk, EndTransactionRecord())
    assert (1, expected) == (bootstrap.base_offset, bootstrap.records)


@pytest.mark.rule("0A.11", "0.5")
def test_a_lower_metadata_version_finalizes_only_what_it_can_hold():
    records = activation_records(Image(), KAFKA_4_3, Settings(), 21)

    assert (BOOTSTRAP, *levels(metadata_version=21), EndTransactionRecord()) == records


@pytest.mark.rule("0A.11")
@pytest.mark.parametrize(("level", "has_markers"), [(12, False), (13, True)])
def test_before_3_6_the_bootstrap_has_no_markers(level, has_markers):
    records = activation_records(Image(), KAFKA_3_9, Settings(), level)

    assert has_markers == (BOOTSTRAP in records)
    assert has_markers == (EndTransactionRecord() in records)


@pytest.mark.rule("0A.11")
def test_4_4_finalizes_at_the_level_of_4_3_what_4_3_does():
    """As released 4.4.0 formats with --release-version 4.3-IV0, so that nodes of 4.3 can join."""
    at_4_3 = activation_records(Image(), KAFKA_4_4, Settings(), level_of("4.3-IV0"))

    assert activation_records(Image(), KAFKA_4_3, Settings()) == at_4_3


@pytest.mark.rule("0A.11")
def test_a_log_that_has_its_features_needs_nothing():
    image = Image(features={"metadata.version": 30})

    assert () == activation_records(image, KAFKA_4_3, Settings())


@pytest.mark.rule("0A.11", "9.34")
def test_a_transaction_left_open_is_aborted():
    image = Image(features={"metadata.version": 30}, open_transaction="x")

    assert (AbortTransactionRecord(reason="Controller failover"),) == activation_records(
        image, KAFKA_4_3, Settings()
    )


@pytest.mark.rule("0A.11", "9.34")
def test_a_half_written_bootstrap_is_aborted_and_written_again():
    half_written = Image(open_transaction=BOOTSTRAP.name)
    abort, *again = activation_records(half_written, KAFKA_4_3, Settings())

    assert AbortTransactionRecord(reason="Controller failover") == abort
    assert activation_records(Image(), KAFKA_4_3, Settings()) == tuple(again)


@pytest.mark.rule("5.53")
@pytest.mark.parametrize(("profile", "offset"), [(KAFKA_3_9, 4), (KAFKA_4_3, 9), (KAFKA_4_4, 9)])
def test_the_features_changed_where_the_bootstrap_ended(profile, offset):
    """The FinalizedFeaturesEpoch that 3.9.1, 4.3.1 and 4.4.0 answer after a fresh start."""
    cluster = ControllerUnderTest(profile, kraft_version=0)

    cluster.run_for("5s")

    assert offset == cluster.image.features_offset
    assert offset == replay(cluster.node.log.batches).features_offset


@pytest.mark.rule("5.14")
def test_a_controller_registers_what_its_release_supports():
    (record,) = ControllerUnderTest(KAFKA_3_9).image.controllers.values()

    assert [("kraft.version", 0, 1), ("metadata.version", 1, 21)] == [
        (f.name, f.min_supported_version, f.max_supported_version) for f in record.features
    ]
    assert (Endpoint(name="CONTROLLER", host="controller.test", port=9990),) == record.end_points


@pytest.mark.rule("0.6")
def test_before_3_7_no_controller_registers():
    cluster = ControllerUnderTest(KAFKA_3_9, metadata_version=14)

    assert not cluster.image.controllers


@EACH_PROFILE
@pytest.mark.rule("0A.14")
def test_an_idle_controller_writes_a_noop_twice_a_second(profile):
    cluster = ControllerUnderTest(profile)
    cluster.at_ms(250)
    first = cluster.end

    cluster.at_ms(5_000)

    batches = cluster.node.log.read(first)
    assert [(NoOpRecord(),)] * 10 == [b.records for b in batches]
    assert [WALL_START_MS + 500 * n for n in range(1, 11)] == [b.timestamp_ms for b in batches]


@pytest.mark.rule("0A.14")
@pytest.mark.parametrize(
    "options", [{"metadata_max_idle_interval_ms": 0}, {"metadata_version": 4}], ids=str
)
def test_no_noop_where_it_is_switched_off_or_unknown(options):
    cluster = ControllerUnderTest(KAFKA_3_9, **options)
    end = cluster.end

    cluster.run_for("5s")

    assert end == cluster.end
