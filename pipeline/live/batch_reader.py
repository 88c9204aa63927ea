"""Reads the log as a table: the records that exist at the time of the read."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)

from .options import Options
from .rows import arrow_batches
from .stream_reader import RangePartition

if TYPE_CHECKING:
    from pyarrow import RecordBatch


def reader_of(options: Options) -> DataSourceReader:
    """Returns a reader with `pushFilters` only if the options enable filter push-down.

    Spark rejects a reader that has `pushFilters` if the session does not allow push-down, even for
    a query without filters.
    """
    return FilteringLogReader(options) if options.pushes else LogReader(options)


class LogReader(DataSourceReader):
    """Reads the log in one partition per range of offsets."""

    def __init__(self, options: Options) -> None:
        self._log = options.log
        self._from, self._to = 0, 1 << 62  # requested offsets, the end excluded
        self._types: frozenset[str] | None = None  # requested record types, None: all

    def partitions(self) -> Sequence[InputPartition]:
        """Returns the partitions of the requested offsets."""
        extent = self._log.extent()
        requested = (
            (max(range_.start, self._from), min(range_.end, self._to), range_)
            for range_ in self._log.ranges(max(self._from, extent.start_offset), extent.end)
        )
        return [
            RangePartition(replace(batch_range, start=start, end=end))
            for start, end, batch_range in requested
            if start < end
        ]

    def read(self, partition: InputPartition) -> "Iterator[RecordBatch]":
        """Yields the records of a partition as Arrow batches."""
        assert isinstance(partition, RangePartition), partition
        rows = self._log.rows(partition.range)
        types = self._types
        return arrow_batches(rows if types is None else (row for row in rows if row[3] in types))


class FilteringLogReader(LogReader):
    """A LogReader that applies filters of `offset` and `record_type` at the source."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # Spark's name
        """Accepts filters of offset and record_type, and returns those that it does not accept."""
        return [filter_ for filter_ in filters if not self._accepts(filter_)]

    def _accepts(self, filter_: Filter) -> bool:
        match filter_:
            case EqualTo(("offset",), int(offset)):
                self._restrict_offsets(offset, offset + 1)
            case GreaterThanOrEqual(("offset",), int(offset)):
                self._restrict_offsets(start=offset)
            case GreaterThan(("offset",), int(offset)):
                self._restrict_offsets(start=offset + 1)
            case LessThan(("offset",), int(offset)):
                self._restrict_offsets(end=offset)
            case LessThanOrEqual(("offset",), int(offset)):
                self._restrict_offsets(end=offset + 1)
            case EqualTo(("record_type",), str(name)):
                self._restrict_types({name})
            case In(("record_type",), names):
                self._restrict_types(set(names))
            case _:
                return False
        return True

    def _restrict_offsets(self, start: int = 0, end: int = 1 << 62) -> None:
        self._from, self._to = max(self._from, start), min(self._to, end)

    def _restrict_types(self, names: set[str]) -> None:
        self._types = frozenset(names if self._types is None else names & self._types)
