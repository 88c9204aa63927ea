"""Conditions about events since a moment: records written, messages carried, requests refused."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import numbers_of
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn

from ..language.constraints import Between, OneOf
from ..language.selectors import Selector
from ..stage.stage import Holds
from .record_names import RECORDS, node_of

if TYPE_CHECKING:
    from kraftsim.simulation.message import Message

    from ..stage.stage import Stage

TIMES_MAX = 1_000_000_000  # more than any scenario counts
MESSAGES = tuple(kind.__name__.removesuffix("Request") for kind in rpc.REQUESTS)
Times = Annotated[int, Between(1, TIMES_MAX)]
MessageName = Annotated[str, OneOf(MESSAGES)]
ErrorName = Annotated[str, OneOf(tuple(code.name for code in ErrorCode))]
# kind of a journal row: an admin's request was refused, with its error
ADMIN_REFUSED = "admin_refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """True if a record about one of the nodes `of` was committed since the condition was set.

    With `committed: false`, an appended record counts, even if it is never committed.
    """

    record: Annotated[str, OneOf(tuple(RECORDS))]
    of: Selector | None = None
    count: Times = 1
    committed: bool = True

    def watched(self, stage: "Stage") -> Holds:
        """Returns a function that returns True while the condition holds."""
        total, wanted = self._count(stage), self.count
        return lambda: total[0] >= wanted

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """Returns a function that returns the number of such records since this call."""
        total = self._count(stage)
        return lambda: total[0]

    def _count(self, stage: "Stage") -> list[int]:
        """Returns a list of one number, which becomes that of such records since this call."""
        world, total = stage.world, [0]

        def count_records(batch: Batch) -> None:
            for record in batch.records:
                if self._matches(record, stage):
                    total[0] += 1

        def on_committed(node_id: int, batch: Batch) -> None:
            # the first controller that reports it
            if batch.base_offset == world.committed_log.end_offset:
                count_records(batch)

        def on_step(node: Node, turn: Turn) -> None:
            if node.is_active:
                for batch in turn.persist:
                    count_records(batch)

        if self.committed:
            world.committed_listeners.append(on_committed)
        else:
            world.step_listeners.append(on_step)
        return total

    def _matches(self, record: object, stage: "Stage") -> bool:
        if not RECORDS[self.record](record):
            return False
        return self.of is None or node_of(record) in numbers_of(stage.nodes(self.of))


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """True if a message has arrived; with `lost`, if a message was lost or held back.

    The message is a request, or with `replies` a reply. The sender (`from`) of a reply is the
    node that received the request.
    """

    message: MessageName
    from_: Selector | None = None
    to: Selector | None = None
    replies: bool = False
    lost: bool = False
    count: Times = 1

    def watched(self, stage: "Stage") -> Holds:
        """Returns a function that returns True while the condition holds."""
        count = self.counted(stage)
        return lambda: count() >= self.count

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """Returns a function that returns the number of such messages since this call."""
        total, network = [0], stage.world.network

        def on_message(message: "Message") -> None:
            total[0] += self._matches(message, stage)

        (network.stopped if self.lost else network.arrived).append(on_message)
        return lambda: total[0]

    def _matches(self, message: "Message", stage: "Stage") -> bool:
        is_named = type(message.request).__name__ == f"{self.message}Request"
        if not is_named or message.is_reply is not self.replies:
            return False
        is_sender = self.from_ is None or message.sender in stage.nodes(self.from_)
        return is_sender and (self.to is None or message.receiver in stage.nodes(self.to))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """True if a reply with this error has arrived at one of the nodes `of`.

    Without `of`, a reply to any node or to an admin counts.
    """

    refused: ErrorName
    of: Selector | None = None

    def watched(self, stage: "Stage") -> Holds:
        """Returns a function that returns True while the condition holds."""
        count = self.counted(stage)
        return lambda: count() > 0

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """Returns a function that returns the number of such replies since this call."""
        code, total = ErrorCode[self.refused], [0]

        def arrived(message: "Message") -> None:
            if message.is_reply and error_code_of(message.reply) == code:
                total[0] += self.of is None or message.receiver in stage.nodes(self.of)

        stage.world.network.arrived.append(arrived)
        return lambda: total[0]


def error_code_of(reply: object) -> int:
    """Returns the error code of a reply; 0 if there is no error or no reply.

    If the reply has no top-level error, returns the first error within it.
    """
    if isinstance(reply, ApiError):
        return reply.code
    whole: int = getattr(reply, "error_code", 0)
    return whole or next((part.error_code for part in _parts(reply) if part.error_code), 0)


def _parts(reply: object) -> "Iterable[Part]":
    """Returns the results within a reply: of topics, partitions, features, resources or users."""
    match reply:
        case rpc.CreateTopicsResponse():
            return reply.topics
        case rpc.UpdateFeaturesResponse() | rpc.CreatePartitionsResponse():
            return reply.results
        case rpc.AlterUserScramCredentialsResponse() | rpc.CreateAclsResponse():
            return reply.results
        case rpc.AlterClientQuotasResponse():
            return reply.entries
        case rpc.DeleteAclsResponse():
            return reply.filter_results
        case rpc.DeleteTopicsResponse() | rpc.IncrementalAlterConfigsResponse():
            return reply.responses
        case rpc.ElectLeadersResponse():
            topics = reply.replica_election_results
            return [partition for topic in topics for partition in topic.partition_result]
        case rpc.AlterPartitionReassignmentsResponse():
            return [partition for topic in reply.responses for partition in topic.partitions]
        case _:
            return ()


class Part(Protocol):
    """A result within a reply."""

    @property
    def error_code(self) -> int: ...
