"""An image as records, and back: what a snapshot holds (rules 9.46, 10.43)."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.feature_levels import ELIGIBLE_LEADER_REPLICAS
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.image_records import records_of
from kraftsim.controller.core.image.loader import Loader
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import FeatureLevelRecord, PartitionRecord
from tests.builders import ControllerUnderTest


def snapshot_of(image: Image) -> Image:
    """The image that its records tell, at the place of the last one that it holds."""
    records = tuple(records_of(image))
    batch = Batch(
        base_offset=0,
        epoch=image.epoch,
        timestamp_ms=0,
        records=records,
        versions=(0,) * len(records),
    )
    return Loader.of_snapshot((batch,), image.offset + 1, image.epoch).image


def facts(image: Image) -> Image:
    """All but where in the log each fact stood."""
    placed = image.copy()
    placed.features_offset = placed.transaction_offset = placed.kraft_version = 0
    for broker_id, broker in placed.brokers.items():
        placed.brokers[broker_id] = replace(broker, register_offset=0)
    return placed


def elrs_of(image: Image) -> list[tuple[int, ...] | None]:
    """The ELR of each partition in a snapshot of the image."""
    return [
        record.eligible_leader_replicas
        for record in records_of(image)
        if isinstance(record, PartitionRecord)
    ]


@pytest.mark.rule("9.46", "8.13")
def test_the_records_of_an_image_tell_all_of_it() -> None:
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2, 3, 4)
    cluster.created("orders", (1, 2, 3), (2, 3, 4))
    cluster.created("removed", (1, 2))
    cluster.delete_topic("removed")
    cluster.fenced(3)
    cluster.heartbeat(4, want_shut_down=True)

    assert facts(cluster.image) == facts(snapshot_of(cluster.image))


def test_the_start_time_of_a_broker_outlives_the_log() -> None:
    cluster = ControllerUnderTest()
    cluster.run_for("3s")
    cluster.unfenced(1)
    started_ms = cluster.broker(1).start_time_ms

    assert started_ms > 0
    assert started_ms == snapshot_of(cluster.image).brokers[1].start_time_ms


def test_metadata_version_comes_first() -> None:
    """What stands after it is written, and read, as that level allows."""
    first = next(records_of(ControllerUnderTest().image))

    assert isinstance(first, FeatureLevelRecord)
    assert "metadata.version" == first.name


@pytest.mark.rule("10.43")
def test_a_snapshot_has_no_elr_while_elr_is_disabled() -> None:
    """As Kafka's: a feature level of 0 leaves the ELRs in the image (PartitionRegistration)."""
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2, 3)
    cluster.created("orders", (1, 2, 3))
    for broker_id in (1, 2, 3):
        cluster.fenced(broker_id)
    partition = cluster.partition("orders")
    assert partition.elr

    enabled, disabled = cluster.image.copy(), cluster.image.copy()
    del disabled.features[ELIGIBLE_LEADER_REPLICAS]

    assert elrs_of(enabled) == [partition.elr]
    assert elrs_of(disabled) == [None]


@pytest.mark.rule("10.43")
def test_a_partition_older_than_directories_has_a_zero_id_for_each_replica() -> None:
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2)
    cluster.created("orders", (1, 2))
    old = cluster.image.copy()
    key = (cluster.topic_id("orders"), 0)
    partitions = old.own_topic(key[0]).partitions
    partitions[0] = replace(partitions[0], directories=())

    (record,) = (r for r in records_of(old) if isinstance(r, PartitionRecord))

    assert (bytes(16), bytes(16)) == record.directories
