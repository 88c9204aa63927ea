"""The position that a stream stores between two batches, and the check that the log is the same.

A metadata log is immutable below its high watermark, so an offset is enough to resume. However, the
address may now serve the log of another cluster, or a log that was created again. The epoch and the
time of the record before the offset detect that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from .rows import Row

NOTHING_BEFORE = -1  # the timestamp of a mark with no record before it


class KraftLogError(Exception):
    """The log cannot be read as requested; the message names the remedy."""


class NoLog(KraftLogError):
    """The path has no metadata log."""


class NoAnswer(KraftLogError):
    """No service answers at the URL."""


class DataLost(KraftLogError):
    """Records that were not read yet are gone, or the log is not the log of the mark."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A position in a log, before `offset`.

    `epoch` and `timestamp` are those of the record just before it, or 0 and NOTHING_BEFORE.
    `cluster` is empty if a log on disk does not contain the cluster id.
    """

    cluster: str
    offset: int
    epoch: int = 0
    timestamp: int = NOTHING_BEFORE

    @classmethod
    def of_json(cls, document: dict[str, object]) -> "Mark":
        """Returns the mark of a checkpoint, which Spark stores as JSON."""
        return cls(**document)  # type: ignore[arg-type]  # made by to_json

    def to_json(self) -> dict[str, object]:
        """Returns the mark for a checkpoint."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Extent:
    """The start offset and the end of a log; the records between them never change."""

    start_offset: int
    end: Mark

    @property
    def start(self) -> Mark:
        """The mark of the start."""
        return Mark(self.end.cluster, self.start_offset)


@dataclass(frozen=True, slots=True)
class Range:
    """The offsets from `start` to before `end` that one task reads.

    For a log on disk, `file` and `position` locate a batch that starts at `start` or before.
    """

    cluster: str
    start: int
    end: int
    file: str = ""
    position: int = 0


class Log(Protocol):
    """A log that can be read repeatedly.

    It is sent to executors, so it owns no socket and no file.
    """

    def extent(self) -> Extent:
        """Returns the current start and end of the log; raises KraftLogError if there is no log."""

    def before(self, offset: int) -> tuple[int, int]:
        """Returns epoch and time of the record before `offset`, which is above the start offset."""

    def ranges(self, start: int, end: Mark) -> Sequence[Range]:
        """Returns the ranges that the tasks of a batch read."""

    def rows(self, offsets: Range) -> Iterator[Row]:
        """Yields every offset of the range once, in order; raises DataLost if one is missing."""


def loss(mark: Mark, extent: Extent, log: Log) -> str | None:
    """Returns why the log cannot be read on from `mark`, or None if it can."""
    end = extent.end
    if mark.cluster != end.cluster:
        return f"expected the log of cluster {mark.cluster!r}, got that of {end.cluster!r}"
    if mark.offset < extent.start_offset:
        return f"expected offset {mark.offset}, but the log starts at {extent.start_offset}"
    if mark.offset > end.offset:
        return f"expected offset {mark.offset}, but the log ends at {end.offset}"
    if mark.timestamp == NOTHING_BEFORE or mark.offset == extent.start_offset:
        return None
    before = log.before(mark.offset)
    if before != (mark.epoch, mark.timestamp):
        return (
            f"expected epoch {mark.epoch} and time {mark.timestamp} of the record before offset "
            f"{mark.offset}, got {before[0]} and {before[1]}: this is another log"
        )
    return None
