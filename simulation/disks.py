"""A controller's disk: what outlives its processes, when it is there, and what faults do to it.

Writes become durable in order. By default at once; a slow disk takes a while over each, a stalled
one does not come to an end. A disk that lies says so before it is true. When the power goes, what
is not durable is lost: all of it, or with `tears` from some point on, by whole batches.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random
from typing import NamedTuple

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.core.value import value
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import ElectionState, Turn
from kraftsim.controller.raft.snapshot import Snapshot
from kraftsim.controller.time.timeline import Timeline

from .delays import Draw


class DiskError(Exception):
    """A write failed: whoever wrote must not go on as if it had not."""


@value
class Write:
    """What one step wants kept. `log_start` (offset, epoch) is where the log begins behind
    `snapshot`; with `is_anew` nothing of the old one is left."""

    election: ElectionState | None = None
    truncate_to: int | None = None
    snapshot: Snapshot | None = None
    log_start: tuple[int, int] = (0, 0)
    is_anew: bool = False
    batches: tuple[Batch, ...] = ()

    def pieces(self) -> Iterator["Write"]:
        """As a disk may keep one and lose the next: each batch, after all that is not a batch."""
        if self.election is not None or self.truncate_to is not None or self.snapshot is not None:
            yield replace(self, batches=())
        for batch in self.batches:
            yield Write(batches=(batch,))


def write_of(turn: Turn, log: MetadataLog) -> Write:
    """`log` is as the step has left it."""
    return Write(
        election=turn.election,
        truncate_to=turn.truncate_to,
        snapshot=turn.snapshot,
        log_start=(log.start_offset, log.start_epoch),
        is_anew=not log.batches,
        batches=turn.persist,
    )


@dataclass(slots=True)
class Stored:
    """What is durable: `meta.properties`, `quorum-state`, the log and the last snapshot."""

    directory_id: Uuid
    election: ElectionState = field(default_factory=ElectionState)
    log: MetadataLog = field(default_factory=MetadataLog)
    snapshot: Snapshot | None = None

    def copy(self) -> "Stored":
        """One that goes its own way: what a process reads when it starts, or a backup."""
        log = MetadataLog()
        log.restart(self.log.start_offset, self.log.start_epoch)
        for batch in self.log.batches:
            log.append(batch)
        return replace(self, log=log)

    def apply(self, write: Write) -> None:
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


class _Pending(NamedTuple):
    write: Write
    due_us: int
    on_durable: Callable[[], None]


class Disk:
    """`delayed` counts the writes that took their time, `lost` the pieces that crashes took."""

    def __init__(self, timeline: Timeline, directory_id: Uuid, stream: Random) -> None:
        self.stored = Stored(directory_id)
        self.latency_us: Draw | None = None
        self.tears = False
        self.is_full = False
        self.delayed = self.lost = 0
        self._is_stalled = self._lies = False
        self._timeline = timeline
        self._random = stream.random
        self._pending: deque[_Pending] = deque()
        self._unsynced: deque[Write] = deque()  # said to be durable

    def write(self, turn: Turn, log: MetadataLog, on_durable: Callable[[], None]) -> bool:
        """Keep what a step says; True: it is durable, False: `on_durable` says so later."""
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

    def stall(self) -> None:
        """From here on nothing becomes durable."""
        self._is_stalled = True

    def go_on(self) -> None:
        """What has waited long enough is durable now."""
        self._is_stalled = False
        self._drain()

    def lie(self) -> None:
        """From here on what is said to be durable is not (an fsync that is lost)."""
        self._lies = True

    def be_honest(self) -> None:
        """What was said to be durable becomes so."""
        self._lies = False
        while self._unsynced:
            self.stored.apply(self._unsynced.popleft())

    def crash(self) -> None:
        """The power is gone, and with it what is not durable."""
        pieces = [one for write in self._undone() for one in write.pieces()]
        kept = int(self._random() * (len(pieces) + 1)) if self.tears else 0
        for piece in pieces[:kept]:
            self.stored.apply(piece)
        self.lost += len(pieces) - kept

    def sync(self) -> None:
        """A process has ended in good order: what it has written is there."""
        for write in self._undone():
            self.stored.apply(write)

    def restore(self, stored: Stored) -> None:
        """Whatever is there is replaced: by an old copy, or by an empty one."""
        self._undone()
        self.stored = stored.copy()

    def _undone(self) -> tuple[Write, ...]:
        """All that is not durable, in order; nobody waits for it any more."""
        undone = tuple(chain(self._unsynced, (one.write for one in self._pending)))
        self._unsynced.clear()
        self._pending.clear()
        return undone

    def _drain(self) -> None:
        pending, now_us = self._pending, self._timeline.now_us
        while pending and not self._is_stalled and pending[0].due_us <= now_us:
            one = pending.popleft()
            self._keep(one.write)
            one.on_durable()

    def _keep(self, write: Write) -> None:
        if self._lies:
            self._unsynced.append(write)
        else:
            self.stored.apply(write)
