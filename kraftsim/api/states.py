"""The states and clocks of the Python API, as types for checkers and editors."""

from typing import Literal, TypedDict

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
ClockName = Literal["real", "virtual", "auto", "skipping"]


class BrokerStatesDocument(TypedDict):
    """The states of a broker: of its registration and of its process."""

    brokerId: int
    states: list[BrokerState]


class NodeDocument(TypedDict):
    """A process of a user; `error` is what its code raised, after file and line, if it did."""

    name: str
    state: str
    rack: str | None
    error: str | None


class NodeList(TypedDict):
    """The nodes of a user, in the order in which they were added."""

    nodes: list[NodeDocument]
