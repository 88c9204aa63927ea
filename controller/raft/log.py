"""The metadata log in memory: batches in order of offset and epoch.

The leader only appends (rule 9.43); offsets are dense, epochs never decrease (9.33).
"""

from bisect import bisect_right
from collections.abc import Sequence

from ..core.errors import Impossible
from ..core.log.batch import Batch


class MetadataLog:
    """`start_offset` is where it begins: 0, or behind the snapshot that stands for what was before
    it, of which `start_epoch` was the last epoch; `end_offset` where the next record will stand,
    and `last_epoch` the epoch of what stands before that."""

    def __init__(self) -> None:
        self.start_offset = self.end_offset = 0
        self.start_epoch = self.last_epoch = 0
        self.batches: list[Batch] = []
        self._base_offsets: list[int] = []
        self._epoch_starts: list[tuple[int, int]] = []  # (epoch, its first offset)

    def append(self, batch: Batch) -> None:
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
        """Whole batches from the one that holds `offset` on; none at the end of the log."""
        if offset >= self.end_offset:
            return ()
        first = max(bisect_right(self._base_offsets, offset) - 1, 0)
        return self.batches[first : None if batches_max is None else first + batches_max]

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        """(largest epoch <= `epoch`, its end offset): where two logs may part (rule 10.34)."""
        position = bisect_right(self._epoch_starts, (epoch, 1 << 62)) - 1
        if position < 0:
            return self.start_epoch, self._first_new_epoch_offset
        if position + 1 == len(self._epoch_starts):
            return self._epoch_starts[position][0], self.end_offset
        return self._epoch_starts[position][0], self._epoch_starts[position + 1][1]

    @property
    def _first_new_epoch_offset(self) -> int:
        """Where the snapshot's last epoch ends: records of it may follow the snapshot."""
        return self._epoch_starts[0][1] if self._epoch_starts else self.end_offset

    def truncate(self, end_offset: int) -> None:
        """Forget what stands at `end_offset` and after: another leader wrote other things there.
        Where it lies within a batch, all of that batch goes, to be fetched again."""
        keep = self._whole_below(end_offset)
        del self.batches[keep:], self._base_offsets[keep:]
        self.end_offset = self.batches[-1].last_offset + 1 if self.batches else self.start_offset
        while self._epoch_starts and self._epoch_starts[-1][1] >= self.end_offset:
            self._epoch_starts.pop()
        self._note_last_epoch()

    def end_if_truncated(self, end_offset: int) -> int:
        """Where the log would end after `truncate(end_offset)`."""
        keep = self._whole_below(end_offset)
        return self.batches[keep - 1].last_offset + 1 if keep else self.start_offset

    def _whole_below(self, end_offset: int) -> int:
        """How many batches end below `end_offset`."""
        keep = bisect_right(self._base_offsets, end_offset - 1)
        if keep and self.batches[keep - 1].last_offset >= end_offset:
            keep -= 1
        return keep

    def begin_at(self, offset: int, epoch: int) -> None:
        """A snapshot holds everything below `offset`: only what follows it is kept (rule 10.47)."""
        drop = bisect_right(self._base_offsets, offset - 1)
        del self.batches[:drop], self._base_offsets[:drop]
        kept = {batch.epoch for batch in self.batches}
        self._epoch_starts = [
            (one, max(start, offset)) for one, start in self._epoch_starts if one in kept
        ]
        self.start_offset, self.start_epoch = offset, epoch
        self.end_offset = max(self.end_offset, offset)
        self._note_last_epoch()

    def restart(self, offset: int, epoch: int) -> None:
        """Forget everything: a snapshot holds all below `offset` (rule 10.45)."""
        del self.batches[:], self._base_offsets[:], self._epoch_starts[:]
        self.start_offset, self.start_epoch, self.end_offset = offset, epoch, offset
        self.last_epoch = epoch

    def _note_last_epoch(self) -> None:
        self.last_epoch = self._epoch_starts[-1][0] if self._epoch_starts else self.start_epoch
