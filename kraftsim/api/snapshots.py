"""Snapshots of a running cluster, to which it can go back."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from kraftsim.simulation.world import World

from ..errors import CommandError
from .argument_checks import check_branch, check_snapshot
from .clock import Clock
from .documents import BranchDocument, SnapshotDocument
from .faults import Faults
from .running.kept import Kept, KeptStates
from .views.state_views import event_view

SNAPSHOTS_MAX = 100  # of one cluster; one of 1,000 brokers takes about 5 MB
BRANCH_EVENTS_MAX = 10_000  # events that `branch` returns


class Branch(Protocol):
    """What `Snapshots` needs of a cluster that follows a snapshot."""

    @property
    def world(self) -> World: ...

    @property
    def clock(self) -> Clock: ...

    @property
    def faults(self) -> Faults: ...


class Snapshots:
    """The snapshots of a cluster: `await kraft.snapshots.save("before")`.

    `go_back` lets the cluster go on from a state, `branch` starts another cluster from the snapshot
    with a name.
    """

    def __init__(
        self,
        states: KeptStates,
        go_back: Callable[[Kept], Awaitable[None]],
        branch: Callable[[str], AbstractAsyncContextManager[Branch]],
    ) -> None:
        self._states, self._go_back, self._branch = states, go_back, branch

    async def save(self, name: str) -> SnapshotDocument:
        """Saves the present state of the cluster under a name that no snapshot has."""
        check_snapshot(name)
        if name in self._states.saved:
            raise CommandError(
                f"snapshot {name}: there is one: remove it first, or choose another name"
            )
        if len(self._states.saved) >= SNAPSHOTS_MAX:
            raise CommandError(f"snapshot: expected at most {SNAPSHOTS_MAX}: remove some")
        self._states.saved[name] = self._states.copy_of(None)
        return self._document(name)

    async def list(self) -> Sequence[SnapshotDocument]:
        """Returns every snapshot."""
        return [self._document(name) for name in self._states.saved]

    async def restore(self, name: str) -> SnapshotDocument:
        """Lets the cluster go on from a snapshot, which stays.

        It has its addresses, and the next `generation`: every connection of a Kafka client ends,
        and every call that waits raises CommandError.
        """
        await self._go_back(self._states.copy_of(name))
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
            await branch.clock.advance(by)
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
        del self._states.saved[name]
        return document

    def _document(self, name: str) -> SnapshotDocument:
        world = self._states.found(name).world
        return {
            "name": name,
            "nowMs": world.timeline.now_ms,
            "brokers": sorted(world.agents),
            "event": world.journal.last_seq,
        }
