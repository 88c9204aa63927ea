"""The fold of broker states as Spark keeps it: one value a broker, in RocksDB, over restarts.

There are no timers. In event time Spark drops a row that is not newer than the watermark, but two
records may have the same millisecond, and a log's clock goes back when another controller takes
over: a fencing would be lost. In processing time it runs a batch after the other while nothing
happens. What time alone decides, how long an open state has lasted, is for whoever asks
(`changes.py`).
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
    """Records about one broker in, its changes out."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._standing = handle.getValueState("standing", STANDING)

    def handleInputRows(
        self, key: tuple[int], rows: Iterator[Row], timerValues: TimerValues
    ) -> Iterator[Row]:
        (broker_id,) = key
        kept = self._standing.get()
        standing = None if kept is None else Standing(*kept)
        for row in sorted(rows, key=lambda one: one.offset):
            standing, change = fold(standing, record_of(row))
            if change is not None:
                yield Row(broker_id=broker_id, **asdict(change))
        if standing is None:
            self._standing.clear()
        else:
            self._standing.update(astuple(standing))


def record_of(row: Row) -> BrokerRecord:
    """Of a row with `ts_ms` instead of `ts`: whole numbers know no time zone."""
    return BrokerRecord(
        row.offset, row.ts_ms, row.record_type, row.broker_epoch, json.loads(row.payload)
    )
