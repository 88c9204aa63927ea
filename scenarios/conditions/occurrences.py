"""Conditions about events since a moment: records written, messages carried, requests refused."""

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

TIMES_MAX = 1_000_000_000  # more than any scenario counts
MESSAGES = tuple(argument.__name__.removesuffix("Request") for argument in get_args(Request))
Times = Annotated[int, Between(1, TIMES_MAX)]
MessageName = Annotated[str, OneOf(MESSAGES)]
ErrorName = Annotated[str, OneOf(tuple(code.name for code in ErrorCode))]
# kind of a journal row: an admin's request was refused, with its error
ADMIN_REFUSED = "admin_refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """A record was committed, about one of the nodes `of`, since the condition was set.

    With `committed: false` it was appended by a leader, and may never be committed.
    """

    record: Annotated[str, OneOf(tuple(RECORDS))]
    of: Selector | None = None
    count: Times = 1
    committed: bool = True

    def watched(self, stage: "Stage") -> Holds:
        """Returns a function that tells whether the condition holds now."""
        count = self.counted(stage)
        return lambda: count() >= self.count

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """Returns a function that counts such records from now on."""
        world, seen = stage.world, [0]

        def look(batch: Batch) -> None:
            for record in batch.records:
                if self._is_meant(record, stage):
                    seen[0] += 1

        def on_committed(node_id: int, batch: Batch) -> None:
            # the first controller that reports it
            if batch.base_offset == world.committed_log.end_offset:
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
    """A message has arrived; with `lost` it was lost or held back.

    It is a request, or with `replies` a reply, whose sender is the node that was asked.
    """

    message: MessageName
    from_: Selector | None = None
    to: Selector | None = None
    replies: bool = False
    lost: bool = False
    count: Times = 1

    def watched(self, stage: "Stage") -> Holds:
        """Returns a function that tells whether the condition holds now."""
        count = self.counted(stage)
        return lambda: count() >= self.count

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """Returns a function that counts such messages from now on."""
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
    """A reply with this error has arrived.

    With `of` it has arrived at one of these nodes, otherwise at any node or at an admin.
    """

    refused: ErrorName
    of: Selector | None = None

    def watched(self, stage: "Stage") -> Holds:
        """Returns a function that tells whether the condition holds now."""
        count = self.counted(stage)
        return lambda: count() > 0

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """Returns a function that counts such replies from now on."""
        code, seen = ErrorCode[self.refused], [0]

        def arrived(message: "Message") -> None:
            if message.is_reply and error_code_of(message.reply) == code:
                seen[0] += self.of is None or message.receiver in stage.nodes(self.of)

        stage.world.network.arrived.append(arrived)
        return lambda: seen[0]


def error_code_of(reply: object) -> int:
    """Returns the error code of a reply, or 0 if it has none or there is no reply.

    If the reply has no error as a whole, this is the first error of a topic or feature in it.
    """
    if isinstance(reply, ApiError):
        return reply.code
    whole: int = getattr(reply, "error_code", 0)
    return whole or next((part.error_code for part in _parts(reply) if part.error_code), 0)


def _parts(reply: object) -> tuple[CreatableTopicResult, ...] | tuple[UpdatableFeatureResult, ...]:
    match reply:
        case CreateTopicsResponse():
            return reply.topics
        case UpdateFeaturesResponse():
            return reply.results
        case _:
            return ()
