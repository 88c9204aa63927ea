"""Processes of the world that run code of a user, such as an operator."""

from collections.abc import Callable
from re import fullmatch
from typing import Protocol

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.node_id import Kind, NodeId

from .event_row import Detail
from .journal import Journal

FIRST_OWN_ID = 2_000_000  # above the ids of clones
NAME = r"[A-Za-z][A-Za-z0-9_.-]*"
TAKEN = r"localhost|test|kraft|(broker|controller)-[0-9]+"


class OwnProcess(Protocol):
    """A process of a user, as faults and conditions see it."""

    @property
    def state(self) -> ProcessState:
        """RUNNING, PAUSED or NOT_RUNNING."""

    @property
    def failure(self) -> str | None:
        """What its code has raised, with the place; None if it raised nothing."""

    @property
    def is_done(self) -> bool:
        """True if its code has returned."""

    @property
    def is_alive(self) -> bool:
        """True if there is a process, paused or not."""

    @property
    def is_stopping(self) -> bool:
        """True if the process got SIGTERM and has not ended yet."""

    def once_ended(self, then: Callable[[], None], /) -> None:
        """Calls `then` when the process ends by itself, and is not killed."""

    def start(self) -> None:
        """Starts a new process; does nothing if one is running."""

    def stop(self) -> None:
        """Sends SIGTERM."""

    def kill(self) -> None:
        """Ends the process at once."""

    def pause(self) -> None:
        """Sends SIGSTOP."""

    def resume(self) -> None:
        """Sends SIGCONT."""


class OwnNodes:
    """The nodes of a user, by name; one that only connects to others has no process.

    `racks` are the racks of those that have one. `failed` listeners get the name of a node whose
    code has raised something, and what; `reported` listeners the name of a node and the fact that
    its code reports.
    """

    def __init__(self, journal: Journal) -> None:
        self.processes: dict[NodeId, OwnProcess] = {}
        self.racks: dict[NodeId, str] = {}
        self.failed: list[Callable[[str, str], None]] = []
        self.reported: list[Callable[[str, str], None]] = []
        self._nodes: dict[str, NodeId] = {}
        self._journal = journal

    def name(self, name: str) -> NodeId:
        """Returns the node of a name, a new one unless it is known."""
        node = self._nodes.setdefault(name, NodeId(FIRST_OWN_ID + len(self._nodes), Kind.OWN))
        self._journal.subjects[name] = node
        return node

    def named(self, name: str) -> NodeId:
        """Returns the node of a name. Raises ValueError if there is none."""
        if name not in self._nodes:
            known = ", ".join(self._nodes) or "none"
            raise ValueError(f"expected the name of a node of your own ({known}), got {name!r}")
        return self._nodes[name]

    def has(self, name: str) -> bool:
        """Returns True if a node has the name."""
        return name in self._nodes

    @property
    def by_name(self) -> dict[str, OwnProcess]:
        """The processes by the names of their nodes, in the order in which they were added."""
        return {
            name: self.processes[node]
            for name, node in self._nodes.items()
            if node in self.processes
        }

    def nodes_in(self, rack: str) -> tuple[NodeId, ...]:
        """Returns the nodes of a rack."""
        return tuple(node for node, node_rack in self.racks.items() if node_rack == rack)

    def note_state(self, name: str) -> None:
        """Writes the new state of a process to the journal."""
        process = self.processes[self.named(name)]
        state: Detail = {"state": process.state.value}
        if process.failure is None:
            self._journal.write(name, "node_state", detail=state)
            return
        self._journal.write(name, "node_state", detail={**state, "error": process.failure})
        for listener in self.failed:
            listener(name, process.failure)

    def note_fact(self, name: str, fact: str, detail: Detail) -> None:
        """Writes what the code of a node reports to the journal."""
        self._journal.write(name, "node_reported", detail={"fact": fact, **detail})
        for listener in self.reported:
            listener(name, fact)


def check_name(name: object) -> None:
    """Raises ValueError for a name that no node of a user can have."""
    if not isinstance(name, str) or not fullmatch(NAME, name) or fullmatch(TAKEN, name):
        raise ValueError(
            "name: expected the name of a host that is no broker and no controller, of letters, "
            f"digits, '.', '_' and '-', got {name!r}"
        )
