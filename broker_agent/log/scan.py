"""The timestamps and offset deltas of a batch's records, without an object for each record.

A leader looks at every record of a batch. Records that are alike (each part is as long as in the
others, as in many batches of one program) are looked at in *columns*: the bytes at one place of
all of them, which a single slice returns.
"""

from collections.abc import Sequence
from typing import NamedTuple

from kraftsim.controller.wire.codec.varints import read_zigzag
from kraftsim.controller.wire.errors import DecodeError

from .batch import LOG_APPEND_TIME, BadRecord, Data, Header, end_of_headers

_LAST, _MORE = bytes(range(128)), bytes(range(128, 256))  # bytes of varints: the last, the others
_ZIGZAG = [byte >> 1 ^ -(byte & 1) for byte in range(128)]  # what a varint of one byte stands for
_EARLIEST, _LATEST = -(1 << 80), 1 << 80  # no timestamp is beyond


class _Run(NamedTuple):
    """Records that are alike: their number, their size, where the first has its offset delta."""

    length: int
    size: int
    delta: int


class Scan:
    """What a leader checks of the records in `data` from `position` to `end`.

    `oldest` and `newest` are the least and the largest of their timestamps, `offset_of_newest` is
    the offset delta of the first record with the latter. Raises BadRecord for what `records_of`
    refuses.
    """

    __slots__ = ("_data", "_end", "_position", "_runs", "newest", "offset_of_newest", "oldest")

    def __init__(self, header: Header, data: Data, position: int, end: int) -> None:
        self._data, self._position, self._end = data, position, end
        self._runs: list[_Run] = []
        self.oldest, self.newest, self.offset_of_newest = _LATEST, _EARLIEST, 0
        left, base = header.record_count, header.base_timestamp
        try:
            while left > 0:
                count, size, _ = self._add_run(position, left, base)
                position += count * size
                left -= count
        except (IndexError, DecodeError) as bad:
            raise BadRecord(str(bad)) from None
        if position != end:
            raise BadRecord("bytes follow the last record")
        if header.attributes & LOG_APPEND_TIME:
            self.oldest = self.newest = header.max_timestamp
            self.offset_of_newest = read_zigzag(data, self._runs[0].delta)[0]

    @property
    def payload(self) -> bytes:
        """The bytes of the records."""
        return bytes(self._data[self._position : self._end])

    @property
    def is_dense(self) -> bool:
        """True if the offsets of the records have no gap."""
        first = 0
        for run in self._runs:
            for number in range(run.length):
                if read_zigzag(self._data, run.delta + number * run.size)[0] != first + number:
                    return False
            first += run.length
        return True

    def _add_run(self, start: int, left: int, base_timestamp: int) -> _Run:
        """Adds the record at `start`, and those that follow and are alike, at most `left`."""
        data = self._data
        length, body = read_zigzag(data, start)
        end = body + length
        if length < 0 or end > self._end:
            raise BadRecord("a record is longer than its batch")
        byte = data[body + 1]  # behind the attributes; most numbers have one byte
        time, delta = (_ZIGZAG[byte], body + 2) if byte < 128 else read_zigzag(data, body + 1)
        byte = data[delta]
        first, key = (_ZIGZAG[byte], delta + 1) if byte < 128 else read_zigzag(data, delta)
        byte = data[key]
        key_bytes, key_end = (_ZIGZAG[byte], key + 1) if byte < 128 else read_zigzag(data, key)
        value = key_end + key_bytes if key_bytes > 0 else key_end
        value_bytes, value_end = read_zigzag(data, value)
        headers = value_end + value_bytes if value_bytes > 0 else value_end
        after = end_of_headers(data, headers, end) if data[headers] else headers + 1
        if after != end:
            raise BadRecord("the parts of a record are not as long as the record")
        size, count = end - start, 1
        if left > 1 and data[end] == data[start] and not data[headers]:
            same = [*range(start, body), key, *range(value, value_end), headers]
            if key_end > key + 1:
                same += range(key + 1, key_end)
            most = min(left, (self._end - start) // size)
            count = self._count_alike(most, size, same, body + 1, delta, key)
        run = tuple.__new__(_Run, (count, size, delta))  # takes half the time of _Run(...)
        self._runs.append(run)
        self._note_time(base_timestamp + time, first)
        if count > 1:
            self._note_times(body + 1, run, base_timestamp)
        return run

    def _count_alike(
        self, count: int, size: int, same: Sequence[int], time: int, delta: int, key: int
    ) -> int:
        """Returns how many of `count` records are alike, beginning with the one that was read.

        They have equal bytes at the places `same`, and numbers of as many bytes from `time` to
        `delta`, and from there to `key`.
        """
        data = self._data
        for place in same:
            column = data[place : place + count * size : size]
            if column != column[:1] * count:
                count -= len(column.lstrip(column[:1]))
        for place in range(time, key):
            column = data[place : place + count * size : size]
            if place + 1 == delta or place + 1 == key:
                if not column.isascii():
                    count -= len(column.lstrip(_LAST))
            else:
                count -= len(column.lstrip(_MORE))
        return count

    def _column(self, place: int, count: int, size: int) -> Data:
        return self._data[place : place + count * size : size]

    def _note_time(self, timestamp: int, delta: int) -> None:
        """Notes the timestamp of a record with an offset delta."""
        if timestamp > self.newest:
            self.newest, self.offset_of_newest = timestamp, delta
        if timestamp < self.oldest:
            self.oldest = timestamp

    def _note_times(self, place: int, run: _Run, base: int) -> None:
        """Notes the timestamps of a run, whose first record has its own at `place`."""
        count, size, delta = run
        columns = [self._column(byte, count, size) for byte in range(place, delta)]
        for column in columns:
            if column != column[:1] * count:
                break
        else:
            return  # they are that of the first
        if len(columns) == 1:
            times = [_ZIGZAG[byte] for byte in columns[0]]
        else:
            places = range(place, place + count * size, size)
            times = [read_zigzag(self._data, at)[0] for at in places]
        newest = max(times)
        at = delta + times.index(newest) * size
        self._note_time(base + newest, read_zigzag(self._data, at)[0])
        self._note_time(base + min(times), 0)
