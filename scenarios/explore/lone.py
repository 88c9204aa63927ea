"""What a search asks of a node: something happens to it, and it becomes another one and speaks.

Nothing else decides what it does, so whoever asks twice gets the same. Time stands still: a time
that is over is an event like the others, and nothing that only tells times apart is part of what a
node is (`key`).
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import Request, Response
from kraftsim.controller.raft.quorum import Quorum

from .identities import Disk

Asker = int | str  # a replica by its id, a broker by the name of its conversation
Answer = Response | ApiError


@dataclass(slots=True)
class Asked:
    """Somebody's request; `is_awaited`: it still waits for the answer."""

    asker: Asker
    request: Request
    is_awaited: bool


class Sent(NamedTuple):
    receiver: int
    request: Request


@dataclass
class Step:
    """`ended`: those of its conversations whose answers it does not wait for any more."""

    node: "Lone"
    sends: tuple[Sent, ...]
    replies: tuple[tuple[Asked, Answer], ...]
    ended: frozenset[Asker]


class Lone(Protocol):
    """Never changed: `meet` makes another one. `awaited`: by conversation, what was asked of whom;
    `parked`: who waits here and may be let go, `deferred`: who waits until something is committed;
    `epoch` and `is_leader` are of its quorum, `disk` is what a crash leaves."""

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
