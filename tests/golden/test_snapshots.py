"""Kafka's own snapshot files, against what we would have written of the same records."""

import re
from dataclasses import replace

import pytest

from kraftsim.controller.core.image.snapshot_batches import snapshot_batches
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import KRaftVersion, SnapshotHeader, Voters
from kraftsim.controller.core.log.records import Record
from kraftsim.controller.core.rpc import FetchSnapshotResponse
from kraftsim.controller.wire.frames import decode_response
from kraftsim.controller.wire.records.snapshot_file import decode_snapshot, encode_snapshot
from tests.golden import recordings
from tests.golden.recordings import RELEASES, LogFile

SNAPSHOTS = [
    log
    for release in RELEASES
    for log in recordings.metadata_logs(release)
    if log.name.endswith(".checkpoint")
]
of_each_snapshot = pytest.mark.parametrize("file", SNAPSHOTS, ids=lambda file: file.place)


def rebuilt(batches: list[Batch]) -> list[Batch]:
    """Our batches of the records in these; the times at which Kafka wrote each are taken over."""
    header, *data, _ = batches
    first, *others = header.records
    assert isinstance(first, SnapshotHeader)
    told = {type(snapshot): snapshot for snapshot in others}
    version, voters = told.get(KRaftVersion), told.get(Voters)
    assert version is None or isinstance(version, KRaftVersion)
    assert voters is None or isinstance(voters, Voters)
    ours = snapshot_batches(
        (
            (record, version)
            for batch in data
            for record, version in zip(batch.records, batch.versions, strict=True)
            if isinstance(record, Record)
        ),
        epoch=header.epoch,
        timestamp_ms=header.timestamp_ms,
        last_contained_log_timestamp=first.last_contained_log_timestamp,
        kraft_version=0 if version is None else version.kraft_version,
        voters=voters,
    )
    return [
        replace(our, timestamp_ms=their.timestamp_ms)
        for our, their in zip(ours, batches, strict=True)
    ]


@pytest.mark.rule("10.43", "10.49")
@of_each_snapshot
def test_a_snapshot_of_kafka_is_written_again_byte_for_byte(file: LogFile) -> None:
    batches = decode_snapshot(file.data)

    assert file.data == encode_snapshot(rebuilt(batches))
    assert file.data == encode_snapshot(batches)


@pytest.mark.rule("10.42")
@of_each_snapshot
def test_a_snapshot_has_the_epoch_of_its_name_and_offsets_of_its_own(file: LogFile) -> None:
    named = re.fullmatch(r"(\d{20})-(\d{10})\.checkpoint", file.name)
    batches = decode_snapshot(file.data)

    epoch = 0 if named is None else int(named[2])  # bootstrap.checkpoint is older than any epoch
    assert {epoch} == {batch.epoch for batch in batches}
    assert batches[0].base_offset == 0


@pytest.mark.rule("10.43")
@pytest.mark.parametrize("release", RELEASES)
def test_a_quorum_that_can_change_begins_with_a_snapshot_of_its_voters(release: str) -> None:
    (file,) = (
        snapshot
        for snapshot in SNAPSHOTS
        if (snapshot.release, snapshot.name) == (release, f"{0:020}-{0:010}.checkpoint")
    )
    (header, footer) = decode_snapshot(file.data)

    _, version, voters = header.records
    assert (file.run, file.node, footer.base_offset) == ("A3-dynamic", "c3000", 3)
    assert version == KRaftVersion(kraft_version=1)
    assert isinstance(voters, Voters)
    assert [3000] == [voter.voter_id for voter in voters.voters]


@pytest.mark.rule("10.44")
@pytest.mark.parametrize("release", RELEASES)
def test_what_fetch_snapshot_handed_out_is_the_file_that_the_broker_kept(release: str) -> None:
    kept = {file.data for file in SNAPSHOTS if (file.release, file.node) == (release, "b3")}
    handed_out = []
    for frame in recordings.frames(release, "A1-single", 59):
        if frame.direction == "rsp":
            _, answer = decode_response(59, frame.api_version, frame.data)
            assert isinstance(answer, FetchSnapshotResponse)
            ((data,),) = (topic.partitions for topic in answer.topics)
            batches = decode_snapshot(data.unaligned_records)

            assert (0, len(data.unaligned_records)) == (data.position, data.size)
            assert data.snapshot_id.epoch == batches[0].epoch
            handed_out.append(data.unaligned_records)
    assert handed_out[0] in kept
