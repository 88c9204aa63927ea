"""What a stream keeps of a log between two batches, and whether a log is still the one it knew.

A metadata log is immutable below its high watermark, so an offset is all that it takes to go on.
But what stands at that address may have become another cluster's log, or one that began anew: the
epoch and the time of the record before the offset tell.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from .rows import Row

NOTHING_BEFORE = -1  # the time of no record


class KraftLogError(Exception):
    """The log cannot be read as asked; the text says what to do."""


class DataLost(KraftLogError):
    """Records that a stream has not read yet are gone, or the log is another one."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a log, before `offset`; `epoch` and `timestamp` are of the record that stands just
    before it (or NOTHING_BEFORE). `cluster` is empty where a log on disk does not say."""

    cluster: str
    offset: int
    epoch: int = 0
    timestamp: int = NOTHING_BEFORE

    @classmethod
    def of_json(cls, document: dict[str, object]) -> "Mark":
        """Of a checkpoint, which Spark keeps as JSON."""
        return cls(**document)  # type: ignore[arg-type]  # we wrote it

    def to_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Extent:
    """Where a log begins, and the mark of its end: what lies between never changes."""

    start_offset: int
    end: Mark

    @property
    def start(self) -> Mark:
        return Mark(self.end.cluster, self.start_offset)


@dataclass(frozen=True, slots=True)
class Range:
    """The offsets from `start` up to `end`, of one task. `file` and `position` are where a log on
    disk has a batch that begins at `start` or before."""

    cluster: str
    start: int
    end: int
    file: str = ""
    position: int = 0


class Log(Protocol):
    """A log that can be read again; it travels to executors, so it owns no socket and no file."""

    def extent(self) -> Extent:
        """KraftLogError where there is no log."""

    def before(self, offset: int) -> tuple[int, int]:
        """Epoch and time of the record before `offset`, which lies after the extent's start."""

    def ranges(self, start: int, end: Mark) -> Sequence[Range]:
        """What the tasks of a batch read, each a part."""

    def rows(self, wanted: Range) -> Iterator[Row]:
        """Every offset of the range once, in order; DataLost where one is missing."""


def loss(mark: Mark, extent: Extent, log: Log) -> str | None:
    """Why what follows `mark` cannot be read from the log, None where it can."""
    end = extent.end
    if mark.cluster != end.cluster:
        return f"expected the log of cluster {mark.cluster!r}, got that of {end.cluster!r}"
    if mark.offset < extent.start_offset:
        return f"expected offset {mark.offset}, but the log begins at {extent.start_offset} now"
    if mark.offset > end.offset:
        return f"expected offset {mark.offset}, but the log ends at {end.offset}"
    if mark.timestamp == NOTHING_BEFORE or mark.offset == extent.start_offset:
        return None
    found = log.before(mark.offset)
    if found != (mark.epoch, mark.timestamp):
        return (
            f"expected epoch {mark.epoch} and time {mark.timestamp} of the record before offset "
            f"{mark.offset}, got {found[0]} and {found[1]}: another log began there"
        )
    return None
