"""The interface of a node in a search: an event turns it into another node with messages to send.

The result depends on nothing else, so equal events give equal results. Time stands still: a timeout
is an event like all others, and values that only tell times apart are not part of a node's `key`.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import Request, Response
from kraftsim.controller.raft.quorum import Quorum

from .identities import Disk

Asker = int | str  # the id of a replica, or the name of a broker's conversation
Answer = Response | ApiError


@dataclass(slots=True)
class Asked:
    """A request that arrived; `is_awaited` is True while its sender waits for the reply."""

    asker: Asker
    request: Request
    is_awaited: bool


class Sent(NamedTuple):
    """A request that a node sends, with its receiver."""

    receiver: int
    request: Request


@dataclass
class Step:
    """The result of an event: the new node, its requests and its replies.

    `ended` are the conversations of the node in which it no longer waits for a reply.
    """

    node: "Lone"
    sends: tuple[Sent, ...]
    replies: tuple[tuple[Asked, Answer], ...]
    ended: frozenset[Asker]


class Lone(Protocol):
    """A node, which is never changed: `meet` returns another one.

    `awaited` are its open requests, by conversation. `parked` are the nodes whose fetches wait
    here, and `deferred` those whose replies wait for a commit. `epoch` and `is_leader` are
    those of its quorum. `disk` is what a crash leaves. `may` lists the events that need no
    message.
    """

    @property
    def awaited(self) -> Mapping[Asker, Sent]: ...

    @property
    def parked(self) -> frozenset[Asker]: ...

    @property
    def deferred(self) -> frozenset[Asker]: ...

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

    def meet(self, event: str, *about: Any, next_asked: int = 0) -> Step: ...
