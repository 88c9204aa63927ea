"""The rows of the table of operations about faults."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..api.argument_checks import check_fault, check_fault_wait
from ..api.documents import (
    FaultCatalog,
    FaultDocument,
    FaultHistory,
    FaultList,
    HeldList,
    ReleaseDocument,
)
from .operation import Operation

if TYPE_CHECKING:
    from ..api.cluster import Cluster


async def add_fault(kraft: "Cluster", fault: Mapping[str, object]) -> FaultDocument:
    """Begin a fault, written as a step of a scenario without its trigger."""
    return (await kraft.faults.add(fault)).document()


async def list_faults(kraft: "Cluster") -> FaultList:
    """List the faults that were added, with their hits."""
    return {"faults": list(await kraft.faults.list())}


async def show_fault(kraft: "Cluster", id: str) -> FaultHistory:
    """Show a fault: its verb, its nodes, its hits, and the events of what it did."""
    return await kraft.faults.show(id)


async def wait_for_fault(
    kraft: "Cluster", id: str, hits: int = 1, timeout: str | float = "20s"
) -> FaultDocument:
    """Wait until a fault has had a number of hits."""
    return await kraft.faults.wait(id, hits, timeout)


async def remove_fault(kraft: "Cluster", id: str) -> FaultDocument:
    """End a fault, and undo it."""
    return await kraft.faults.remove(id)


async def list_held(kraft: "Cluster") -> HeldList:
    """List the requests and replies that faults hold or delay."""
    return await kraft.faults.held()


async def release_fault(kraft: "Cluster", id: str, message: int | None = None) -> ReleaseDocument:
    """Release a held message of a fault, or all that it holds now; the fault stays open."""
    return await kraft.faults.release(id, message)


async def show_fault_catalog(kraft: "Cluster") -> FaultCatalog:
    """List the verbs of faults: their words, their meaning, their cause in a real cluster."""
    return {"verbs": list(await kraft.faults.catalog())}


LIST_FAULTS = Operation("GET", "/sim/faults", ("fault", "list"), list_faults)
FAULT_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "POST",
        "/sim/faults",
        ("fault", "add"),
        add_fault,
        changes=True,
        check=check_fault,
    ),
    LIST_FAULTS,
    # before the paths with an id, of which it would be one
    Operation("GET", "/sim/faults/catalog", ("fault", "catalog"), show_fault_catalog),
    Operation("GET", "/sim/faults/held", ("fault", "held"), list_held),
    Operation("GET", "/sim/faults/{id}", ("fault", "show"), show_fault),
    Operation(
        "GET",
        "/sim/faults/{id}/wait",
        ("fault", "wait"),
        wait_for_fault,
        moves_time=True,
        check=check_fault_wait,
    ),
    Operation(
        "POST",
        "/sim/faults/{id}/remove",
        ("fault", "remove"),
        remove_fault,
        changes=True,
    ),
    Operation(
        "POST",
        "/sim/faults/{id}/release",
        ("fault", "release"),
        release_fault,
        changes=True,
    ),
)
