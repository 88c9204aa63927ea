"""JSON views of the committed metadata log: its start and end offsets, and its records.

Records below the high watermark never change: the same offsets return the same records until a
snapshot replaces them (`OffsetGone`).
"""

from collections.abc import Iterator

from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.wire.json.document import Document
from kraftsim.simulation.world import World

from ...errors import OffsetGone
from ..documents import LogEndDocument
from .slices import ITEMS_AT_ONCE

LINES_BYTES_MAX = 8 * 1024 * 1024  # per response in lines, as Kafka bounds a Fetch of the log


def log_end_view(world: World) -> LogEndDocument:
    """Returns the end of the committed log, from which a reader can resume later.

    The view has the end offset, and the epoch and the timestamp of the record before it. A reader
    that resumes at that offset compares both with the record that the log has before it now: if
    they differ, the cluster has a new log, and the reader must begin again.
    """
    log = world.committed_log
    last = log.batches[-1] if log.batches else None
    return {
        "clusterId": world.controller.node.config.cluster_id,
        "leaderEpoch": world.controller.node.epoch,
        "startOffset": log.start_offset,
        "highWatermark": log.end_offset,
        "lastEpoch": last.epoch if last else log.start_epoch,
        "lastTimestamp": last.timestamp_ms if last else -1,
    }


def start_in(log: MetadataLog, start: int | None) -> int:
    """Returns `start`, or the start offset of the log if `start` is None.

    An offset after the end of the log is valid and has no records yet. Raises OffsetGone for an
    offset below the start of the log.
    """
    if start is not None and start < log.start_offset:
        raise OffsetGone(start, log.start_offset)
    return log.start_offset if start is None else start


def committed_records(log: MetadataLog, start: int, limit: int) -> Iterator[Document]:
    """Yields at most `limit` committed records from offset `start`, each as a JSON document."""
    from kraftsim.controller.wire.json.batch_json import batch_json

    for batch in log.read(start, limit):  # no batch is empty
        yield from batch_json(batch, start, limit)


def log_lines(log: MetadataLog, start: int, limit: int) -> Iterator[bytes]:
    """Yields the committed records as lines of JSON, in pieces of at most ITEMS_AT_ONCE lines.

    Ends after the piece that reaches LINES_BYTES_MAX.
    """
    import json

    size = 0
    while limit > 0 and size < LINES_BYTES_MAX and log.start_offset <= start < log.end_offset:
        records = committed_records(log, start, min(limit, ITEMS_AT_ONCE))
        lines = [json.dumps(record) + "\n" for record in records]
        piece = "".join(lines).encode()
        yield piece
        start, limit, size = start + len(lines), limit - len(lines), size + len(piece)
