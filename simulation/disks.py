"""A controller's disk, which outlives its processes, makes writes durable, and has faults.

Writes become durable in order, by default at once. A slow disk delays each write, and a stalled
disk completes no write. A lying disk reports a write as durable before it is. A power failure loses
what is not durable: all of it, or, with `tears`, everything from a random batch on. A batch in
which a byte rots is found damaged by the next process, which truncates its log there (rule 10.56).
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from itertools import chain

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.core.value import slotted, value
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import ElectionState, Turn
from kraftsim.controller.raft.snapshot import Snapshot
from kraftsim.controller.time.timeline import Timeline

from .delays import Draw


class DiskError(Exception):
    """A write failed; the writer must not continue as if it had succeeded."""


@value
class Write:
    """The data that one step of a controller writes.

    `log_start` is the (offset, epoch) at which the log begins after `snapshot`. `is_anew` is true
    if the write replaces the whole previous log.
    """

    election: ElectionState | None = None
    truncate_to: int | None = None
    snapshot: Snapshot | None = None
    log_start: tuple[int, int] = (0, 0)
    is_anew: bool = False
    batches: tuple[Batch, ...] = ()

    def pieces(self) -> Iterator["Write"]:
        """Yields the parts that a crash can separate: all but the batches, then each batch."""
        if self.election is not None or self.truncate_to is not None or self.snapshot is not None:
            yield replace(self, batches=())
        for batch in self.batches:
            yield Write(batches=(batch,))


def write_of(turn: Turn, log: MetadataLog) -> Write:
    """Returns the data that a turn writes; `log` is the log at the end of the turn."""
    return Write(
        election=turn.election,
        truncate_to=turn.truncate_to,
        snapshot=turn.snapshot,
        log_start=(log.start_offset, log.start_epoch),
        is_anew=not log.batches,
        batches=turn.persist,
    )


@slotted()
class Stored:
    """The durable state: `meta.properties`, `quorum-state`, the log and the last snapshot."""

    directory_id: Uuid
    election: ElectionState = field(default_factory=ElectionState)
    log: MetadataLog = field(default_factory=MetadataLog)
    snapshot: Snapshot | None = None

    def copy(self) -> "Stored":
        """Returns an independent copy, for a starting process or for a backup."""
        log = MetadataLog()
        log.restart(self.log.start_offset, self.log.start_epoch)
        for batch in self.log.batches:
            log.append(batch)
        return replace(self, log=log)

    def truncate(self, end_offset: int) -> None:
        """Ends the log at `end_offset`; if it ends before the snapshot, it begins anew there."""
        self.log.truncate(end_offset)
        snapshot_id = None if self.snapshot is None else self.snapshot.snapshot_id
        if snapshot_id is not None and self.log.end_offset < snapshot_id.end_offset:
            self.log.restart(snapshot_id.end_offset, snapshot_id.epoch)

    def apply(self, write: Write) -> None:
        """Applies one write: truncation, snapshot, batches and election state, in this order."""
        if write.truncate_to is not None:
            self.log.truncate(write.truncate_to)
        if write.snapshot is not None:
            self.snapshot = write.snapshot
            begin = self.log.restart if write.is_anew else self.log.begin_at
            begin(*write.log_start)
        for batch in write.batches:
            self.log.append(batch)
        if write.election is not None:
            self.election = write.election


@value(kw_only=False, eq=False)
class _Pending:
    write: Write
    due_us: int
    on_durable: Callable[[], None]


class Disk:
    """The disk of one controller, with its faults.

    `latency_us` draws the duration of a write (None: no delay). `tears` lets a crash keep a
    prefix of the batches that are not durable, `is_full` lets every write fail. `delayed`
    counts the writes that were delayed, `lost` the pieces that crashes lost, `truncated` the
    batches that starting processes removed because one of them was damaged. `lost_vote` is true if
    the last crash lost an election state of which the process did not know yet that it is durable.
    """

    def __init__(self, timeline: Timeline, directory_id: Uuid, random: Callable[[], float]) -> None:
        self.stored = Stored(directory_id)
        self.latency_us: Draw | None = None
        self.tears = False
        self.is_full = self.lost_vote = False
        self.delayed = self.lost = self.truncated = 0
        self._damaged_offset: int | None = None  # of a record in a batch with a damaged byte
        self._is_stalled = self._lies = False
        self._timeline = timeline
        self._random = random
        self._pending: deque[_Pending] = deque()
        self._unsynced: deque[Write] = deque()  # reported as durable, but not durable

    def write(self, turn: Turn, log: MetadataLog, on_durable: Callable[[], None]) -> bool:
        """Writes the data of a turn.

        Returns True if the data is durable, False if `on_durable` will be called later. Raises
        DiskError if the disk is full.
        """
        if self.is_full:
            raise DiskError(
                "expected to write the metadata log or quorum-state, but no space is left on the "
                "device; make room, then start the controller again"
            )
        write = write_of(turn, log)
        if self.latency_us is None and not self._is_stalled and not self._pending:
            self._keep(write)
            return True
        lag_us = 0 if self.latency_us is None else self.latency_us()
        last_us = self._pending[-1].due_us if self._pending else 0
        due_us = max(self._timeline.now_us + lag_us, last_us)
        self._pending.append(_Pending(write, due_us, on_durable))
        self.delayed += self._is_stalled or due_us > self._timeline.now_us
        self._timeline.at(due_us, self._drain)
        return False

    @property
    def is_stalled(self) -> bool:
        """True while no write becomes durable."""
        return self._is_stalled

    def stall(self) -> None:
        """Lets no write become durable until `go_on`."""
        self._is_stalled = True

    def go_on(self) -> None:
        """Ends a stall; writes whose time is up become durable now."""
        self._is_stalled = False
        self._drain()

    def lie(self) -> None:
        """Reports later writes as durable before they are (lost fsync), until `be_honest`."""
        self._lies = True

    def be_honest(self) -> None:
        """Makes every write durable that was reported as durable, and ends `lie`."""
        self._lies = False
        while self._unsynced:
            self.stored.apply(self._unsynced.popleft())

    def crash(self) -> None:
        """Loses the writes that are not durable, as a power failure does."""
        self.lost_vote = any(write.write.election is not None for write in self._pending)
        pieces = [piece for write in self._undone() for piece in write.pieces()]
        surviving = int(self._random() * (len(pieces) + 1)) if self.tears else 0
        for piece in pieces[:surviving]:
            self.stored.apply(piece)
        self.lost += len(pieces) - surviving

    def rot(self, offset: int) -> None:
        """Damages the batch with the record at `offset`, a durable record of the log."""
        known = self._damaged_offset
        self._damaged_offset = offset if known is None else min(offset, known)

    @property
    def is_damaged(self) -> bool:
        """True if the next process will truncate the log at a damaged batch."""
        return self._damaged_offset is not None

    def recovered(self) -> Stored:
        """Returns a copy of what a starting process finds valid; a damaged batch ends the log."""
        offset, self._damaged_offset = self._damaged_offset, None
        if offset is not None:
            before = len(self.stored.log.batches)
            self.stored.truncate(max(offset, self.stored.log.start_offset))
            self.truncated += before - len(self.stored.log.batches)
        return self.stored.copy()

    def sync(self) -> None:
        """Makes every write durable, as a process does before it ends in good order."""
        for write in self._undone():
            self.stored.apply(write)

    def restore(self, stored: Stored) -> None:
        """Replaces the contents of the disk with a copy of `stored`, a backup or an empty disk."""
        self._undone()
        self._damaged_offset = None
        self.stored = stored.copy()

    def _undone(self) -> tuple[Write, ...]:
        """Removes and returns the writes that are not durable, in order; drops their callbacks."""
        undone = tuple(chain(self._unsynced, (write.write for write in self._pending)))
        self._unsynced.clear()
        self._pending.clear()
        return undone

    def _drain(self) -> None:
        pending, now_us = self._pending, self._timeline.now_us
        while pending and not self._is_stalled and pending[0].due_us <= now_us:
            write = pending.popleft()
            self._keep(write.write)
            write.on_durable()

    def _keep(self, write: Write) -> None:
        if self._lies:
            self._unsynced.append(write)
        else:
            self.stored.apply(write)
