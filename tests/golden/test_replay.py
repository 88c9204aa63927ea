"""The metadata logs of released Kafka, folded by our image, against what Kafka's tools printed.

A tool saw the cluster at one moment: some prefix of the log must give exactly what it printed.
"""

import dataclasses
import re

import pytest

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.image_records import records_of
from kraftsim.controller.core.image.loader import Loader, replay
from kraftsim.controller.core.log.records import (
    Record,
    RegisterBrokerRecord,
    RegisterControllerRecord,
    ZkMigrationStateRecord,
)
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.controller.wire.records.record_batch import decode_batches
from tests.golden import recordings
from tests.golden.recordings import RELEASES, LogFile

LOGS = [log for release in RELEASES for log in recordings.metadata_logs(release)]
ACTIVE = [log for log in LOGS if log.name.endswith(".log") and log.node == "c3000"]

# Where the segment in the recording begins after a snapshot, a log alone is not the whole story.
WHOLE = [log for log in ACTIVE if log.name == f"{0:020}.log"]


@pytest.mark.rule("9.31")
@pytest.mark.parametrize(
    "log",
    [log_file for log_file in LOGS if log_file.name.endswith(f"{0:020}.log")],
    ids=lambda log: log.place,
)
def test_every_recorded_log_replays(log: LogFile) -> None:
    batches = decode_batches(log.data)

    image = replay(batches)

    assert image.offset <= batches[-1].last_offset
    assert image.metadata_version in (21, 27, 30) or image.offset < 10


def _described(image: Image) -> dict[tuple[str, int], tuple[str, ...]]:
    """(topic, partition) -> leader, replicas, ISR, ELR, last known, as kafka-topics prints them."""
    return {
        (topic.name, index): (
            "none" if parameter.leader < 0 else str(parameter.leader),
            _ids(parameter.replicas),
            _ids(parameter.isr),
            _ids(parameter.elr),
            _ids(parameter.last_known_elr),
        )
        for topic in image.topics.values()
        for index, parameter in topic.partitions.items()
    }


def _ids(ids: tuple[int, ...]) -> str:
    return ",".join(str(node_id) for node_id in ids)


_LINE = re.compile(
    r"\tTopic: (\S+)\tPartition: (\d+)\tLeader: (\S+)\tReplicas: (\S*)\tIsr: (\S*)"
    r"(?:\tElr: (\S*)\tLastKnownElr: (\S*))?"
)


def _printed(text: str) -> dict[tuple[str, int], tuple[str, ...]]:
    return {
        (match[1], int(match[2])): tuple((match[n] or "").replace("N/A", "") for n in range(3, 8))
        for match in _LINE.finditer(text)
    }


def _prefixes(log: LogFile):
    loader = Loader()
    for batch in decode_batches(log.data):
        loader.load(batch)
        yield loader.image


DESCRIPTIONS = [
    (log, name)
    for log in WHOLE
    for name in recordings.tools(log.release, log.run)
    if name.startswith("topics-describe")
    and "Partition:" in recordings.tool(log.release, log.run, name)  # one run of 3.9.1 printed none
]


@pytest.mark.rule("4.12", "4.13", "4.16", "4.27", "4.28")
@pytest.mark.parametrize(
    ("log", "name"),
    DESCRIPTIONS,
    ids=lambda parameter: parameter.place if isinstance(parameter, LogFile) else parameter,
)
def test_some_prefix_of_the_log_is_what_kafka_topics_described(log: LogFile, name: str) -> None:
    printed = _printed(recordings.tool(log.release, log.run, name))
    assert any(_described(image) == printed for image in _prefixes(log))


ENDPOINTS = [
    (log, name)
    for log in WHOLE
    for name in recordings.tools(log.release, log.run)
    if name.startswith("cluster-list-endpoints-fenced-server") and log.release != "3.9.1"
]


