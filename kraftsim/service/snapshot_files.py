"""Snapshots in the bytes of Kafka's own format, for real followers that fetch them."""

from kraftsim.controller.raft.snapshot import SnapshotFormat
from kraftsim.controller.wire.records.record_batch import encode_batch, encode_slice
from kraftsim.controller.wire.records.snapshot_file import encode_snapshot, read_snapshot

SNAPSHOT_FILES = SnapshotFormat(
    encode=encode_snapshot,
    read=read_snapshot,
    size=lambda batch: len(encode_batch(batch)),  # the encoding is cached and reused by fetches
    encode_slice=encode_slice,
)
