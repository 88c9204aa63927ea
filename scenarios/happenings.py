"""Conditions about what has happened since: what was committed, and who was refused."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kraftsim.controller.core.errors import ApiError, ErrorCode

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
ERRORS = tuple(one.name for one in ErrorCode)
ADMIN_REFUSED = "admin_refused"  # a row of the journal: the verb was refused, and with which error


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    record: str
    of: Selector | None = None
    count: int = 1

    def watched(self, stage: "Stage") -> Holds:
        """Since it is watched: what was committed before does not count."""
        seen: list[EventRow] = []

        def notice(row: EventRow) -> None:
            if row.kind != RECORDS[self.record]:
                return
            if self.of is None or row.broker_id in stage.nodes(self.of):
                seen.append(row)

        stage.world.journal.listeners.append(notice)
        return lambda: len(seen) >= self.count


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """`of`: the answer reached one of these; without it, anybody's counts, an admin's too."""

    refused: str
    of: Selector | None = None

    def watched(self, stage: "Stage") -> Holds:
        code, seen = ErrorCode[self.refused], [False]

        def arrived(message: "Message") -> None:
            if message.is_reply and error_code_of(message.reply) == code:
                seen[0] |= self.of is None or message.receiver in stage.nodes(self.of)

        def told(row: EventRow) -> None:
            is_admin = row.kind == ADMIN_REFUSED and self.of is None
            seen[0] |= is_admin and row.detail["error"] == self.refused

        stage.world.network.arrived.append(arrived)
        stage.world.journal.listeners.append(told)
        return lambda: seen[0]


def error_code_of(reply: object) -> int:
    """The error that an answer as a whole carries; 0 for none, and where nobody answered."""
    if isinstance(reply, ApiError):
        return reply.code
    code: int = getattr(reply, "error_code", 0)
    return code
