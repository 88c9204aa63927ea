"""Snapshots as Kafka's own bytes, for whoever serves them to real followers."""

from kraftsim.controller.raft.snapshots import SnapshotFormat
from kraftsim.controller.wire.snapshot_file import decode_snapshot, encode_snapshot

SNAPSHOT_FILES = SnapshotFormat(encode_snapshot, lambda data: tuple(decode_snapshot(data)))
