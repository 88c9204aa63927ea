"""rpc.*: faults of single requests, when they reach a controller or a broker's listener."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.simulation.requests.actions import (
    Close,
    Count,
    Damage,
    Lose,
    Park,
    Postpone,
    Refuse,
    Repeat,
    Throttle,
)
from kraftsim.simulation.requests.rules import RequestRule

from ..language.amounts import Amount, Lasting
from ..language.constraints import OneOf
from ..language.reading import Path, Problem
from ..language.schema import SWEPT, Schema, SchemaOf, any_of
from ..language.suggestions import nearest
from ..stage.stage import Stage
from .request_matching import Requests

HEADER_BYTES = 8  # length and correlation id of a reply
BEFORE, AFTER = "before", "after"
Order = Annotated[str, OneOf((BEFORE, AFTER))]
Lag = Annotated[Amount, Lasting(0)]


@dataclass(frozen=True, slots=True)
class Code:
    """An error code of Kafka."""

    value: ErrorCode

    @staticmethod
    def from_document(value: object, path: Path) -> "Code":
        """Reads the name or the number of an error; raises Problem if Kafka has no such error."""
        names = [code.name for code in ErrorCode if code]
        if isinstance(value, str) and value in names:
            return Code(ErrorCode[value])
        if isinstance(value, int) and value and value in set(ErrorCode):
            return Code(ErrorCode(value))
        raise Problem(path, f"expected an error code, {nearest(str(value), names)}, got {value!r}")

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of names and numbers."""
        codes = [code for code in ErrorCode if code]
        return any_of({"enum": [c.name for c in codes] + [int(c) for c in codes]}, SWEPT)

    def to_document(self) -> object:
        """Returns the name of the error."""
        return self.value.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(Requests, word="rpc.error"):
    """Refuses requests with the error `code`, a name or a number of Kafka.

    By default a refused request changes nothing; with `apply: after` it is handled first, and
    its reply is replaced.
    """

    code: Code
    apply: Order = BEFORE

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        error = ApiError(self.code.value, f"fault {fault_id}")
        return Refuse(*of_rule, error=error, is_applied=self.apply == AFTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop(Requests, word="rpc.drop"):
    """Loses requests: they are not handled, and their senders get no reply."""

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        return Lose(*of_rule, is_applied=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseReply(Requests, word="rpc.lose_reply"):
    """Loses the replies of requests that are handled."""

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        return Lose(*of_rule, is_applied=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayRequests(Requests, word="rpc.delay"):
    """Handles requests later by the time `by`; later requests may overtake them."""

    by: Lag

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        return Postpone(*of_rule, timeline=stage.world.timeline, lag_us=self.by.us)


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateRequests(Requests, word="rpc.duplicate"):
    """Handles requests twice, as after a client's repetition; senders get the first reply."""

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        return Repeat(*of_rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldRequests(Requests, word="rpc.hold"):
    """Holds requests until the fault ends, and then handles them in order: a barrier."""

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        return Park(*of_rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observe(Requests, word="rpc.observe"):
    """Counts requests and changes nothing."""

    is_cause: ClassVar[bool] = False

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        return Count(*of_rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseConnections(Requests, word="rpc.close"):
    """Closes connections instead of replying; with `apply: after` the request is handled first.

    The other replies on the connection are lost, too.
    """

    apply: Order = BEFORE

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        return Close(*of_rule, is_applied=self.apply == AFTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncateReplies(Requests, word="rpc.truncate"):
    """Sends the first half of each reply, and then closes the connection.

    The requests are handled. Where requests have no bytes (simulated brokers, HTTP), the
    connection fails.
    """

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        return Damage(*of_rule, change=lambda frame: frame[: len(frame) // 2], closes=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorruptReplies(Requests, word="rpc.corrupt"):
    """Inverts one random byte of each reply, after its length and correlation id.

    The requests are handled. Where requests have no bytes (simulated brokers, HTTP), the
    connection fails.
    """

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        stream = stage.stream(f"fault/{fault_id}")

        def corrupted(frame: bytes) -> bytes:
            if len(frame) <= HEADER_BYTES:
                return frame
            at = stream.randrange(HEADER_BYTES, len(frame))
            return frame[:at] + bytes([frame[at] ^ 0xFF]) + frame[at + 1 :]

        return Damage(*of_rule, change=corrupted, closes=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleReplies(Requests, word="rpc.throttle"):
    """Sets the throttle time of replies to `by`, if the API has one: clients wait that long."""

    by: Lag

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        return Throttle(*of_rule, throttle_ms=self.by.us // 1000)
