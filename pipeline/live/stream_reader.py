"""Reads the log as a stream: every record once, across restarts, or an error if that is impossible.

While a query runs, Spark calls `latestOffset` and `partitions` on one reader in one process. It
calls `read` on copies of the reader, on executors.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from .log import DataLost, Extent, Log, Mark, Range, loss
from .options import Options
from .rows import Row, arrow_batches, gap_row

if TYPE_CHECKING:
    from pyarrow import RecordBatch

HELP = (
    "start again with another checkpoint (and --out) to read from the start of the log; a query of "
    "your own may set the option failOnDataLoss to false to go on from there with a row of "
    "record_type GAP"
)


@dataclass
class RangePartition(InputPartition):
    """The range that one task reads."""

    range: Range


@dataclass
class GapPartition(InputPartition):
    """Missing records between two marks, with the reason."""

    start: Mark
    end: Mark
    reason: str


class LogStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads the log for a streaming query; an offset of Spark is a `Mark` as JSON."""

    def __init__(self, options: Options) -> None:
        self._log: Log = options.log
        self._options = options
        self._last: Mark | None = None  # the end of a query with the trigger availableNow
        self._planned: tuple[Mark, Mark] | None = None  # a batch known to be in the log

    def initialOffset(self) -> dict[str, object]:  # Spark's name, as below
        """Returns the start of the log."""
        return self._log.extent().start.to_json()

    def getDefaultReadLimit(self) -> ReadLimit:
        """Returns the limit of a micro-batch from the options."""
        most = self._options.records_max
        return ReadAllAvailable() if most is None else ReadMaxRows(most)

    def prepareForTriggerAvailableNow(self) -> None:
        """Ends the query at the current end of the log."""
        self._last = self._log.extent().end

    def latestOffset(self, start: dict[str, object], limit: ReadLimit) -> dict[str, object]:
        """Returns the end of the next batch: the end of the log, or less if `limit` requires it."""
        mark, extent = Mark.of_json(start), self._log.extent()
        if mark == extent.end:
            return start
        if self._loss(mark, extent) is not None:
            return self._end(extent.start, extent, limit).to_json()
        end = self._end(mark, extent, limit)
        self._planned = mark, end
        return end.to_json()

    def reportLatestOffset(self) -> dict[str, object]:
        """Returns the current end of the log."""
        return self._log.extent().end.to_json()

    def partitions(
        self, start: dict[str, object], end: dict[str, object]
    ) -> Sequence[InputPartition]:
        """Returns the partitions of a batch; records that are gone become a GapPartition.

        An earlier process may have planned the batch, so its marks are checked against the log.
        """
        begin, stop = Mark.of_json(start), Mark.of_json(end)
        if begin == stop:
            return []
        if (begin, stop) == self._planned:
            return self._ranges(begin, stop)
        extent = self._log.extent()
        begin_lost, stop_lost = self._loss(begin, extent), self._loss(stop, extent)
        if stop_lost is not None:
            return [GapPartition(begin, stop, stop_lost)]
        if begin_lost is not None:
            gap = GapPartition(begin, extent.start, begin_lost)
            return [gap, *self._ranges(extent.start, stop)]
        return self._ranges(begin, stop)

    def read(self, partition: InputPartition) -> "Iterator[RecordBatch]":
        """Yields the rows of a partition as Arrow batches."""
        return arrow_batches(self._rows(partition))

    def _rows(self, partition: InputPartition) -> Iterator[Row]:
        if isinstance(partition, RangePartition):
            yield from self._log.rows(partition.range)
        elif isinstance(partition, GapPartition):
            start, end = partition.start, partition.end
            cluster = start.cluster or None
            yield gap_row(start.offset, cluster, reason=partition.reason, next=end.to_json())

    def _ranges(self, start: Mark, end: Mark) -> list[InputPartition]:
        return [RangePartition(range_) for range_ in self._log.ranges(start.offset, end)]

    def _loss(self, mark: Mark, extent: Extent) -> str | None:
        """Returns why the log does not continue from `mark`, or None if it does.

        Raises DataLost instead if the options make the query fail.
        """
        reason = loss(mark, extent, self._log)
        if reason is not None and self._options.fails_on_loss:
            raise DataLost(f"{reason}: {HELP}")
        return reason

    def _end(self, begin: Mark, extent: Extent, limit: ReadLimit) -> Mark:
        end = extent.end
        if self._last is not None and self._last.cluster == end.cluster:
            end = min(end, self._last, key=lambda mark: mark.offset)
        if isinstance(limit, ReadMaxRows) and end.offset - begin.offset > limit.max_rows:
            offset = begin.offset + limit.max_rows
            return Mark(end.cluster, offset, *self._log.before(offset))
        return end if end.offset > begin.offset else begin
