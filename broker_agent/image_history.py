"""The metadata at any offset of a log: folded once at its head, and again for those who lag.

A fleet shares one image as long as its brokers keep up; a broker that lags sees the past, folded
anew when somebody asks (a thousand private images would cost a thousand folds).
"""

from collections import OrderedDict
from collections.abc import Iterable

from kraftsim.controller.core.batch import Batch
from kraftsim.controller.core.image import Image
from kraftsim.controller.core.loader import Loader
from kraftsim.controller.raft.log import MetadataLog

PASTS_MAX = 8  # images of the past that are kept; a ninth laggard costs a fold from the start


class ImageHistory:
    def __init__(self, log: MetadataLog) -> None:
        self.log = log
        self._head = Loader()
        self._folded = 0
        self._base = Image()  # what stands before the log
        self._pasts: OrderedDict[int, Image] = OrderedDict()

    def begin_anew(self, batches: Iterable[Batch], end_offset: int, epoch: int) -> None:
        """A snapshot stands for everything below `end_offset`; its past is not told any more."""
        self.log.restart(end_offset, epoch)
        self._head = Loader.of_snapshot(batches, end_offset, epoch)
        self._folded = end_offset
        self._pasts.clear()
        self._base = self._head.image.copy()

    def at(self, offset: int) -> Image:
        """The image of every record up to `offset` (inclusive). It is shared: do not touch."""
        if offset >= self._folded - 1:
            self._fold(self._head, self._folded, offset)
            self._folded = max(self._folded, min(offset + 1, self.log.end_offset))
            return self._head.image
        if offset not in self._pasts:
            past = Loader(self._base.copy())
            self._fold(past, self.log.start_offset, offset)
            self._pasts[offset] = past.image
            if len(self._pasts) > PASTS_MAX:
                self._pasts.popitem(last=False)
        self._pasts.move_to_end(offset)
        return self._pasts[offset]

    def _fold(self, loader: Loader, start: int, offset: int) -> None:
        for batch in self.log.read(start):
            if batch.last_offset > offset:
                return
            if batch.base_offset >= start:
                loader.load(batch)
