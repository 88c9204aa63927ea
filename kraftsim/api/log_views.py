"""The committed metadata log as JSON: where it begins and ends, and its records.

What is below the high watermark never changes: whoever asks for the same offsets again is told the
same, until a snapshot stands for them (`OffsetGone`).
"""

import json
from collections.abc import Iterator

from kraftsim.controller.raft.log import MetadataLog
from kraftsim.simulation.world import World

from ..errors import OffsetGone
from .views import Document

LINES_BYTES_MAX = 8 * 1024 * 1024  # of one answer in lines, as Kafka bounds a Fetch of the log
LINES_AT_ONCE = 200  # a few milliseconds of spelling, after which others have their turn


def log_end_view(world: World) -> Document:
    """What one must know to read on later: the same log has the same record before that end."""
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


def log_view(log: MetadataLog, start: int | None, limit: int) -> Document:
    """Committed records from `start` on, at most `limit`, as Kafka's own decoder prints them."""
    start = start_in(log, start)
    records = list(committed_records(log, start, limit))
    return {
        "records": records,
        "nextOffset": start + len(records),
        "startOffset": log.start_offset,
        "highWatermark": log.end_offset,
    }


def start_in(log: MetadataLog, start: int | None) -> int:
    """None is where the log begins. After its end there is nothing yet; before its start there is
    nothing any more."""
    if start is not None and start < log.start_offset:
        raise OffsetGone(start, log.start_offset)
    return log.start_offset if start is None else start


def committed_records(log: MetadataLog, start: int, limit: int) -> Iterator[Document]:
    from kraftsim.controller.wire.json.json_form import control_record_json, record_json

    for batch in log.read(start, limit):  # no batch is empty
        for position, record in enumerate(batch.records):
            offset = batch.base_offset + position
            if start <= offset < start + limit:
                spelled = (
                    control_record_json(record)
                    if batch.is_control
                    else record_json(record, batch.versions[position])
                )
                yield {
                    "offset": offset,
                    "epoch": batch.epoch,
                    "timestamp": batch.timestamp_ms,
                    "control": batch.is_control,
                    **spelled,
                }


def log_lines(log: MetadataLog, start: int, limit: int) -> Iterator[bytes]:
    """The same records, one JSON object a line, in pieces that are soon spelled."""
    size = 0
    while limit > 0 and size < LINES_BYTES_MAX and log.start_offset <= start < log.end_offset:
        records = committed_records(log, start, min(limit, LINES_AT_ONCE))
        lines = [json.dumps(record) + "\n" for record in records]
        piece = "".join(lines).encode()
        yield piece
        start, limit, size = start + len(lines), limit - len(lines), size + len(piece)
