"""The committed image of one controller, and how what is committed comes into it.

A step loads a bounded number of records and leaves the rest to `Continue`. A batch is loaded whole:
who reads the image never sees half of an operation.
"""

from collections.abc import Iterator

from ..core.image.image import Image
from ..core.image.loader import Loader
from ..core.log.batch import Batch
from ..raft.quorum import Quorum
from ..raft.snapshot import Snapshot

LOADED_RECORDS_MAX = 2_500  # of one step; a batch of more records has a step of its own


class Loading:
    """Everything below `loaded` is in the image. `has_more`: a step has put off the rest."""

    def __init__(self) -> None:
        self.loader = Loader()
        self.loaded = 0
        self.has_more = False
        self._installation: _Installation | None = None

    @property
    def image(self) -> Image:
        return self.loader.image

    def is_behind(self, quorum: Quorum) -> bool:
        """The log begins with a snapshot of the leader's that is not loaded."""
        return self.loaded < quorum.log.start_offset

    def install(self, snapshot: Snapshot) -> bool:
        """Load as much of a snapshot as one step may. True: all of it is loaded."""
        installation = self._installation
        if installation is None or installation.snapshot is not snapshot:
            installation = self._installation = _Installation(snapshot)
        self.has_more = not installation.go_on()
        if not self.has_more:
            self.loader, self._installation = installation.loader, None
            self.loaded = snapshot.snapshot_id.end_offset
        return not self.has_more

    def batches(self, quorum: Quorum, *, is_put_off: bool) -> Iterator[Batch]:
        """Load what is committed, or as much as one step may, and yield each batch that is loaded.
        The step that commits a large batch has decided it, too: it is loaded in the next."""
        begin, self.has_more = self.loaded, False
        for batch in quorum.log.read(begin):
            if batch.last_offset >= quorum.high_watermark:
                return
            is_next = is_put_off and self.loaded == begin
            if batch.last_offset >= begin + LOADED_RECORDS_MAX and not is_next:
                self.has_more = True
                return
            self.loader.load(batch)
            self.loaded = batch.last_offset + 1
            yield batch


class _Installation:
    """A snapshot that is being loaded."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.loader = Loader()
        self._left = iter(snapshot.batches)

    def go_on(self) -> bool:
        """True: there is no batch left."""
        snapshot_id, records = self.snapshot.snapshot_id, 0
        for batch in self._left:
            self.loader.load_of_snapshot(batch, snapshot_id.end_offset, snapshot_id.epoch)
            records += len(batch.records)
            if records >= LOADED_RECORDS_MAX:
                return False
        return True
