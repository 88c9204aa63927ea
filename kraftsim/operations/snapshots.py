"""The rows of the table of operations about snapshots."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..api.argument_checks import Check, check_branch, check_snapshot
from ..api.documents import BranchDocument, SnapshotDocument, SnapshotList
from .operation import Operation, Run

if TYPE_CHECKING:
    from ..api.cluster import Cluster


async def save_snapshot(kraft: "Cluster", name: str) -> SnapshotDocument:
    """Save the state of the cluster under a name."""
    return await kraft.snapshots.save(name)


async def list_snapshots(kraft: "Cluster") -> SnapshotList:
    """List the snapshots that were saved."""
    return {"snapshots": list(await kraft.snapshots.list())}


async def restore_snapshot(kraft: "Cluster", name: str) -> SnapshotDocument:
    """Go back to a snapshot: the cluster goes on from there."""
    return await kraft.snapshots.restore(name)


async def branch_snapshot(
    kraft: "Cluster",
    name: str,
    by: str | float = "30s",
    fault: Mapping[str, object] | None = None,
) -> BranchDocument:
    """Show what would happen after a snapshot; the cluster is not affected."""
    return await kraft.snapshots.branch(name, by, fault)


async def remove_snapshot(kraft: "Cluster", name: str) -> SnapshotDocument:
    """Remove a snapshot."""
    return await kraft.snapshots.remove(name)


def _verb(verb: str, run: Run, check: Check = check_snapshot) -> Operation:
    path, words = f"/sim/snapshots/{{name}}/{verb}", ("snapshot", verb)
    return Operation("POST", path, words, run, changes=True, check=check)


LIST_SNAPSHOTS = Operation("GET", "/sim/snapshots", ("snapshot", "list"), list_snapshots)
SNAPSHOT_OPERATIONS = (
    _verb("save", save_snapshot),
    LIST_SNAPSHOTS,
    _verb("restore", restore_snapshot),
    _verb("branch", branch_snapshot, check_branch),
    _verb("remove", remove_snapshot),
)
