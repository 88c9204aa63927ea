"""The records of a batch as JSON documents, in the form of `/v1/log` and `kraftsim log dump`."""

from collections.abc import Iterator
from typing import cast

from ...core.log.batch import Batch
from ...core.log.control_records import ControlRecord
from ...core.log.records import Record
from ..records.unknown_record import UnknownRecord
from .document import Document
from .json_form import control_record_json, record_json


def batch_json(batch: Batch, start: int = 0, limit: int | None = None) -> Iterator[Document]:
    """Yields a document for each record: offset, epoch, timestamp, control, type, version, data.

    A record that this release does not know has the type UNKNOWN_n, where n is its key; its data
    is the record's value in hexadecimal.

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
            **_typed(record, batch.versions[delta], is_control=batch.is_control),
        }


def _typed(record: object, version: int, *, is_control: bool) -> Document:
    if is_control:
        return control_record_json(cast(ControlRecord, record))
    if isinstance(record, UnknownRecord):
        return {
            "type": f"UNKNOWN_{record.key}",
            "version": version,
            "data": {"hex": record.raw.hex()},
        }
    return record_json(cast(Record, record), version)
