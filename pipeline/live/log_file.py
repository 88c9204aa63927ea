"""Reads a segment, a snapshot or a bootstrap checkpoint once, from its first byte to its last.

The file is mapped, and batch after batch is decoded, so that its size does not matter.
"""

from collections.abc import Iterator
from pathlib import Path

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.json.batch_json import batch_json
from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.records.batch_heads import BatchHead, batch_heads
from kraftsim.controller.wire.records.record_batch import decode_batch
from kraftsim.controller.wire.records.snapshot_file import checked_snapshot
from kraftsim.controller.wire.records.unknown_record import decode_or_keep

from .log import KraftLogError
from .segments import mapped

SNAPSHOT_SUFFIX = ".checkpoint"
BATCH_BYTES_MAX = 64 * 1024 * 1024  # eight times the largest batch that Kafka's raft client writes


class DamagedFile(KraftLogError):
    """Bytes of a file that are no records; the message has the position of the batch."""


class LogFile:
    """A file of the metadata log.

    `position` is the byte after the last batch that was read, `offset` the next offset, if known:
    the name of a segment is its first offset.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.position = 0
        name = file.name.partition(".")[0]
        self.offset = int(name) if file.suffix == ".log" and name.isdecimal() else None

    def records(self) -> Iterator[Document]:
        """Yields every record as a JSON document; raises DamagedFile at the first damaged batch."""
        batches = self._batches()
        if self.file.name.endswith(SNAPSHOT_SUFFIX):
            batches = checked_snapshot(batches)
        try:
            for batch in batches:
                yield from batch_json(batch)
        except DecodeError as error:
            at = "" if self.offset is None else f", offset {self.offset}"
            raise DamagedFile(f"{self.file}: byte {self.position}{at}: {error}") from None

    def _batches(self) -> Iterator[Batch]:
        """Yields the batches in the order of their offsets, which have no gap."""
        with mapped(self.file) as data:
            for head in batch_heads(data):
                _check_head(head, self.offset)
                batch = decode_batch(bytes(data[head.position : head.end]), decode_or_keep)
                yield batch
                self.position, self.offset = head.end, batch.last_offset + 1
            if self.position < len(data):
                raise DecodeError(
                    f"expected a whole batch, got {len(data) - self.position} bytes: the file is "
                    "truncated, or is still being written"
                )


def _check_head(head: BatchHead, offset: int | None) -> None:
    """Raises DecodeError for a batch that is too large, or that does not begin at `offset`."""
    size = head.end - head.position
    if size > BATCH_BYTES_MAX:
        raise DecodeError(f"expected a batch of at most {BATCH_BYTES_MAX} bytes, got {size}")
    if offset is not None and head.base_offset != offset:
        raise DecodeError(f"expected a batch at offset {offset}, got one at {head.base_offset}")
