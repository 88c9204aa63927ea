"""The records of a batch as JSON documents, in the form of `/v1/log` and `kraftsim log dump`."""

from collections.abc import Iterator

from ...core.log.batch import Batch
from .document import Document
from .json_form import control_record_json, record_json


def batch_json(batch: Batch, start: int = 0, limit: int | None = None) -> Iterator[Document]:
    """Yields a document for each record: offset, epoch, timestamp, control, type, version, data.

    Records before offset `start` are left out, and records from offset `start + limit` on. The
    timestamp is in milliseconds since the epoch. Type, version and data are those that
    kafka-dump-log prints.
    """
    end = batch.last_offset + 1 if limit is None else start + limit
    first, last = (max(offset - batch.base_offset, 0) for offset in (start, end))
    for delta, record in enumerate(batch.records[first:last], first):
        yield {
            "offset": batch.base_offset + delta,
            "epoch": batch.epoch,
            "timestamp": batch.timestamp_ms,
            "control": batch.is_control,
            **(
                control_record_json(record)
                if batch.is_control
                else record_json(record, batch.versions[delta])
            ),
        }
