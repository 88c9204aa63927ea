"""Keeps the state of each broker in Spark's state store (RocksDB), across restarts.

There are no timers. In event time, Spark drops rows that are not newer than the watermark; but two
records may have the same millisecond, and a log's time may decrease when another controller takes
over, so a fencing would be lost. In processing time, Spark runs batches continuously even without
new records. The time since the last change is computed by queries (`changes.py`).
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, astuple

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from .broker_states import BrokerRecord, Standing, fold

STANDING = (
    "broker_epoch BIGINT, fenced BOOLEAN, in_controlled_shutdown BOOLEAN, since_ms BIGINT, "
    "leased_since_ms BIGINT, unfenced_ms BIGINT, known_ms BIGINT"
)
CHANGES = (
    "broker_id INT, offset BIGINT, ts_ms BIGINT, broker_epoch BIGINT, cause STRING, state STRING, "
    "state_before STRING, since_ms BIGINT, lease_end STRING, lease_ms BIGINT, unfenced_ms BIGINT, "
    "known_ms BIGINT"
)


class BrokerStates(StatefulProcessor):
    """Turns the records of one broker into its changes."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the state of the broker."""
        self._standing = handle.getValueState("standing", STANDING)

    def handleInputRows(
        self, key: tuple[int], rows: Iterator[Row], timerValues: TimerValues
    ) -> Iterator[Row]:
        """Yields the changes of one broker, from its new records in order of offset."""
        (broker_id,) = key
        stored = self._standing.get()
        standing = None if stored is None else Standing(*stored)
        for row in sorted(rows, key=lambda row: row.offset):
            standing, change = fold(standing, record_of(row))
            if change is not None:
                yield Row(broker_id=broker_id, **asdict(change))
        if standing is None:
            self._standing.clear()
        else:
            self._standing.update(astuple(standing))


def record_of(row: Row) -> BrokerRecord:
    """Returns the record of a row that has `ts_ms`, which has no time zone, instead of `ts`."""
    return BrokerRecord(
        row.offset, row.ts_ms, row.record_type, row.broker_epoch, json.loads(row.payload)
    )
