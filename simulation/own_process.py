"""A process of the world that runs code of a user, such as an operator."""

from collections.abc import Callable
from typing import Protocol

from kraftsim.broker_agent.process_state import ProcessState

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
