"""The states and clocks that the Python API accepts, as types for checkers and editors."""

from typing import Literal

# The states of a broker that `wait` accepts: of its registration, then of its process.
BrokerState = Literal[
    "registered",
    "unregistered",
    "fenced",
    "unfenced",
    "in_controlled_shutdown",
    "STARTING",
    "RECOVERY",
    "RUNNING",
    "PENDING_CONTROLLED_SHUTDOWN",
    "NOT_RUNNING",
    "PAUSED",
]
# The states of the process of a broker or controller.
ProcessStateName = Literal[
    "STARTING",
    "RECOVERY",
    "RUNNING",
    "PENDING_CONTROLLED_SHUTDOWN",
    "SHUTTING_DOWN",
    "NOT_RUNNING",
    "PAUSED",
]
Clock = Literal["real", "virtual", "auto"]
