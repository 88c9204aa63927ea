"""The files that a formatted directory begins with: `bootstrap.checkpoint`, and the snapshot 0-0
of the metadata log, which has the initial voters (KIP-853). Their bytes are Kafka's."""

from collections.abc import Sequence

from kraftsim.controller.core.image.snapshot_batches import snapshot_batches
from kraftsim.controller.core.log.control_records import Voter, Voters
from kraftsim.controller.core.log.records import Record
from kraftsim.controller.wire.records.snapshot_file import encode_snapshot
from kraftsim.pipeline.live.segments import PARTITION

BOOTSTRAP_FILE = "bootstrap.checkpoint"
INITIAL_SNAPSHOT = f"{PARTITION}/{0:020}-{0:010}.checkpoint"


def bootstrap_checkpoint(records: Sequence[Record], now_ms: int) -> bytes:
    """Returns the bytes of `bootstrap.checkpoint`: the records of an empty log, in version 0."""
    batches = snapshot_batches(
        ((record, 0) for record in records),
        epoch=0,
        timestamp_ms=now_ms,
        last_contained_log_timestamp=0,
    )
    return encode_snapshot(tuple(batches))


def initial_snapshot(voters: tuple[Voter, ...], kraft_version: int, now_ms: int) -> bytes:
    """Returns the bytes of the snapshot 0-0, which has kraft.version and the voters only."""
    batches = snapshot_batches(
        (),
        epoch=0,
        timestamp_ms=now_ms,
        last_contained_log_timestamp=now_ms,
        kraft_version=kraft_version,
        voters=Voters(voters=voters),
    )
    return encode_snapshot(tuple(batches))
