"""Conditions about what has happened since: what was committed, and who was refused."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, get_args

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.rpc import (
    CreatableTopicResult,
    CreateTopicsResponse,
    Request,
    UpdatableFeatureResult,
    UpdateFeaturesResponse,
)

from .constraints import OneOf
from .holding import Holds
from .journal import EventRow
from .selectors import Selector

if TYPE_CHECKING:
    from .network import Message
    from .stage import Stage

RECORDS = {
    "RegisterBroker": "broker_registered",
    "UnregisterBroker": "broker_unregistered",
    "FenceBroker": "broker_fenced",
    "UnfenceBroker": "broker_unfenced",
    "InControlledShutdown": "broker_in_controlled_shutdown",
    "Topic": "topic_created",
    "RemoveTopic": "topic_deleted",
    "PartitionChange": "partition_changed",
    "LeaderChange": "controller_elected",
}
MESSAGES = tuple(one.__name__.removesuffix("Request") for one in get_args(Request))
ErrorName = Annotated[str, OneOf(tuple(one.name for one in ErrorCode))]
STATE_CHANGES = ("agent_state", "controller_state", "clone_state")
TOLD = ("fault_begins", "fault_ends", "admin_refused")
EVENTS = (*RECORDS.values(), *STATE_CHANGES, *TOLD)  # kinds of rows of the journal
ADMIN_REFUSED = "admin_refused"  # a row of the journal: the verb was refused, and with which error


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    record: Annotated[str, OneOf(tuple(RECORDS))]
    of: Selector | None = None
    count: int = 1

    def watched(self, stage: "Stage") -> Holds:
        count = self.counted(stage)
        return lambda: count() >= self.count

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """Since it is watched: what was committed before does not count."""
        seen: list[EventRow] = []

        def notice(row: EventRow) -> None:
            if row.kind != RECORDS[self.record]:
                return
            if self.of is None or row.broker_id in stage.nodes(self.of):
                seen.append(row)

        stage.world.journal.listeners.append(notice)
        return lambda: len(seen)


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
