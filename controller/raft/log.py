"""The metadata log in memory: batches in order of offset and epoch.

The leader only appends (rule 9.43); offsets are dense, epochs never decrease (9.33).
"""

from bisect import bisect_right
from collections.abc import Sequence

from ..core.batch import Batch


class MetadataLog:
    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self._base_offsets: list[int] = []
        self._epoch_starts: list[tuple[int, int]] = []  # (epoch, its first offset)

    @property
    def end_offset(self) -> int:
        """Where the next record will stand."""
        return self.batches[-1].last_offset + 1 if self.batches else 0

    @property
    def last_epoch(self) -> int:
        return self._epoch_starts[-1][0] if self._epoch_starts else 0

    def append(self, batch: Batch) -> None:
        assert batch.base_offset == self.end_offset, f"{batch.base_offset}, not {self.end_offset}"
        assert batch.epoch >= self.last_epoch, f"epoch {batch.epoch} after {self.last_epoch}"
        if batch.epoch > self.last_epoch:
            self._epoch_starts.append((batch.epoch, batch.base_offset))
        self.batches.append(batch)
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
            return 0, 0
        if position + 1 == len(self._epoch_starts):
            return self._epoch_starts[position][0], self.end_offset
        return self._epoch_starts[position][0], self._epoch_starts[position + 1][1]
