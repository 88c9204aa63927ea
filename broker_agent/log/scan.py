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


class _Run(NamedTuple):
    """Records that are alike: their number, their size, where the first has its offset delta."""

    length: int
    size: int
    delta: int


class Scan:
    """What a leader checks of the records in `data` from `position` to `end`.

    Raises BadRecord for what `records_of` refuses.
    """

    __slots__ = ("_data", "_end", "_position", "_runs", "timestamps")

    def __init__(self, header: Header, data: Data, position: int, end: int) -> None:
        self._data, self._position, self._end = data, position, end
        self._runs: list[_Run] = []
        self.timestamps: list[int] = []
        left = header.record_count
        try:
            while left > 0:
                run = self._add_run(position, left, header.base_timestamp)
                position += run.length * run.size
                left -= run.length
        except (IndexError, DecodeError) as bad:
            raise BadRecord(str(bad)) from None
        if position != end:
            raise BadRecord("bytes follow the last record")
        if header.attributes & LOG_APPEND_TIME:
            self.timestamps = [header.max_timestamp] * len(self.timestamps)

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

    def delta_of(self, number: int) -> int:
        """Returns the offset delta of a record by its number in the batch."""
        for run in self._runs:
            if number < run.length:
                return read_zigzag(self._data, run.delta + number * run.size)[0]
            number -= run.length
        raise IndexError(f"expected a record of the batch, got number {number}")

    def _add_run(self, start: int, left: int, base_timestamp: int) -> _Run:
        """Adds the record at `start`, and those that follow and are alike, at most `left`."""
        data = self._data
        length, body = read_zigzag(data, start)
        end = body + length
        if length < 0 or end > self._end:
            raise BadRecord("a record is longer than its batch")
        time, delta = read_zigzag(data, body + 1)  # behind the attributes
        _, key = read_zigzag(data, delta)
        key_bytes, key_end = read_zigzag(data, key)
        value = key_end + key_bytes if key_bytes > 0 else key_end
        value_bytes, value_end = read_zigzag(data, value)
        headers = value_end + value_bytes if value_bytes > 0 else value_end
        after = end_of_headers(data, headers, end) if data[headers] else headers + 1
        if after != end:
            raise BadRecord("the parts of a record are not as long as the record")
        size, count = end - start, 1
        if left > 1 and data[end] == data[start] and not data[headers]:
            same = (*range(start, body), *range(key, key_end), *range(value, value_end), headers)
            most = min(left, (self._end - start) // size)
            count = self._count_alike(most, size, same, ((body + 1, delta), (delta, key)))
        run = tuple.__new__(_Run, (count, size, delta))  # takes half the time of _Run(...)
        self._runs.append(run)
        if count == 1:
            self.timestamps.append(base_timestamp + time)
        else:
            self._add_timestamps(body + 1, delta, run, base_timestamp, time)
        return run

    def _count_alike(
        self, count: int, size: int, same: Sequence[int], varints: Sequence[tuple[int, int]]
    ) -> int:
        """Returns how many of `count` records are alike, beginning with the one that was read.

        They have equal bytes at the places `same`, and numbers of as many bytes in `varints`.
        """
        for place in same:
            column = self._column(place, count, size)
            count -= len(column.lstrip(column[:1]))
        for place, end in varints:
            for byte in range(place, end):
                column = self._column(byte, count, size)
                count -= len(column.lstrip(_LAST if byte + 1 == end else _MORE))
        return count

    def _column(self, place: int, count: int, size: int) -> Data:
        return self._data[place : place + count * size : size]

    def _add_timestamps(self, place: int, end: int, run: _Run, base: int, first: int) -> None:
        """Adds the timestamps of a run; the first has the delta `first`, from `place` to `end`."""
        count, size, _ = run
        columns = [self._column(byte, count, size) for byte in range(place, end)]
        if all(column == column[:1] * count for column in columns):
            self.timestamps += [base + first] * count
        elif len(columns) == 1:
            self.timestamps += [base + (byte >> 1 ^ -(byte & 1)) for byte in columns[0]]
        else:
            places = range(place, place + count * size, size)
            self.timestamps += [base + read_zigzag(self._data, at)[0] for at in places]
