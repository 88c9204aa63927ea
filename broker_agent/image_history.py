"""The image at any offset of a log, for brokers that follow the log at different speeds.

The brokers of a fleet share one image while they keep up; the image for a lagging broker is loaded
on request (1,000 private images would cost 1,000 loads).
"""

from collections import OrderedDict
from collections.abc import Iterable

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.loader import Loader
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.raft.log import MetadataLog

PASTS_MAX = 8  # cached past images, for lagging brokers and as starting points of later ones


class ImageHistory:
    """A log, and the images at its end and at older offsets."""

    def __init__(self, log: MetadataLog) -> None:
        self.log = log
        self._head = Loader()
        self._folded = 0
        self._base = Loader()  # the image at the log's start offset
        self._pasts: OrderedDict[int, Loader] = OrderedDict()

    def begin_anew(self, batches: Iterable[Batch], end_offset: int, epoch: int) -> None:
        """Restart from a snapshot of all records below `end_offset`; drops earlier images."""
        self.log.restart(end_offset, epoch)
        self._head = Loader.of_snapshot(batches, end_offset, epoch)
        self._folded = end_offset
        self._pasts.clear()
        self._base = self._head.copy()

    def forget_before(self, offset: int) -> None:
        """Drop all images and batches below `offset`, at which a batch must begin.

        A broker that lags behind `offset` must fetch a snapshot.
        """
        batches = self.log.read(offset - 1, 1)
        if offset <= self.log.start_offset or not batches:
            return
        self._fold(self._base, self.log.start_offset, offset - 1)
        self.log.begin_at(offset, batches[0].epoch)
        for past in [past for past in self._pasts if past < offset]:
            del self._pasts[past]

    def at(self, offset: int) -> Image:
        """Returns the image up to `offset` (inclusive), or the oldest image still available.

        The image is shared: callers must not change it.
        """
        if offset >= self._folded:
            self._fold(self._head, self._folded, offset)
            self._folded = max(self._folded, min(offset + 1, self.log.end_offset))
        return self._head.image if offset >= self._folded - 1 else self._past(offset).image

    def _past(self, offset: int) -> Loader:
        offset = self._whole(offset)
        if offset not in self._pasts:
            self._pasts[offset] = self._folded_up_to(offset)
            if len(self._pasts) > PASTS_MAX:
                self._pasts.popitem(last=False)
        self._pasts.move_to_end(offset)
        return self._pasts[offset]

    def _folded_up_to(self, offset: int) -> Loader:
        """Loads from the nearest cached image, because the log is long."""
        nearest = max((past for past in self._pasts if past < offset), default=None)
        if nearest is None:
            past, start = self._base.copy(), self.log.start_offset
        else:
            past, start = self._pasts[nearest].copy(), nearest + 1
        self._fold(past, start, offset)
        return past

    def _whole(self, offset: int) -> int:
        """Returns the end of the last batch that ends at or before `offset`."""
        batches = self.log.read(offset, 1)
        is_within = bool(batches) and batches[0].base_offset <= offset < batches[0].last_offset
        return batches[0].base_offset - 1 if is_within else offset

    def _fold(self, loader: Loader, start: int, offset: int) -> None:
        for batch in self.log.read(start):
            if batch.last_offset > offset:
                return
            if batch.base_offset >= start:
                loader.load(batch)
