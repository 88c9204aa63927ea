"""net.*: faults of messages on their way."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from kraftsim.simulation.delays import uniform
from kraftsim.simulation.network_rules import Block, Delay, Duplicate, Hold, Loss, Nth, Rule

from ..conditions.occurrences import MessageName
from ..language.amounts import Amount, in_order
from ..language.constraints import Between, Pair
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .shapes import Shape
from .verb import Verb, nothing

if TYPE_CHECKING:
    from kraftsim.simulation.message import Message

MESSAGES_MAX = 1_000_000_000  # a message can be named up to this number
COPIES_MAX = 1_000  # a message can be copied this often
TENTH_OF_A_SECOND = Amount(fixed_us=100_000)
AT_ONCE = Amount(fixed_us=0)
CONTROLLERS = Selector("controllers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways(Verb):
    """Selects messages by nodes and by API.

    `on` selects messages from or to these nodes; `from` and `to` select one direction;
    `between` selects both directions between two groups. `message` names one API; with
    `replies` only replies are selected.
    """

    on: Selector | None = None
    from_: Selector | None = None
    to: Selector | None = None
    between: Annotated[tuple[Selector, ...], Pair()] = ()
    message: MessageName | None = None
    replies: bool = False
    for_: Amount | None = None

    def rule(self, stage: Stage, fault_id: str) -> Rule:
        """Returns the network rule that carries out the fault."""
        raise NotImplementedError(self.word)

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        rule, network = self.rule(stage, fault_id), stage.world.network
        rule.log = stage.log
        network.add(rule)
        return lambda: rule.hits, lambda: network.remove(rule)

    def concerns(self, stage: Stage) -> "Callable[[Message], bool]":
        """Returns a function that returns True for the selected messages."""
        is_on_way = self._ways(stage)
        if self.message is None and not self.replies:
            return is_on_way
        name, replies = self.message, self.replies

        def concerns(message: "Message") -> bool:
            is_named = name is None or type(message.request).__name__ == f"{name}Request"
            return is_named and message.is_reply is replies and is_on_way(message)

        return concerns

    def _ways(self, stage: Stage) -> "Callable[[Message], bool]":
        if self.between:
            group, opposite = (frozenset(stage.targets(side)) for side in self.between[:2])
            return lambda m: (
                (m.sender in group and m.receiver in opposite)
                or (m.sender in opposite and m.receiver in group)
            )
        if self.on is not None:
            nodes = frozenset(stage.targets(self.on))
            return lambda m: m.sender in nodes or m.receiver in nodes
        senders = None if self.from_ is None else frozenset(stage.targets(self.from_))
        receivers = None if self.to is None else frozenset(stage.targets(self.to))
        return lambda m: (
            (senders is None or m.sender in senders)
            and (receivers is None or m.receiver in receivers)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition(Ways, word="net.partition"):
    """Blocks messages and replies. With a `shape` it blocks links among the nodes `of`."""

    shape: Shape | None = None
    of: Selector = CONTROLLERS

    def rule(self, stage: Stage, fault_id: str) -> Rule:
        if self.shape is None:
            return Block(self.concerns(stage))
        closed = self.shape.closed(stage.targets(self.of))
        return Block(lambda message: (message.sender, message.receiver) in closed)


class HoldMessages(Ways, word="net.hold"):
    """Holds messages back and delivers them in order when the fault ends: a jammed link."""

    def rule(self, stage: Stage, fault_id: str) -> Rule:
        return Hold(self.concerns(stage), stage.held)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseMessages(Ways, word="net.loss"):
    """Loses messages with probability `p`, on average `burst` messages in a row."""

    p: Annotated[float, Between(0, 1)]
    burst: Annotated[float, Between(1, 1000)] = 1.0

    def rule(self, stage: Stage, fault_id: str) -> Rule:
        stream = stage.stream(f"fault/{fault_id}")
        return Loss(self.concerns(stage), probability=self.p, burst=self.burst, stream=stream)


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayMessages(Ways, word="net.delay"):
    """Delays each message by an additional time from `low` to `high`."""

    low: Amount
    high: Amount

    def __post_init__(self) -> None:
        in_order("low", self.low, "high", self.high)

    def rule(self, stage: Stage, fault_id: str) -> Rule:
        stream = stage.stream(f"fault/{fault_id}")
        return Delay(self.concerns(stage), lag=uniform(self.low.us, self.high.us, stream))


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateMessages(Ways, word="net.duplicate"):
    """Delivers messages twice with probability `p`, the second time up to `lag` later."""

    p: Annotated[float, Between(0, 1)]
    lag: Amount = TENTH_OF_A_SECOND

    def rule(self, stage: Stage, fault_id: str) -> Rule:
        stream = stage.stream(f"fault/{fault_id}")
        lag = uniform(0, self.lag.us, stream)
        return Duplicate(self.concerns(stage), probability=self.p, lag=lag, draw=stream)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surgery(Ways, word="net.surgery"):
    """Delivers the `nth` and the following messages, `count` in all, `copies` times each.

    Every copy is delayed by `by`.
    """

    nth: Annotated[int, Between(1, MESSAGES_MAX)] = 1
    count: Annotated[int, Between(1, MESSAGES_MAX)] = 1
    copies: Annotated[int, Between(0, COPIES_MAX)] = 0
    by: Amount = AT_ONCE

    @property
    def hits_max(self) -> int | None:
        return self.count

    def rule(self, stage: Stage, fault_id: str) -> Rule:
        return Nth(
            self.concerns(stage),
            first=self.nth,
            count=self.count,
            copies=self.copies,
            lag_us=self.by.us,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Heal(Verb, word="net.heal"):
    """Ends every open fault."""

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        open_faults = sum(fault.is_open and fault.lift is not nothing for fault in stage.faults)
        if not open_faults:
            stage.spare("no fault is open")
        stage.lift_all()
        return lambda: open_faults, nothing
