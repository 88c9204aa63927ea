"""The metadata log in memory: batches in order of offset and epoch.

Offsets are dense and epochs never decrease (rule 9.33); a leader only appends (rule 9.43).
"""

from bisect import bisect_right
from collections.abc import Sequence

from ..core.errors import Impossible
from ..core.log.batch import Batch


class MetadataLog:
    """The batches of one replica.

    `start_offset` is the first offset: 0, or the end of the snapshot that replaces earlier records;
    `start_epoch` is the last epoch before it. `end_offset` is the offset of the next record, and
    `last_epoch` the epoch of the last one.
    """

    def __init__(self) -> None:
        self.start_offset = self.end_offset = 0
        self.start_epoch = self.last_epoch = 0
        self.batches: list[Batch] = []
        self._base_offsets: list[int] = []
        self._epoch_starts: list[tuple[int, int]] = []  # (epoch, its first offset)

    @property
    def epoch_starts(self) -> Sequence[tuple[int, int]]:
        """Each epoch in the log, with its first offset."""
        return self._epoch_starts

    def append(self, batch: Batch) -> None:
        """Append a batch; raises Impossible if its offset or epoch does not follow."""
        if batch.base_offset != self.end_offset:
            raise Impossible(f"offset {batch.base_offset}, not {self.end_offset}")
        if batch.epoch < self.last_epoch:
            raise Impossible(f"epoch {batch.epoch} after {self.last_epoch}")
        if batch.epoch > self.last_epoch:
            self._epoch_starts.append((batch.epoch, batch.base_offset))
            self.last_epoch = batch.epoch
        self.batches.append(batch)
        self.end_offset = batch.last_offset + 1
        self._base_offsets.append(batch.base_offset)

    def read(self, offset: int, batches_max: int | None = None) -> Sequence[Batch]:
        """Returns whole batches, from the one that contains `offset`; none at the log's end."""
        if offset >= self.end_offset:
            return ()
        first = max(bisect_right(self._base_offsets, offset) - 1, 0)
        return self.batches[first : None if batches_max is None else first + batches_max]

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """Returns the largest epoch <= `epoch` and its end offset, where two logs may diverge.

        Rule 10.34.
        """
        position = bisect_right(self._epoch_starts, (epoch, 1 << 62)) - 1
        if position < 0:
            return self.start_epoch, self._first_new_epoch_offset
        if position + 1 == len(self._epoch_starts):
            return self._epoch_starts[position][0], self.end_offset
        return self._epoch_starts[position][0], self._epoch_starts[position + 1][1]

    @property
    def _first_new_epoch_offset(self) -> int:
        """End offset of the snapshot's last epoch, whose records may follow the snapshot."""
        return self._epoch_starts[0][1] if self._epoch_starts else self.end_offset

    def truncate(self, end_offset: int) -> None:
        """Remove all records from `end_offset` on.

        If `end_offset` lies within a batch, the whole batch is removed, to be fetched again.
        """
        keep = self._whole_below(end_offset)
        del self.batches[keep:], self._base_offsets[keep:]
        self.end_offset = self.batches[-1].last_offset + 1 if self.batches else self.start_offset
        while self._epoch_starts and self._epoch_starts[-1][1] >= self.end_offset:
            self._epoch_starts.pop()
        self._note_last_epoch()

    def end_if_truncated(self, end_offset: int) -> int:
        """Returns the log's end offset after `truncate(end_offset)`."""
        keep = self._whole_below(end_offset)
        return self.batches[keep - 1].last_offset + 1 if keep else self.start_offset

    def _whole_below(self, end_offset: int) -> int:
        """Returns the number of batches that end below `end_offset`."""
        keep = bisect_right(self._base_offsets, end_offset - 1)
        if keep and self.batches[keep - 1].last_offset >= end_offset:
            keep -= 1
        return keep

    def begin_at(self, offset: int, epoch: int) -> None:
        """Remove all batches below `offset`, because a snapshot replaces them (rule 10.47)."""
        drop = bisect_right(self._base_offsets, offset - 1)
        del self.batches[:drop], self._base_offsets[:drop]
        epochs = {batch.epoch for batch in self.batches}
        self._epoch_starts = [
            (number, max(start, offset)) for number, start in self._epoch_starts if number in epochs
        ]
        self.start_offset, self.start_epoch = offset, epoch
        self.end_offset = max(self.end_offset, offset)
        self._note_last_epoch()

    def restart(self, offset: int, epoch: int) -> None:
        """Remove all batches: a snapshot replaces all records below `offset` (rule 10.45)."""
        del self.batches[:], self._base_offsets[:], self._epoch_starts[:]
        self.start_offset, self.start_epoch, self.end_offset = offset, epoch, offset
        self.last_epoch = epoch

    def _note_last_epoch(self) -> None:
        self.last_epoch = self._epoch_starts[-1][0] if self._epoch_starts else self.start_epoch
