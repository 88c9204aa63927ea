"""The files of a log as a broker of Kafka keeps them on its disk (LogSegment, UnifiedLog).

Each function returns bytes and has no IO. `kraftsim log export` writes them.
"""

from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import NamedTuple

from kraftsim.controller.wire.records.checksum import crc32c

from .batch import NONE, header_of

INDEX_INTERVAL_BYTES = 4096  # log.index.interval.bytes
_INDEX_ENTRY = Struct(">ii")  # offset and position, both relative to the segment
_TIME_ENTRY = Struct(">qi")
_SNAPSHOT_VERSION = 1
_SNAPSHOT_ENTRY = Struct(">qhiqiqiq")
_SNAPSHOT_START = Struct(">hI")
_COUNT = Struct(">i")


class ProducerEntry(NamedTuple):
    """A producer as a snapshot of producers has it (ProducerStateManager)."""

    producer_id: int
    epoch: int
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int
    coordinator_epoch: int = NONE
    first_offset_of_transaction: int = NONE


def segment_files(base_offset: int, batches: Sequence[bytes]) -> dict[str, bytes]:
    """Returns the three files of a segment by their names.

    A broker adds an entry to both indexes before the first batch behind each 4096 bytes, and the
    largest timestamp when it closes the segment.
    """
    offsets, times = bytearray(), bytearray()
    largest = indexed = (NONE, NONE)
    position = since = 0
    for batch in batches:
        header = header_of(batch)
        if header.max_timestamp > largest[0]:
            largest = (header.max_timestamp, header.last_offset)
        if since > INDEX_INTERVAL_BYTES:
            offsets += _INDEX_ENTRY.pack(header.last_offset - base_offset, position)
            if largest[0] > indexed[0]:
                indexed = largest
                times += _TIME_ENTRY.pack(largest[0], largest[1] - base_offset)
            since = 0
        position += len(batch)
        since += len(batch)
    if largest[0] > indexed[0]:
        times += _TIME_ENTRY.pack(largest[0], largest[1] - base_offset)
    name = f"{base_offset:020}"
    return {
        f"{name}.log": b"".join(batches),
        f"{name}.index": bytes(offsets),
        f"{name}.timeindex": bytes(times),
    }


def by_segment(bases: Sequence[int], batches: Sequence[bytes]) -> Iterator[tuple[int, list[bytes]]]:
    """Yields the base offset and the batches of each segment; earlier batches are left out."""
    for number, base in enumerate(bases):
        end = bases[number + 1] if number + 1 < len(bases) else None
        yield (
            base,
            [
                batch
                for batch in batches
                if header_of(batch).base_offset >= base
                and (end is None or header_of(batch).base_offset < end)
            ],
        )


def producer_snapshot(producers: Sequence[ProducerEntry]) -> bytes:
    """Returns the content of a snapshot of producers, whose name is the end offset of the log."""
    body = b"".join(
        (_COUNT.pack(len(producers)), *(_SNAPSHOT_ENTRY.pack(*entry) for entry in producers))
    )
    return _SNAPSHOT_START.pack(_SNAPSHOT_VERSION, crc32c(body)) + body


def epoch_checkpoint(entries: Sequence[tuple[int, int]]) -> bytes:
    """Returns the content of leader-epoch-checkpoint: epochs and their first offsets."""
    return _checkpoint([f"{epoch} {offset}" for epoch, offset in entries])


def offset_checkpoint(offsets: Mapping[tuple[str, int], int]) -> bytes:
    """Returns the content of a checkpoint of offsets by topic and partition."""
    return _checkpoint(
        [f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items()]
    )


def partition_metadata(topic_id: str) -> bytes:
    """Returns the content of partition.metadata."""
    return f"version: 0\ntopic_id: {topic_id}\n".encode()


def _checkpoint(lines: Sequence[str]) -> bytes:
    return "\n".join(["0", str(len(lines)), *lines, ""]).encode()
