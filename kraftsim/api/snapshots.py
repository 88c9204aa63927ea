"""Snapshots of a running cluster: copies of its simulation, to which it can go back.

A snapshot has everything of the simulation: controllers, brokers, disks, messages in flight, faults
and random streams. It has no connection of a client.
"""

import gc
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kraftsim.simulation.copying import NotCopied, copied
from kraftsim.simulation.world import World

from .. import machine_code
from ..errors import CommandError, UnknownSnapshot
from .argument_checks import check_branch, check_snapshot
from .documents import BranchDocument, SnapshotDocument
from .views import event_view

if TYPE_CHECKING:
    from .faults import Faults, KeptFaults

SNAPSHOTS_MAX = 100  # of one cluster; one of 1,000 brokers takes about 5 MB
BRANCH_EVENTS_MAX = 10_000  # events that `branch` returns


@dataclass(frozen=True, slots=True)
class Kept:
    """A world, and the faults of its cluster."""

    world: World
    faults: "KeptFaults | None"

    def copy(self) -> "Kept":
        """Returns a copy, which never affects this one; CommandError if there cannot be one."""
        if machine_code.is_used():
            raise CommandError(
                "snapshot: expected kraftsim's Python modules, because compiled objects cannot be "
                f"copied: start again with {machine_code.PURE_VARIABLE}=1 in the environment"
            )
        with _no_collection():
            try:
                return Kept(*copied((self.world, self.faults)))
            except NotCopied as error:
                text = (
                    f"snapshot: {error}: let time pass (`kraftsim clock advance`), then try again"
                )
                raise CommandError(text) from None


class Branch(Protocol):
    """What `Snapshots` needs of a cluster that follows a snapshot."""

    @property
    def world(self) -> World: ...

    @property
    def faults(self) -> "Faults": ...

    async def advance(self, by: str | float) -> object: ...


class Snapshots:
    """The snapshots of one cluster, in the order in which they were saved.

    `kept` returns the present state, `go_back` lets the cluster go on from a state, `branch` starts
    another cluster from the snapshot with a name.
    """

    def __init__(
        self,
        kept: Callable[[], Kept],
        go_back: Callable[[Kept], Awaitable[None]],
        branch: Callable[[str], AbstractAsyncContextManager[Branch]],
    ) -> None:
        self._kept, self._go_back, self._branch = kept, go_back, branch
        self._saved: dict[str, Kept] = {}

    async def save(self, name: str) -> SnapshotDocument:
        """Saves the present state of the cluster under a name that no snapshot has."""
        check_snapshot(name)
        if name in self._saved:
            raise CommandError(
                f"snapshot {name}: there is one: remove it first, or choose another name"
            )
        if len(self._saved) >= SNAPSHOTS_MAX:
            raise CommandError(f"snapshot: expected at most {SNAPSHOTS_MAX}: remove some")
        self._saved[name] = self._kept().copy()
        return self._document(name)

    async def list(self) -> Sequence[SnapshotDocument]:
        """Returns every snapshot."""
        return [self._document(name) for name in self._saved]

    async def restore(self, name: str) -> SnapshotDocument:
        """Lets the cluster go on from a snapshot, which stays.

        It has its addresses, and the next `generation`: every connection of a Kafka client ends,
        and every call that waits raises CommandError.
        """
        await self._go_back(self.copy_of(name))
        return self._document(name)

    async def branch(
        self, name: str, by: str | float = "30s", fault: Mapping[str, object] | None = None
    ) -> BranchDocument:
        """Returns what would happen after a snapshot within `by`, with `fault` if there is one.

        It happens in a copy; this cluster is not affected.
        """
        check_branch(name, by, fault)
        async with self._branch(name) as branch:
            journal = branch.world.journal
            begin = journal.next_seq
            if fault is not None:
                await branch.faults.add(fault)
            await branch.advance(by)
            rows = journal.since(begin, BRANCH_EVENTS_MAX)
            wall_ms_at = branch.world.timeline.wall_ms_at
            return {
                "name": name,
                "events": [event_view(row, wall_ms_at(row.t_us)) for row in rows],
                "isWhole": journal.next_seq - begin == len(rows),
            }

    async def remove(self, name: str) -> SnapshotDocument:
        """Removes a snapshot."""
        document = self._document(name)
        del self._saved[name]
        return document

    def copy_of(self, name: str | None) -> Kept:
        """Returns a copy of a snapshot, or of the present if `name` is None."""
        return (self._kept() if name is None else self._found(name)).copy()

    def _found(self, name: str) -> Kept:
        if name not in self._saved:
            raise UnknownSnapshot(name, list(self._saved))
        return self._saved[name]

    def _document(self, name: str) -> SnapshotDocument:
        world = self._found(name).world
        return {
            "name": name,
            "nowMs": world.timeline.now_ms,
            "brokers": sorted(world.agents),
            "event": world.journal.last_seq,
        }


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keeps Python's garbage collector from the thousands of new objects of a copy."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
