"""The segments of a metadata log on disk, in Kafka's format, and offsets' positions in them."""

import mmap
import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kraftsim.controller.core.topic_name import METADATA_TOPIC
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.records.batch_heads import BatchHead, batch_heads
from kraftsim.controller.wire.records.record_batch import decode_batches

from .log import KraftLogError, NoLog

PARTITION = f"{METADATA_TOPIC}-0"
INDEX_BYTES = 65_536  # between two index entries: the most that is read to find an offset
_SEGMENT = re.compile(r"\d{20}\.log")


def segment_files(path: Path) -> list[Path]:
    """Returns the file itself, or the segments of the folder or its metadata partition, in order.

    Raises NoLog if there are none.
    """
    if path.is_file():
        return [path]
    folder = path / PARTITION if (path / PARTITION).is_dir() else path
    segments = sorted(path for path in folder.glob("*.log") if _SEGMENT.fullmatch(path.name))
    if not segments:
        raise NoLog(
            f"{path}: expected a file, or a folder with segments of a metadata log "
            f"({0:020}.log), got {_without_segments(folder) if path.is_dir() else 'no such path'}"
        )
    return segments


def _without_segments(folder: Path) -> str:
    """Says what a folder is that has no segments; a new one has only a snapshot."""
    snapshots = sorted(folder.glob("*.checkpoint"))
    return f"a folder with the snapshot {snapshots[-1]} only" if snapshots else "a folder without"


def cluster_id(path: Path) -> str:
    """Returns the cluster id of meta.properties beside the partition; empty without that file."""
    for folder in (path, *path.parents[:2]):
        file = folder / "meta.properties"
        if file.is_file():
            match = re.search(r"^cluster\.id=(\S+)$", file.read_text(), re.MULTILINE)
            return match[1] if match else ""
    return ""


class Segment:
    """One segment file, read incrementally.

    `last` is its last whole batch, and `end_offset` the offset after that batch.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.base_offset = 0
        self.last: BatchHead | None = None
        self._offsets: list[int] = []  # a sparse index: base offsets of some batches
        self._positions: list[int] = []  # and their positions in the file

    @property
    def end_offset(self) -> int:
        """The offset after the last whole batch."""
        return self.base_offset if self.last is None else self.last.last_offset + 1

    def read_on(self) -> None:
        """Reads the batches that were appended since the last call; skips an incomplete batch.

        Raises KraftLogError if offsets are not contiguous.
        """
        for head in heads(self.file, 0 if self.last is None else self.last.end):
            if self.last is None:
                self.base_offset = head.base_offset
            elif head.base_offset != self.end_offset:
                raise KraftLogError(
                    f"{self.file}: expected offset {self.end_offset} at byte {head.position}, "
                    f"got {head.base_offset}"
                )
            if not self._positions or head.position - self._positions[-1] >= INDEX_BYTES:
                self._offsets.append(head.base_offset)
                self._positions.append(head.position)
            self.last = head

    def is_unchanged(self) -> bool:
        """Returns whether the file still has the last batch that was read.

        A leader change may truncate a log, which is then written again.
        """
        if self.last is None:
            return True
        try:
            return next(heads(self.file, self.last.position), None) == self.last
        except KraftLogError:
            return False

    def position_of(self, offset: int) -> int:
        """Returns the position of a batch that contains `offset` or precedes it."""
        return self._positions[max(bisect_right(self._offsets, offset) - 1, 0)]

    def batch_of(self, offset: int) -> BatchHead:
        """Returns the batch that contains `offset`."""
        if self.last is not None and self.last.base_offset <= offset:
            return self.last
        headers = heads(self.file, self.position_of(offset))
        return next(head for head in headers if head.last_offset >= offset)


def heads(file: Path, position: int) -> Iterator[BatchHead]:
    """Yields the headers of the whole batches from `position` on.

    The last batch of the file may be incomplete: it is yielded only if its CRC is right.
    """
    with mapped(file) as data:
        try:
            for head in batch_heads(data, position):
                if head.end < len(data) or _is_sound(data[head.position : head.end]):
                    yield head
                position = head.end
        except DecodeError as error:
            raise KraftLogError(f"{file}: byte {position}: {error}") from None


def _is_sound(batch: memoryview) -> bool:
    try:
        decode_batches(bytes(batch))
    except DecodeError:
        return False
    return True


@contextmanager
def mapped(file: Path) -> Iterator[memoryview]:
    """Maps a file into memory; an empty file is no bytes."""
    with file.open("rb") as opened:
        if opened.seek(0, 2) == 0:  # nothing to map
            yield memoryview(b"")
            return
        with (
            mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data,
            memoryview(data) as view,
        ):
            yield view
