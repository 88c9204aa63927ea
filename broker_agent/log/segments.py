"""The segments of a log: when one is rolled, and which are deleted (rules B8.1-B8.16).

They have no files. Their borders are visible all the same: retention deletes whole segments, a
Fetch ends at a border, and DescribeLogDirs adds up their sizes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .batch import NONE, BadRecord, Header, header_of
from .codecs import CannotDecompress
from .compression import records_in
from .settings import LogSettings

_OFFSETS_MAX = 2**31 - 1  # of a segment, relative to its base


@dataclass(slots=True)
class Segment:
    """A run of batches.

    `first_timestamp` is the largest timestamp of the first batch, `largest_timestamp` that of all,
    in the batch at `largest_at`, `offset_of_largest` its record's offset. Ages are on the monotonic
    clock (`first_ms`, `largest_ms`): a record is as old as its timestamp was at the append, and the
    time since.
    """

    base_offset: int
    created_ms: int
    size: int = 0
    first_timestamp: int = NONE
    first_ms: int = NONE
    largest_timestamp: int = NONE
    largest_at: int = NONE
    offset_of_largest: int = NONE
    largest_ms: int = NONE  # the largest timestamp, on the monotonic clock
    modified_ms: int = NONE

    def add(self, size: int, header: Header, offset_of_max: int, now_ms: int, wall_ms: int) -> None:
        """Notes a batch that was appended."""
        timestamp = header.max_timestamp
        if not self.size:
            self.first_timestamp = timestamp
            self.first_ms = now_ms - (wall_ms - timestamp) if timestamp != NONE else now_ms
        self.size += size
        self.modified_ms = now_ms
        if timestamp > self.largest_timestamp:
            self.largest_timestamp = timestamp
            self.largest_at = header.base_offset
            self.offset_of_largest = offset_of_max
            self.largest_ms = now_ms - (wall_ms - timestamp)

    def must_roll(self, size: int, header: Header, now_ms: int, settings: LogSettings) -> bool:
        """True if a batch of this size goes to a new segment (B8.2, B8.3)."""
        if self.size > settings.segment_bytes - size:
            return True
        waited_ms = now_ms - self.created_ms
        if self.first_timestamp >= 0:
            waited_ms = header.max_timestamp - self.first_timestamp  # time of messages
        if self.size and waited_ms > settings.roll_ms:
            return True
        return header.base_offset + header.last_delta - self.base_offset > _OFFSETS_MAX

    def age_ms(self, now_ms: int) -> int:
        """Returns the age of the newest record; without timestamps since the last write (B8.14)."""
        since_ms = self.modified_ms if self.largest_timestamp == NONE else self.largest_ms
        return now_ms - since_ms

    def first_age_ms(self, now_ms: int) -> int:
        """Returns the age of the first batch."""
        return now_ms - self.first_ms


def expired(segments: list[Segment], log_start: int, now_ms: int, settings: LogSettings) -> int:
    """Returns how many of the oldest segments retention deletes, the active one included.

    Each policy stops at the first segment that does not qualify (B8.12-B8.16); all segments end at
    or below the high watermark, which the caller checks.
    """
    count = sum(following.base_offset <= log_start for following in segments[1:])
    if "delete" not in settings.policies:
        return count
    excess = sum(segment.size for segment in segments[count:]) - settings.retention_bytes
    if settings.retention_bytes >= 0:
        while count < len(segments) and excess - segments[count].size >= 0:
            excess -= segments[count].size
            count += 1
    if settings.retention_ms >= 0:
        while (
            count < len(segments)
            and segments[count].size
            and segments[count].age_ms(now_ms) > settings.retention_ms
        ):
            count += 1
    return count


def merged(segments: Sequence[Segment], batches: Sequence[bytes]) -> Segment:
    """Returns one segment in the place of several, with the batches that stayed."""
    first, last = segments[0], segments[-1]
    whole, largest = Segment(first.base_offset, first.created_ms), b""
    # The clocks were as far apart when the last batch came.
    now_ms, wall_ms = last.largest_ms, last.largest_timestamp
    for batch in batches:
        header = header_of(batch)
        whole.add(len(batch), header, header.base_offset, now_ms, wall_ms)
        if whole.largest_at == header.base_offset:
            largest = batch
    if largest:
        whole.offset_of_largest += _delta_of_largest(largest)
    whole.modified_ms = last.modified_ms
    return whole


def _delta_of_largest(batch: bytes) -> int:
    """Returns which record has the largest timestamp; 0 of a batch that cannot be read."""
    header = header_of(batch)
    try:
        for record in records_in(batch, header):
            if record.timestamp == header.max_timestamp:
                return record.delta
    except (BadRecord, CannotDecompress):
        pass
    return 0
