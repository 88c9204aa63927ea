"""The interface of a node in a search: applying an event returns a new node and its messages.

The result depends only on the node and the event. A timeout is an event like all others, so a
node's `key` leaves out values that only tell times apart.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import Request, Response
from kraftsim.controller.raft.quorum import Quorum

from .identities import Disk

Requester = int | str  # the id of a replica, or the name of a broker's conversation
Answer = Response | ApiError


@dataclass(slots=True)
class Arrival:
    """A request that arrived; `is_awaited` is True while its sender waits for the reply."""

    requester: Requester
    request: Request
    is_awaited: bool


class Sent(NamedTuple):
    """A request that a node sends, with its receiver."""

    receiver: int
    request: Request


@dataclass
class Step:
    """The result of an event: the new node, its requests and its replies.

    `ended` are the conversations in which the node no longer waits for a reply.
    """

    node: "Lone"
    sends: tuple[Sent, ...]
    replies: tuple[tuple[Arrival, Answer], ...]
    ended: frozenset[Requester]


class Lone(Protocol):
    """An immutable node: `apply` returns a new node.

    `awaited` maps a conversation to the node's open request. `parked` are the nodes whose
    fetches this node has parked, `deferred` the nodes whose replies wait for a commit. `disk`
    survives a crash, and `disk_key` is its hashable key. `may` lists the events that can happen
    without a message. Nodes with equal `key` have equal continuations. `next_peer` of `apply`
    is the index, among the other controllers, of the one that gets a request to any controller.
    """

    @property
    def awaited(self) -> Mapping[Requester, Sent]: ...

    @property
    def parked(self) -> frozenset[Requester]: ...

    @property
    def deferred(self) -> frozenset[Requester]: ...

    @property
    def epoch(self) -> int: ...

    @property
    def is_leader(self) -> bool: ...

    @property
    def quorum(self) -> Quorum: ...

    @property
    def disk(self) -> Disk: ...

    @property
    def disk_key(self) -> Hashable: ...

    @property
    def may(self) -> tuple[tuple[Any, ...], ...]: ...

    @property
    def key(self) -> Hashable: ...

    def apply(self, event: str, *arguments: Any, next_peer: int = 0) -> Step: ...
