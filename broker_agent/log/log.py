"""The log of one replica: batches in offset order, and what a broker knows of them (rule B8).

The layout keeps the cost of a batch beyond its bytes low: the batches in a list, their base offsets
in an array. Everything else is per segment, per leader epoch, per producer.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from kraftsim.controller.core.errors import ErrorCode

from .batch import LOG_APPEND_TIME, NONE, Header, expect_whole, header_of
from .epochs import LeaderEpochs
from .producers import Appended, Producers
from .segments import Segment, expired
from .settings import LogSettings
from .validation import Accepted, Refused


class Instant(NamedTuple):
    """The time of a broker: its monotonic clock, and the wall clock that its clients have."""

    now_ms: int
    wall_ms: int


class Log:
    """The log of one replica.

    Readers see what is below `high_watermark`; `end_offset` is the next offset. `recovery_point` is
    the offset below which the log is flushed. `batches` and `base_offsets` are only read from
    outside.
    """

    __slots__ = (
        "base_offsets",
        "batches",
        "cleaned_offset",
        "damaged",
        "end_offset",
        "epochs",
        "high_watermark",
        "horizons",
        "looked_ms",
        "producers",
        "recovery_point",
        "segments",
        "start_moves",
        "start_offset",
    )

    def __init__(self, created_ms: int) -> None:
        self.batches: list[bytes] = []
        self.base_offsets: array[int] = array("q")
        self.start_offset = self.end_offset = self.high_watermark = self.recovery_point = 0
        self.cleaned_offset = 0  # below which the log is compacted
        self.horizons: dict[int, int] = {}  # base offset of a batch: when its tombstones may go
        self.epochs = LeaderEpochs()
        self.producers = Producers()
        self.segments = [Segment(0, created_ms)]
        self.looked_ms = created_ms  # up to which retention has acted
        self.start_moves: list[tuple[int, int]] = []  # time and log start, not yet on disk
        self.damaged: set[int] = set()  # base offsets of batches whose bytes are damaged

    @property
    def size(self) -> int:
        """The bytes of all segments."""
        return sum(segment.size for segment in self.segments)

    # Appends

    def append(
        self, accepted: Accepted, epoch: int, at: Instant, settings: LogSettings
    ) -> tuple[Appended, bytes | None]:
        """Appends a batch as leader; returns its place, and its bytes (None: it is a duplicate).

        Raises Refused if the batch exceeds a segment, OutOfOrder or StaleEpoch of `producers.py`.
        """
        offset = self.end_offset
        batch, header = accepted.at(offset, epoch)
        entries = self.epochs.entries
        if not entries or entries[-1][0] != epoch or entries[-1][1] > offset:
            self.epochs.assign(epoch, offset)  # before what may refuse it (B1.43)
        if len(batch) > settings.segment_bytes:
            raise Refused(ErrorCode.RECORD_LIST_TOO_LARGE)
        if self.segments[-1].must_roll(len(batch), header, at.now_ms, settings):
            self._roll(at.now_ms)
        if header.producer_id != NONE:
            duplicate = self.producers.find_duplicate(header)
            if duplicate is not None:
                return duplicate, None
        self._add(batch, header, offset + accepted.offset_of_max, at, settings)
        values = (NONE, NONE, offset, self.end_offset - 1, header.max_timestamp)
        return tuple.__new__(Appended, values), batch  # takes half the time of Appended(...)

    def copy_to(
        self, followers: Iterable["Log"], batch: bytes, at: Instant, settings: LogSettings
    ) -> None:
        """Appends a batch of this log to the logs of followers (B1.50, B1.51)."""
        header = header_of(batch)
        active = self.segments[-1]
        is_largest = active.largest_at == header.base_offset
        at_most = active.offset_of_largest if is_largest else header.base_offset
        for follower in followers:
            follower.append_fetched(batch, header, at_most, at, settings)

    def append_fetched(
        self, batch: bytes, header: Header, offset_of_max: int, at: Instant, settings: LogSettings
    ) -> None:
        """Appends as follower a batch that was fetched (B1.51).

        `offset_of_max` is the offset of the first record with the largest timestamp.
        """
        self.epochs.assign(header.leader_epoch, header.base_offset)
        if self.segments[-1].must_roll(len(batch), header, at.now_ms, settings):
            self._roll(at.now_ms)
        self._add(batch, header, offset_of_max, at, settings)

    def begin_anew(self, offset: int, now_ms: int) -> None:
        """Drops everything, and begins at an offset (B5.15)."""
        led = self.epochs.led
        Log.__init__(self, now_ms)
        self.start_offset = self.end_offset = self.high_watermark = offset
        self.recovery_point = self.cleaned_offset = offset
        self.segments = [Segment(offset, now_ms)]
        self.epochs.led = led

    def _add(
        self, batch: bytes, header: Header, offset_of_max: int, at: Instant, settings: LogSettings
    ) -> None:
        self.batches.append(batch)
        self.base_offsets.append(header.base_offset)
        self.segments[-1].add(len(batch), header, offset_of_max, *at)
        self.end_offset = header.base_offset + header.last_delta + 1
        if header.producer_id != NONE:
            self.producers.note(header)
        if self.end_offset - self.recovery_point >= settings.flush_messages:
            self.flush()

    def flush(self) -> None:
        """Makes everything durable, so that a power cut loses none of it (B8.41)."""
        self.recovery_point = self.end_offset

    def _roll(self, now_ms: int) -> None:
        if not self.segments[-1].size:
            self.segments.pop()  # an empty one is replaced (B8.7)
        self.segments.append(Segment(self.end_offset, now_ms))
        self.flush()

    # Reads

    def read(self, offset: int, end: int, bytes_max: int, *, reads_one: bool) -> list[bytes]:
        """Returns the bytes from the batch that contains `offset`, up to offset `end` (B4.28).

        They come in pieces, the stored batches, and are cut at `bytes_max`, in the middle of a
        batch, and at the end of the segment (B4.33). With `reads_one` the first batch comes whole
        (B4.31). Raises BadBatch if a torn batch hides where the offset is.
        """
        self.check_found(offset)
        index = self.index_of(offset)
        if index == len(self.batches):
            return []
        first, base = self.batches[index], self.base_offsets[index]
        if len(first) >= bytes_max:  # it is all that there may be
            is_read = base < end and (len(first) == bytes_max or reads_one)
            return [first] if is_read else []
        segment_end = self.end_of_segment(self._number_at(base))
        stop = bisect_left(self.base_offsets, min(end, segment_end))
        pieces: list[bytes] = []
        left = bytes_max
        for place in range(index, stop):
            batch = self.batches[place]
            if len(batch) > left:
                if left:
                    pieces.append(batch[:left])
                break
            pieces.append(batch)
            left -= len(batch)
        return pieces

    def check_found(self, offset: int) -> None:
        """Raises BadBatch for an offset at or behind a torn batch of its segment.

        A broker looks for an offset from batch to batch, and the length of a torn one leads
        nowhere. What is read from an offset before it has the torn batch as it is.
        """
        if not self.damaged:
            return
        base = self.segment_at(offset).base_offset
        for damaged in self.damaged:
            if base <= damaged <= offset:
                expect_whole(self.batch_at(damaged))

    @property
    def start_time_ms(self) -> int | None:
        """The timestamp of the oldest record; None without records."""
        index = self.index_of(self.start_offset)
        if index == len(self.batches):
            return None
        header = header_of(self.batches[index])
        is_append_time = header.attributes & LOG_APPEND_TIME
        return header.max_timestamp if is_append_time else header.base_timestamp

    def batch_at(self, base_offset: int) -> bytes:
        """Returns the batch with this base offset."""
        return self.batches[bisect_left(self.base_offsets, base_offset)]

    def batches_between(self, start: int, end: int) -> list[bytes]:
        """Returns the batches from the one that contains `start`, or follows it, up to `end`."""
        return self.batches[self.index_of(start) : bisect_left(self.base_offsets, end)]

    def index_of(self, offset: int) -> int:
        """Returns the index of the batch that contains the offset, or of the first one behind."""
        index = bisect_right(self.base_offsets, offset) - 1
        if index < 0:
            return 0
        is_in = self.base_offsets[index] == offset
        if is_in or header_of(self.batches[index]).last_offset >= offset:
            return index
        return index + 1

    def segment_at(self, offset: int) -> Segment:
        """Returns the segment with the offset."""
        return self.segments[self._number_at(offset)]

    def _number_at(self, offset: int) -> int:
        segments = self.segments
        if offset >= segments[-1].base_offset:
            return len(segments) - 1
        found = bisect_right(segments, offset, key=lambda segment: segment.base_offset)
        return max(found - 1, 0)

    def end_of_segment(self, number: int) -> int:
        """Returns the offset at which the segment with a number ends."""
        is_active = number + 1 == len(self.segments)
        return self.end_offset if is_active else self.segments[number + 1].base_offset

    # Deletions

    def delete_before(self, offset: int, now_ms: int) -> None:
        """Raises the log start (B7.30); whole segments go at the next look of retention."""
        if offset > self.start_offset:
            self.start_moves.append((now_ms, offset))
            self._begin_at(offset)

    def _begin_at(self, offset: int) -> None:
        self.start_offset = max(self.start_offset, offset)
        self.epochs.cut_start(self.start_offset)

    def end_process(self, checkpoint_ms: int) -> None:
        """Notes the end of the broker's process, which wrote log starts at `checkpoint_ms` last.

        A log start that was raised later is lost (B8.44); the epochs stay cut.
        """
        unsaved = [move for move in self.start_moves if move[0] > checkpoint_ms]
        if unsaved:
            saved = self.start_moves[: -len(unsaved)]
            first = self.segments[0].base_offset
            self.start_offset = max(first, saved[-1][1] if saved else first)
        self.start_moves.clear()

    def retain(self, now_ms: int, settings: LogSettings) -> None:
        """Deletes what retention no longer keeps (B8.10-B8.16)."""
        count = expired(self.segments, self.start_offset, now_ms, settings)
        while count and self.end_of_segment(count - 1) > self.high_watermark:  # B8.11
            count -= 1
        if not count:
            return
        if count == len(self.segments):
            if not self.segments[-1].size:
                return  # an empty active segment is never deleted (B8.13)
            self.segments.append(Segment(self.end_offset, now_ms))
        self._drop_before(self.segments[count].base_offset)
        del self.segments[:count]

    def give_up(self, bytes_min: int) -> None:
        """Drops the oldest batches, at least `bytes_min` in all, also of the active segment."""
        freed = index = 0
        while index < len(self.batches) and freed < bytes_min:
            freed += len(self.batches[index])
            index += 1
        end = self.end_offset if index == len(self.batches) else self.base_offsets[index]
        while len(self.segments) > 1 and self.segments[1].base_offset <= end:
            freed -= self.segments.pop(0).size
        first = self.segments[0]
        first.size, first.base_offset = max(first.size - freed, 0), max(first.base_offset, end)
        self._drop_before(end)

    def _drop_before(self, offset: int) -> None:
        index = bisect_left(self.base_offsets, offset)
        del self.batches[:index]
        del self.base_offsets[:index]
        self.horizons = {base: due for base, due in self.horizons.items() if base >= offset}
        self.damaged = {base for base in self.damaged if base >= offset}
        self._begin_at(offset)
        self.high_watermark = max(self.high_watermark, self.start_offset)
