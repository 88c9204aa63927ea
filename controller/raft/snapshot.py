"""Snapshots as values: what replaces the beginning of a log, and how its bytes are spelled.

The bytes are Kafka's own `.checkpoint` files. Each quorum is given a `SnapshotFormat`, so that no
module of raft knows bytes.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from ..core.log.batch import Batch
from ..core.rpc import SnapshotId

BATCH_BYTES, RECORD_BYTES = 61, 60  # about what they take, where nobody spells them
REFERENCES_MAX = 256  # snapshots that may still be on their way; a replica keeps its own anyway
READ_RECORDS_MAX = 1_000  # of one step, and the rest of their batch: some 10 milliseconds' work


class SnapshotFormat(NamedTuple):
    """`spell` gives the bytes of a snapshot's batches, `read` yields the batches of such bytes
    (ValueError or LookupError: they are none), `size` how many bytes a batch has, for which it may
    have to be spelled; its bytes are kept with it."""

    spell: Callable[[tuple[Batch, ...]], bytes]
    read: Callable[[bytes], Iterable[Batch]]
    size: Callable[[Batch], int]


def by_reference() -> SnapshotFormat:
    """Bytes that only stand for batches: for replicas that share a process and speak no wire."""
    known: dict[int, tuple[Batch, ...]] = {}
    numbers = count()

    def spell(batches: tuple[Batch, ...]) -> bytes:
        number = next(numbers)
        known[number] = batches
        known.pop(number - REFERENCES_MAX, None)
        return b"%016d" % number

    def size(batch: Batch) -> int:
        return BATCH_BYTES + RECORD_BYTES * len(batch.records)

    return SnapshotFormat(spell, lambda data: known[int(data)], size)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that was committed below `snapshot_id.end_offset`, in as few records as tell it."""

    snapshot_id: SnapshotId
    batches: tuple[Batch, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Download:
    """A snapshot that is being fetched: what is there of it."""

    snapshot_id: SnapshotId
    data: bytes = b""


@dataclass(slots=True, eq=False)
class Reading:
    """A snapshot that has come whole and is being read: `left` yields the batches that `batches`
    lacks."""

    snapshot_id: SnapshotId
    data: bytes
    left: Iterator[Batch]
    batches: list[Batch] = field(default_factory=list)

    def go_on(self) -> bool:
        """Read as many records as one step may. True: there is none left."""
        records = 0
        for batch in self.left:
            self.batches.append(batch)
            records += len(batch.records)
            if records >= READ_RECORDS_MAX:
                return False
        return True
