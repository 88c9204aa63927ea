"""The segments of a metadata log on disk, Kafka's own included, and where offsets stand in them."""

import mmap
import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.records.batch_heads import BatchHead, batch_heads
from kraftsim.controller.wire.records.record_batch import decode_batches

from .log import KraftLogError

PARTITION = "__cluster_metadata-0"
INDEX_BYTES = 65_536  # between two positions that are remembered; so far is read to find an offset
_SEGMENT = re.compile(r"\d{20}\.log")


def segment_files(path: Path) -> list[Path]:
    """The file, or the segments of the folder (or of the metadata partition in it) in order."""
    if path.is_file():
        return [path]
    folder = path / PARTITION if (path / PARTITION).is_dir() else path
    found = sorted(one for one in folder.glob("*.log") if _SEGMENT.fullmatch(one.name))
    if not found:
        raise KraftLogError(
            f"{path}: expected a file, or a folder with segments of a metadata log "
            f"({0:020}.log), got {'a folder without' if path.is_dir() else 'nothing there'}"
        )
    return found


def cluster_id(path: Path) -> str:
    """As meta.properties beside the partition says; empty without."""
    for folder in (path, *path.parents[:2]):
        file = folder / "meta.properties"
        if file.is_file():
            found = re.search(r"^cluster\.id=(\S+)$", file.read_text(), re.MULTILINE)
            return found[1] if found else ""
    return ""


class Segment:
    """One file, read on from where it ended the last time. `end_offset` is behind its last whole
    batch; `last` that batch."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.base_offset = 0
        self.last: BatchHead | None = None
        self._offsets: list[int] = []  # a sparse index: base offsets of some batches,
        self._positions: list[int] = []  # and where they stand

    @property
    def end_offset(self) -> int:
        return self.base_offset if self.last is None else self.last.last_offset + 1

    def read_on(self) -> None:
        """Take in what was written since; half a batch at the end is not there yet."""
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

    def is_as_it_was(self) -> bool:
        """Whether the last batch stands where it stood: a log may be taken back, and replaced."""
        if self.last is None:
            return True
        try:
            return next(heads(self.file, self.last.position), None) == self.last
        except KraftLogError:
            return False

    def position_of(self, offset: int) -> int:
        """Where a batch begins that `offset` stands in, or after."""
        return self._positions[max(bisect_right(self._offsets, offset) - 1, 0)]

    def batch_of(self, offset: int) -> BatchHead:
        if self.last is not None and self.last.base_offset <= offset:
            return self.last
        found = heads(self.file, self.position_of(offset))
        return next(head for head in found if head.last_offset >= offset)


def heads(file: Path, position: int) -> Iterator[BatchHead]:
    """Of the whole batches from `position` on. The very last one counts once its CRC is right: it
    may still be on its way to the disk."""
    with _mapped(file) as data:
        try:
            for head in batch_heads(data, position):
                if head.end < len(data) or _is_sound(data[head.position : head.end]):
                    yield head
        except DecodeError as error:
            raise KraftLogError(f"{file}: {error}") from None


def _is_sound(batch: memoryview) -> bool:
    try:
        decode_batches(bytes(batch))
    except DecodeError:
        return False
    return True


@contextmanager
def _mapped(file: Path) -> Iterator[memoryview]:
    with file.open("rb") as opened:
        if opened.seek(0, 2) == 0:  # nothing to map
            yield memoryview(b"")
            return
        with (
            mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data,
            memoryview(data) as view,
        ):
            yield view
