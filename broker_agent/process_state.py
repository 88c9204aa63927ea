"""The states of the process of a broker or a controller."""

from enum import StrEnum


class ProcessState(StrEnum):
    """The state of a process: Kafka's states of a broker, and PAUSED after SIGSTOP.

    The process of a controller is RUNNING, NOT_RUNNING or PAUSED.
    """

    STARTING = "STARTING"
    RECOVERY = "RECOVERY"
    RUNNING = "RUNNING"
    PENDING_CONTROLLED_SHUTDOWN = "PENDING_CONTROLLED_SHUTDOWN"
    SHUTTING_DOWN = "SHUTTING_DOWN"
    NOT_RUNNING = "NOT_RUNNING"
    PAUSED = "PAUSED"


LASTING_STATES = tuple(state for state in ProcessState if state is not ProcessState.SHUTTING_DOWN)
"""States that a wait can see: a broker leaves SHUTTING_DOWN in the step that enters it."""

FOLLOWS = (
    ProcessState.RECOVERY,
    ProcessState.RUNNING,
    ProcessState.PENDING_CONTROLLED_SHUTDOWN,
)
"""The states of a process that has applied its own registration: it follows (rule 1.44)."""
