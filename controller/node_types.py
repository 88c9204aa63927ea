"""What goes into a node and what comes out: two small closed sets of types, on one screen."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from .core.batch import Batch
from .core.errors import ApiError
from .core.rpc import Request, Response
from .core.uuid import Uuid

LISTENER = "CONTROLLER"


class Submitted(NamedTuple):
    """A request came; `token` is whatever the driver needs to answer it."""

    request: Request
    token: Any


@dataclass(frozen=True, slots=True)
class Elected:
    """This node leads from now on, in `epoch`."""

    epoch: int


@dataclass(frozen=True, slots=True)
class LeadershipLost:
    leader_id: int = -1


@dataclass(frozen=True, slots=True)
class Deadline:
    """`deadline_ms` has come."""


@dataclass(frozen=True, slots=True)
class Persisted:
    """The log is safe up to `end_offset` (exclusive)."""

    end_offset: int


Event = Submitted | Elected | LeadershipLost | Deadline | Persisted
Reply = Response | ApiError


class Ready:
    """What the driver must do: first `persist`, then send `replies`, each in its order."""

    __slots__ = ("persist", "replies")

    def __init__(self) -> None:
        self.persist: tuple[Batch, ...] = ()
        self.replies: tuple[tuple[Any, Reply], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeConfig:
    """Who this controller is. `kraft_version` 1 keeps the voters in the log (KIP-853)."""

    node_id: int
    cluster_id: str
    host: str
    port: int
    directory_id: Uuid
    kraft_version: int = 1
    metadata_version: int | None = None
