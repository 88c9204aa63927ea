"""Conditions about what has happened since: what was written, what was said, who was refused."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, get_args

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import numbers_of
from kraftsim.controller.core.rpc import (
    CreatableTopicResult,
    CreateTopicsResponse,
    Request,
    UpdatableFeatureResult,
    UpdateFeaturesResponse,
)
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn

from ..language.constraints import Between, OneOf
from ..language.selectors import Selector
from ..stage.evaluation import Holds
from .record_names import RECORDS, node_of

if TYPE_CHECKING:
    from kraftsim.simulation.message import Message

    from ..stage.stage import Stage

TIMES_MAX = 1_000_000_000  # nobody waits for more
MESSAGES = tuple(one.__name__.removesuffix("Request") for one in get_args(Request))
Times = Annotated[int, Between(1, TIMES_MAX)]
MessageName = Annotated[str, OneOf(MESSAGES)]
ErrorName = Annotated[str, OneOf(tuple(one.name for one in ErrorCode))]
ADMIN_REFUSED = "admin_refused"  # a row of the journal: the verb was refused, and with which error


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """A record is in the log, `of` one of those if it says so: committed, or with `committed:
    false` appended by a controller that leads, which may never come to be committed. What was there
    before it was asked for does not count."""

    record: Annotated[str, OneOf(tuple(RECORDS))]
    of: Selector | None = None
    count: Times = 1
    committed: bool = True

    def watched(self, stage: "Stage") -> Holds:
        count = self.counted(stage)
        return lambda: count() >= self.count

    def counted(self, stage: "Stage") -> Callable[[], int]:
        world, seen = stage.world, [0]

        def look(batch: Batch) -> None:
            for record in batch.records:
                if self._is_meant(record, stage):
                    seen[0] += 1

        def on_committed(node_id: int, batch: Batch) -> None:
            if batch.base_offset == world.committed_log.end_offset:  # who says it first
                look(batch)

        def on_step(node: Node, turn: Turn) -> None:
            if node.is_active:
                for batch in turn.persist:
                    look(batch)

        if self.committed:
            world.committed_listeners.append(on_committed)
        else:
            world.step_listeners.append(on_step)
        return lambda: seen[0]

    def _is_meant(self, record: object, stage: "Stage") -> bool:
        if not RECORDS[self.record](record):
            return False
        return self.of is None or node_of(record) in numbers_of(stage.nodes(self.of))


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A message has arrived, or with `lost` has not, be it lost or kept back: a request, or with
    `replies` the answer to one, which is sent by whoever was asked."""

    message: MessageName
    from_: Selector | None = None
    to: Selector | None = None
    replies: bool = False
    lost: bool = False
    count: Times = 1

    def watched(self, stage: "Stage") -> Holds:
        count = self.counted(stage)
        return lambda: count() >= self.count

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """Since it is watched."""
        seen, network = [0], stage.world.network

        def heard(message: "Message") -> None:
            seen[0] += self._is_meant(message, stage)

        (network.stopped if self.lost else network.arrived).append(heard)
        return lambda: seen[0]

    def _is_meant(self, message: "Message", stage: "Stage") -> bool:
        is_named = type(message.request).__name__ == f"{self.message}Request"
        if not is_named or message.is_reply is not self.replies:
            return False
        is_sender = self.from_ is None or message.sender in stage.nodes(self.from_)
        return is_sender and (self.to is None or message.receiver in stage.nodes(self.to))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """`of`: the answer reached one of these; without it, anybody's counts, an admin's too."""

    refused: ErrorName
    of: Selector | None = None

    def watched(self, stage: "Stage") -> Holds:
        count = self.counted(stage)
        return lambda: count() > 0

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """Since it is watched."""
        code, seen = ErrorCode[self.refused], [0]

        def arrived(message: "Message") -> None:
            if message.is_reply and error_code_of(message.reply) == code:
                seen[0] += self.of is None or message.receiver in stage.nodes(self.of)

        stage.world.network.arrived.append(arrived)
        return lambda: seen[0]


def error_code_of(reply: object) -> int:
    """The error that an answer carries, as a whole or for the first topic or feature that it is
    about; 0 for none, and where nobody answered."""
    if isinstance(reply, ApiError):
        return reply.code
    whole: int = getattr(reply, "error_code", 0)
    return whole or next((one.error_code for one in _parts(reply) if one.error_code), 0)


def _parts(reply: object) -> tuple[CreatableTopicResult, ...] | tuple[UpdatableFeatureResult, ...]:
    match reply:
        case CreateTopicsResponse():
            return reply.topics
        case UpdateFeaturesResponse():
            return reply.results
        case _:
            return ()
