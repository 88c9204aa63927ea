"""The rows of the table of operations about reassignments of replicas."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..api.administration.checks import check_partition, check_reassignment
from ..api.administration.documents import ReassignmentList
from ..api.argument_checks import Check
from .operation import Operation, Run

if TYPE_CHECKING:
    from ..api.cluster import Cluster


async def list_reassignments(kraft: "Cluster") -> ReassignmentList:
    """List the reassignments in progress, with the replicas that are added and removed."""
    return {"reassignments": [*await kraft.reassignments.list()]}


async def start_reassignment(
    kraft: "Cluster", name: str, replicas: Mapping[str, Sequence[int]]
) -> ReassignmentList:
    """Begin to give partitions of a topic new replicas, and list its reassignments."""
    await kraft.reassignments.start(name, replicas)
    return await _of_topic(kraft, name)


async def cancel_reassignment(
    kraft: "Cluster", name: str, partition: int | None = None
) -> ReassignmentList:
    """Cancel the reassignments of a topic, and list those that are left."""
    await kraft.reassignments.cancel(name, partition)
    return await _of_topic(kraft, name)


async def _of_topic(kraft: "Cluster", name: str) -> ReassignmentList:
    in_progress = await kraft.reassignments.list()
    return {"reassignments": [document for document in in_progress if document["topic"] == name]}


def _verb(verb: str, run: Run, check: Check) -> Operation:
    path = f"/sim/reassignments/{{name}}/{verb}"
    return Operation("POST", path, ("reassignment", verb), run, changes=True, check=check)


REASSIGNMENT_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "GET",
        "/v1/reassignments",
        ("reassignment", "list"),
        list_reassignments,
    ),
    _verb("start", start_reassignment, check_reassignment),
    _verb("cancel", cancel_reassignment, check_partition),
)
