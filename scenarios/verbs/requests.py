"""rpc.*: faults of single requests, when they reach a controller or a broker's listener."""

from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Annotated, ClassVar

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.simulation.requests import actions
from kraftsim.simulation.requests.aim import Aim
from kraftsim.simulation.requests.holding import Park, Postpone, Reorder
from kraftsim.simulation.requests.rule import RequestRule

from ..language.amounts import Amount, Lasting
from ..language.constraints import Between, OneOf
from ..language.lags import Lag
from ..language.reading import Path, Problem
from ..language.schema import SWEPT, Schema, SchemaOf, any_of
from ..language.selectors import Selector
from ..language.suggestions import nearest
from ..stage.stage import Stage
from .leadership import forget_soft_state, resign
from .request_matching import Directed, Requests

HEADER_BYTES = 8  # length and correlation id of a reply
WINDOW_MAX = 1_000  # requests whose order changes together
BEFORE, AFTER = "before", "after"
Order = Annotated[str, OneOf((BEFORE, AFTER))]
Throttling = Annotated[Amount, Lasting(0)]
TENTH_OF_A_SECOND = Amount(fixed_us=100_000)


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

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        error = ApiError(self.code.value, f"fault {fault_id}")
        return actions.Refuse(aim, error, is_applied=self.apply == AFTER)


class Drop(Directed, word="rpc.drop"):
    """Loses requests: they are not handled, and their senders get no reply.

    With `direction: reply` the requests are handled, and their replies are lost.
    """

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        return actions.Lose(aim)


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayRequests(Directed, word="rpc.delay"):
    """Handles requests later by the lag `by`; later requests may overtake them.

    With `direction: reply` the requests are handled at once, and their replies are delayed.
    """

    by: Lag

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        lags_us = self.by.draws(stage.stream(f"fault/{fault_id}"))
        return Postpone(aim, stage.held, stage.world.timeline, lags_us)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReorderRequests(Directed, word="rpc.reorder"):
    """Collects requests, and handles them in a drawn order.

    It handles them once there are `window` of them, or `within` after the first. With `direction:
    reply` it sends replies in a drawn order. Requests of one connection keep their order, because
    a listener handles one request of a connection at a time, as in Kafka.
    """

    window: Annotated[int, Between(2, WINDOW_MAX)] = WINDOW_MAX
    within: Annotated[Amount, Lasting(0)] = TENTH_OF_A_SECOND

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        timeline, stream = stage.world.timeline, stage.stream(f"fault/{fault_id}")
        return Reorder(
            aim, stage.held, timeline, stream, window=self.window, within_us=self.within.us
        )


class DuplicateRequests(Requests, word="rpc.duplicate"):
    """Handles requests twice, as after a client's repetition; senders get the first reply."""

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        return actions.Repeat(aim)


class HoldRequests(Directed, word="rpc.hold"):
    """Holds requests until the fault ends, and then handles them in order: a barrier.

    With `direction: reply` the requests are handled, and their replies are held.
    """

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        return Park(aim, stage.held)


class Observe(Directed, word="rpc.observe"):
    """Counts requests, or with `direction: reply` their replies; they are handled as always."""

    is_cause: ClassVar[bool] = False

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        return actions.Count(aim)


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseConnections(Requests, word="rpc.close"):
    """Closes connections instead of handling requests; with `apply: after` they are handled first.

    The other replies on the connection are lost, too.
    """

    apply: Order = BEFORE

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        return actions.Close(aim, is_applied=self.apply == AFTER)


class TruncateReplies(Requests, word="rpc.truncate"):
    """Sends the first half of each reply, and then closes the connection.

    The requests are handled. Where requests have no bytes (simulated brokers, HTTP), the
    connection fails.
    """

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        return actions.Damage(aim, _first_half, closes=True)


class CorruptReplies(Requests, word="rpc.corrupt"):
    """Inverts one random byte of each reply, after its length and correlation id.

    The requests are handled. Where requests have no bytes (simulated brokers, HTTP), the
    connection fails.
    """

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        return actions.Damage(
            aim, partial(_corrupted, stage.stream(f"fault/{fault_id}")), closes=False
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleReplies(Requests, word="rpc.throttle"):
    """Sets the throttle time of replies to `by`, if the API has one: clients wait that long.

    The requests are handled.
    """

    by: Throttling

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        return actions.Throttle(aim, throttle_ms=self.by.us // 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferAtRequests(Requests, word="rpc.transfer"):
    """Makes the active controller resign when a request comes, before the request is handled.

    With `apply: after` it resigns when the reply is sent. `to` is the preferred successor, by
    default the voter with the longest log.
    """

    to: Selector | None = None
    apply: Order = BEFORE

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        successors = () if self.to is None else stage.controllers_of(self.to)
        change = partial(resign, stage.world, successors[0].number if successors else -1)
        return actions.Trigger(aim, stage.world.timeline, change, is_applied=self.apply == AFTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetAtRequests(Requests, word="rpc.forget"):
    """Makes the active controller forget its soft state when a request comes.

    It forgets before the request is handled; with `apply: after` when the reply is sent. What it
    forgets is described at `quorum.forget`.
    """

    apply: Order = BEFORE

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        change = partial(forget_soft_state, stage.world)
        return actions.Trigger(aim, stage.world.timeline, change, is_applied=self.apply == AFTER)


def _first_half(frame: bytes) -> bytes:
    return frame[: len(frame) // 2]


def _corrupted(stream: Random, frame: bytes) -> bytes:
    """Returns the frame with one inverted byte after its header."""
    if len(frame) <= HEADER_BYTES:
        return frame
    at = stream.randrange(HEADER_BYTES, len(frame))
    return frame[:at] + bytes([frame[at] ^ 0xFF]) + frame[at + 1 :]
