"""The columns of the source, and records of the metadata log as rows."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyarrow import RecordBatch

SCHEMA = (
    "offset BIGINT, ts TIMESTAMP, leader_epoch INT, record_type STRING, version SMALLINT, "
    "broker_id INT, broker_epoch BIGINT, cluster_id STRING, payload STRING"
)
NAMES = [column.split()[0] for column in SCHEMA.split(", ")]
GAP = "GAP"  # the record_type of a row that reports missing records
ROWS_MAX = 4096  # per Arrow batch

# offset, time in microseconds, and the rest as in SCHEMA
Row = tuple[int, int | None, int | None, str, int | None, int | None, int | None, str | None, str]


def row_of(record: Mapping[str, object], cluster_id: str | None) -> Row:
    """Returns the row of a record as `/v1/log` returns it, with Kafka's field names."""
    data, timestamp_ms = record["data"], record["timestamp"]
    assert isinstance(data, dict), record
    assert isinstance(timestamp_ms, int), record
    return (
        record["offset"],  # type: ignore[return-value]  # an int, as `/v1/log` returns it
        timestamp_ms * 1000,
        record["epoch"],
        record["type"],
        record["version"],
        data.get("brokerId", _fenced(record, "id")),
        data.get("brokerEpoch", _fenced(record, "epoch")),
        cluster_id,
        json.dumps(data, separators=(",", ":"), ensure_ascii=False),
    )


def _fenced(record: Mapping[str, object], name: str) -> int | None:
    """Returns a field of a FenceBroker or UnfenceBroker record.

    Only these two records call the broker's id and epoch `id` and `epoch`.
    """
    if record["type"] not in ("FENCE_BROKER_RECORD", "UNFENCE_BROKER_RECORD"):
        return None
    value = record["data"][name]  # type: ignore[index]  # a mapping, as above
    assert isinstance(value, int), record
    return value


def gap_row(offset: int, cluster_id: str | None, **details: object) -> Row:
    """Returns the row that reports missing records, with `details` as its payload.

    `offset` is the first missing offset.
    """
    return offset, None, None, GAP, None, None, None, cluster_id, json.dumps(details)


def arrow_batches(rows: Iterable[Row]) -> "Iterator[RecordBatch]":
    """Yields the rows as Arrow batches, the fastest input for Spark."""
    import pyarrow as pa

    kinds = [
        pa.int64(),
        pa.timestamp("us", "UTC"),
        pa.int32(),
        pa.string(),
        pa.int16(),
        pa.int32(),
        pa.int64(),
        pa.string(),
        pa.string(),
    ]
    waiting = iter(rows)
    while chunk := list(islice(waiting, ROWS_MAX)):
        columns = zip(*chunk, strict=True)
        arrays = [pa.array(entry, type=kind) for entry, kind in zip(columns, kinds, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, names=NAMES)
