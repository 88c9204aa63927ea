"""Reads a log on disk: a folder of segments or one file, possibly still being written.

A node's log may have uncommitted records. If another leader truncates them, a stream that has read
them finds a different record before its mark and reports it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.json.batch_json import batch_json
from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.records.record_batch import decode_batches

from .log import DataLost, Extent, KraftLogError, Mark, Range
from .rows import Row, row_of
from .segments import Segment, cluster_id, heads, segment_files


class FileLog:
    """A log on disk.

    The segments that were read are remembered, and are not pickled for executors; the path is.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._segments: dict[Path, Segment] = {}

    def __reduce__(self) -> tuple[type["FileLog"], tuple[str]]:
        return FileLog, (self.path,)

    def extent(self) -> Extent:
        """Returns the start of the first segment and the end of the last whole batch."""
        segments = self._read_on()
        last = next(
            (segment.last for segment in reversed(segments) if segment.last is not None), None
        )
        end = Mark(cluster_id(Path(self.path)), segments[-1].end_offset)
        if last is not None:
            end = Mark(end.cluster, last.last_offset + 1, last.epoch, last.timestamp_ms)
        return Extent(segments[0].base_offset, end)

    def before(self, offset: int) -> tuple[int, int]:
        """Returns the epoch and the time of the batch that has the record before `offset`."""
        segment = next(
            segment for segment in reversed(self._ordered_segments) if segment.base_offset < offset
        )
        head = segment.batch_of(offset - 1)
        return head.epoch, head.timestamp_ms

    def ranges(self, start: int, end: Mark) -> Sequence[Range]:
        """Returns a range for each segment between the offsets."""
        return [
            Range(
                end.cluster,
                max(start, segment.base_offset),
                min(end.offset, segment.end_offset),
                str(segment.file),
                segment.position_of(max(start, segment.base_offset)),
            )
            for segment in self._read_on()
            if segment.base_offset < end.offset and start < segment.end_offset
        ]

    def rows(self, offsets: Range) -> Iterator[Row]:
        """Yields the rows of the range; DataLost if the file ends before it."""
        offset = offsets.start
        for record in _records(Path(offsets.file), offsets.position):
            record_offset = record["offset"]
            assert isinstance(record_offset, int), record
            if record_offset >= offsets.end:
                return
            if record_offset >= offsets.start:
                yield row_of(record, offsets.cluster or None)
                offset = record_offset + 1
        if offset < offsets.end:
            raise DataLost(f"{offsets.file}: expected offset {offset}, but the file ends before it")

    @property
    def _ordered_segments(self) -> list[Segment]:
        return list(self._segments.values())

    def _read_on(self) -> list[Segment]:
        """Reads every segment up to its current end."""
        before = self._segments
        self._segments = {}
        for file in segment_files(Path(self.path)):
            segment = before.get(file) or Segment(file)
            if not segment.is_unchanged():
                segment = Segment(file)
            segment.read_on()
            self._check_follows(segment)
            self._segments[file] = segment
        return self._ordered_segments

    def _check_follows(self, segment: Segment) -> None:
        if self._segments and segment.last is not None:
            before = self._ordered_segments[-1]
            if before.end_offset != segment.base_offset:
                raise KraftLogError(
                    f"{segment.file}: expected offset {before.end_offset}, where "
                    f"{before.file.name} ends, got {segment.base_offset}"
                )


def _records(file: Path, position: int) -> Iterator[Document]:
    """Yields records in the form of `/v1/log`; KraftLogError for a damaged batch."""
    with file.open("rb") as opened:
        for head in heads(file, position):
            opened.seek(head.position)
            try:
                (batch,) = decode_batches(opened.read(head.end - head.position))
            except DecodeError as error:
                raise KraftLogError(
                    f"{file}: byte {head.position}, offset {head.base_offset}: {error}"
                ) from None
            yield from batch_json(batch)