@pytest.mark.rule("5.17", "6.27")
@pytest.mark.parametrize(
    ("log", "name"),
    ENDPOINTS,
    ids=lambda parameter: parameter.place if isinstance(parameter, LogFile) else parameter,
)
def test_some_prefix_of_the_log_has_the_brokers_that_kafka_cluster_listed(
    log: LogFile, name: str
) -> None:
    printed = {
        (int(match[1]), match[2], int(match[3]), match[4], match[5])
        for match in re.finditer(
            r"^(\d+) +(\S+) +(\d+) +(\S+) +(fenced|unfenced) +broker",
            recordings.tool(log.release, log.run, name),
            re.MULTILINE,
        )
    }
    assert printed

    def listed(image: Image) -> set[tuple[int, str, int, str, str]]:
        return {
            (
                broker.broker_id,
                endpoint.host,
                endpoint.port,
                str(broker.rack).replace("None", "null"),
                "fenced" if broker.fenced else "unfenced",
            )
            for broker in image.brokers.values()
            if (endpoint := broker.listener("PLAINTEXT")) is not None
        }

    assert any(listed(image) == printed for image in _prefixes(log))


SNAPSHOTS = [
    (log, snapshot)
    for log in WHOLE
    for snapshot in LOGS
    if (snapshot.release, snapshot.run, snapshot.node) == (log.release, log.run, log.node)
    and re.fullmatch(r"\d{20}-\d{10}\.checkpoint", snapshot.name)
    and not snapshot.name.startswith(f"{0:020}")
]


@pytest.mark.rule("9.46")
@pytest.mark.parametrize(("log", "snapshot"), SNAPSHOTS, ids=lambda parameter: parameter.place)
def test_a_snapshot_of_kafka_is_our_fold_of_the_log_up_to_it(
    log: LogFile, snapshot: LogFile
) -> None:
    end_offset = int(snapshot.name[:20])
    fold = replay(b for b in decode_batches(log.data) if b.last_offset < end_offset)
    kept = replay(decode_batches(snapshot.data))

    assert _described(kept) == _described(fold)
    assert kept.features == fold.features
    assert kept.configs == fold.configs
    assert _registered(kept) == _registered(fold)
    assert kept.next_producer_id == fold.next_producer_id
    assert kept.client_quotas == fold.client_quotas


def _registered(image: Image) -> dict[int, tuple[object, ...]]:
    """All of a registration but the offsets and times that a snapshot does not keep."""
    return {
        broker.broker_id: (
            broker.broker_epoch,
            uuid_text(broker.incarnation_id),
            broker.fenced,
            broker.in_controlled_shutdown,
            broker.rack,
            broker.log_dirs,
            broker.listeners,
            sorted(broker.features, key=lambda feature: feature.name),
        )
        for broker in image.brokers.values()
    }


@pytest.mark.rule("5.53")
@pytest.mark.parametrize(("release", "epoch"), [("3.9.1", 4), ("4.1.1", 7), ("4.3.1", 9)])
def test_the_features_epoch_is_where_the_bootstrap_ended(release: str, epoch: int) -> None:
    (log,) = (
        log_file for log_file in WHOLE if (log_file.release, log_file.run) == (release, "A1-single")
    )

    image = replay(b for b in decode_batches(log.data) if b.last_offset < 30)

    assert image.features_offset == epoch


@pytest.mark.rule("9.46", "10.43")
@pytest.mark.parametrize(("log", "snapshot"), SNAPSHOTS, ids=lambda parameter: parameter.place)
def test_our_snapshot_would_hold_the_records_of_kafkas(log: LogFile, snapshot: LogFile) -> None:
    """Their order within a kind is a hash map's; the start time of a broker is ours (KIP-436); the
    state of ZooKeeper's migration (3.9) is history that we do not keep."""
    end_offset = int(snapshot.name[:20])
    fold = replay(b for b in decode_batches(log.data) if b.last_offset < end_offset)
    theirs = [
        record
        for batch in decode_batches(snapshot.data)
        if not batch.is_control
        for record in batch.records
        if not isinstance(record, ZkMigrationStateRecord)
    ]

    assert sorted(map(_comparable, records_of(fold))) == sorted(map(_comparable, theirs))


def _comparable(record: Record) -> str:
    if isinstance(record, RegisterBrokerRecord):
        features = tuple(sorted(record.features, key=lambda feature: feature.name))
        record = dataclasses.replace(record, features=features, start_time_ms=0)
    if isinstance(record, RegisterControllerRecord):
        features = tuple(sorted(record.features, key=lambda feature: feature.name))
        record = dataclasses.replace(record, features=features)
    return repr(record)
