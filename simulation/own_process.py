"""Processes of the world that run code of a user, such as an operator."""

from collections.abc import Callable
from typing import Protocol

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.node_id import Kind, NodeId

FIRST_OWN_ID = 2_000_000  # above the ids of clones


class OwnProcess(Protocol):
    """A process of a user, as faults see it."""

    @property
    def state(self) -> ProcessState:
        """RUNNING, PAUSED or NOT_RUNNING."""

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
    """The nodes of a user, by name; one that only connects to others has no process."""

    def __init__(self) -> None:
        self.processes: dict[NodeId, OwnProcess] = {}
        self._nodes: dict[str, NodeId] = {}

    def name(self, name: str) -> NodeId:
        """Returns the node of a name, a new one unless it is known."""
        return self._nodes.setdefault(name, NodeId(FIRST_OWN_ID + len(self._nodes), Kind.OWN))

    def named(self, name: str) -> NodeId:
        """Returns the node of a name. Raises ValueError if there is none."""
        if name not in self._nodes:
            known = ", ".join(self._nodes) or "none"
            raise ValueError(f"expected the name of a node of your own ({known}), got {name!r}")
        return self._nodes[name]

    def has(self, name: str) -> bool:
        """Returns True if a node has the name."""
        return name in self._nodes
