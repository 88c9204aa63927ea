"""The files that a formatted directory begins with, in the bytes of Kafka.

`bootstrap.checkpoint` has the first records. The snapshot 0-0 of the metadata log has the initial
voters (KIP-853) and, from 4.4 on, the first records (KIP-1170); then there is no other file.
"""

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


def initial_snapshot(
    voters: tuple[Voter, ...], kraft_version: int, now_ms: int, records: Sequence[Record] = ()
) -> bytes:
    """Returns the bytes of the snapshot 0-0: kraft.version, the voters and the first records.

    Without initial voters the snapshot has no voters record.
    """
    batches = snapshot_batches(
        ((record, 0) for record in records),
        epoch=0,
        timestamp_ms=now_ms,
        last_contained_log_timestamp=now_ms,
        kraft_version=kraft_version,
        voters=Voters(voters=voters) if voters else None,
    )
    return encode_snapshot(tuple(batches))
