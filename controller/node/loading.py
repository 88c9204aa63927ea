"""The committed image of a controller, and how committed batches are loaded into it.

A step loads a bounded number of records and leaves the rest to `Continue`. A batch is loaded whole,
so a reader of the image never sees a part of an operation.
"""

from collections.abc import Iterator
from functools import partial

from ..core.image.image import Image
from ..core.image.loader import Loader
from ..core.log.batch import Batch
from ..core.log.records import RemoveTopicRecord
from ..core.profile import Profile
from ..core.slices import INDEXED_PER_STEP
from ..raft.quorum import Quorum
from ..raft.snapshot import Snapshot
from .applied_configs import AppliedConfigs
from .config import NodeConfig
from .replayed import is_replayed

LOADED_RECORDS_MAX = 2_500  # and partitions removed, of one step; a larger batch has its own


class Loading:
    """The committed image.

    Every record below the offset `loaded` is in the image. `has_more` is true if a step reached its
    bound before all committed records were loaded.
    """

    def __init__(self, profile: Profile, config: NodeConfig) -> None:
        self._profile = profile
        self.applied_configs = AppliedConfigs(config)
        self.loader = _loader(profile)
        self.loaded = 0
        self.has_more = False
        self._installation: _Installation | None = None

    @property
    def image(self) -> Image:
        """The committed image."""
        return self.loader.image

    @property
    def has_work(self) -> bool:
        """True if a later step must load more, or catch up with the index of a large batch."""
        return self.has_more or self.image.index.is_behind

    def is_behind(self, quorum: Quorum) -> bool:
        """True if the log begins with a snapshot of the leader that is not loaded yet."""
        return self.loaded < quorum.log.start_offset

    def install(self, snapshot: Snapshot) -> bool:
        """Load as much of a snapshot as a step may; returns True once all of it is loaded."""
        installation = self._installation
        if installation is None or installation.snapshot is not snapshot:
            installation = self._installation = _Installation(snapshot, _loader(self._profile))
        self.has_more = not installation.go_on()
        if not self.has_more:
            self.loader, self._installation = installation.loader, None
            self.loaded = snapshot.snapshot_id.end_offset
        return not self.has_more

    def batches(self, quorum: Quorum, *, is_put_off: bool) -> Iterator[Batch]:
        """Load committed batches, as many as a step may, and yield each loaded batch.

        A large batch is loaded in the step after the one that commits it, because that step also
        decided it. Its index follows in the steps after that, and another large batch after those.
        """
        index = self.image.index
        if index.is_behind:
            index.catch_up(INDEXED_PER_STEP)
        begin, changes, self.has_more = self.loaded, 0, False
        for batch in quorum.log.read(begin):
            if batch.last_offset >= quorum.high_watermark:
                return
            is_next = is_put_off and self.loaded == begin
            changes += _changes(batch, self.image)
            if changes > LOADED_RECORDS_MAX:
                if index.is_behind or not is_next:
                    self.has_more = True
                    return
                index.put_off()
            self.loader.load(batch)
            self.applied_configs.note(batch, self.image)
            self.loaded = batch.last_offset + 1
            yield batch


def _loader(profile: Profile) -> Loader:
    return Loader(Image(keeps_config=partial(is_replayed, profile)))


def _changes(batch: Batch, image: Image) -> int:
    """Returns the number of records, and of partitions that they remove with their topics."""
    changes = len(batch.records)
    for record in batch.records:
        if type(record) is RemoveTopicRecord and record.topic_id in image.topics:
            changes += len(image.topics[record.topic_id].partitions)
    return changes


class _Installation:
    """A snapshot that is being loaded."""

    def __init__(self, snapshot: Snapshot, loader: Loader) -> None:
        self.snapshot = snapshot
        self.loader = loader
        self._pending = iter(snapshot.batches)

    def go_on(self) -> bool:
        """Load batches up to the bound of a step; returns True once all batches are loaded."""
        snapshot_id, records = self.snapshot.snapshot_id, 0
        for batch in self._pending:
            self.loader.load_of_snapshot(batch, snapshot_id.end_offset, snapshot_id.epoch)
            records += len(batch.records)
            if records >= LOADED_RECORDS_MAX:
                return False
        return True
