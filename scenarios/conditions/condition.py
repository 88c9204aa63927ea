"""Conditions that a scenario waits for or claims: small mappings with a tag.

{broker: $victim, state: fenced}         unfenced, fenced, unregistered, or a state of the process;
                                         with `seen_by: 2`: in the metadata of broker 2
{controller: 3001, state: active}        active, RUNNING, PAUSED, NOT_RUNNING; leading: believes it
{controller: 3001, role: CANDIDATE}      its role in the quorum; epoch_at_least, log_end_at_least,
                                         high_watermark_at_least: lower bounds
{replica: 3001, lag_at_least: 20}        as in DescribeQuorum; lag_at_most, silent_for: 2s (no fetch
                                         for 2s), behind_for: 2s (not caught up for 2s)
{topic: orders, state: leaderless}       led, in_sync, ...: see `TopicState`
{leaderless: 2s}                         no controller has been active for 2s
{record: FenceBroker, of: $victim}       committed since the condition was set, `count` times; with
                                         `committed: false`: appended by a leader
{message: Vote, from: 3001, to: active}  arrived since the condition was set, `count` times; with
                                         `replies` its reply, with `lost` if it did not arrive
{refused: STALE_BROKER_EPOCH, of: 2}     a reply with this error since the condition was set
{node: operator, state: failed}          a node of your own; RUNNING, PAUSED, NOT_RUNNING, done
{reported: restarted, by: operator}      its code reported this since the condition was set, `count`
                                         times
{fenced_at_least: 2}                     at least 2 brokers are fenced
{held: {...}, for: 7s}                   holds, and has held for 7s without a break
{all: [...]}  {any: [...]}  {not: {...}}
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..language.amounts import Amount
from ..language.reading import Path, Problem, document_of, expect_keys, mapping, read
from ..language.schema import Schema, SchemaOf, any_of
from ..stage.stage import Holds, Stage
from .broker_states import BrokerState, FencedAtLeast
from .controller_states import ControllerState, ReplicaState
from .occurrences import Carried, Committed, Refused
from .own_nodes import OwnState, Reported
from .topic_states import TopicState


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderless:
    """True if no controller has been active for this long."""

    leaderless: Amount

    def watched(self, stage: Stage) -> Holds:
        """Returns a function that returns True while the condition holds."""
        since_us = [-1]

        def holds() -> bool:
            now_us = stage.world.timeline.now_us
            if stage.world.active is not None:
                since_us[0] = -1
                return False
            if since_us[0] < 0:
                since_us[0] = now_us
                stage.check_conditions_at(now_us + self.leaderless.us)
            return now_us - since_us[0] >= self.leaderless.us

        return holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """True if the condition `held` has been true for the time `for` without a break."""

    held: "Condition"
    for_: Amount

    def watched(self, stage: Stage) -> Holds:
        """Returns a function that returns True while the condition holds."""
        part, since_us = self.held.watched(stage), [-1]

        def holds() -> bool:
            now_us = stage.world.timeline.now_us
            if not part():
                since_us[0] = -1
                return False
            if since_us[0] < 0:
                since_us[0] = now_us
                stage.check_conditions_at(now_us + self.for_.us)
            return now_us - since_us[0] >= self.for_.us

        return holds


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    """True if each of these conditions is true."""

    all: "tuple[Condition, ...]"

    def watched(self, stage: Stage) -> Holds:
        """Returns a function that returns True while the condition holds."""
        parts = [condition.watched(stage) for condition in self.all]
        # evaluates all parts, because `held` must see every moment
        return lambda: all([part() for part in parts])


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """True if at least one of these conditions is true."""

    any: "tuple[Condition, ...]"

    def watched(self, stage: Stage) -> Holds:
        """Returns a function that returns True while the condition holds."""
        parts = [condition.watched(stage) for condition in self.any]
        return lambda: any([part() for part in parts])


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """True if the condition is false."""

    not_: "Condition"

    def watched(self, stage: Stage) -> Holds:
        """Returns a function that returns True while the condition holds."""
        part = self.not_.watched(stage)
        return lambda: not part()


_TAGS: dict[str, type] = {
    "broker": BrokerState,
    "controller": ControllerState,
    "replica": ReplicaState,
    "topic": TopicState,
    "leaderless": Leaderless,
    "record": Committed,
    "refused": Refused,
    "message": Carried,
    "node": OwnState,
    "reported": Reported,
    "fenced_at_least": FencedAtLeast,
    "held": Held,
    "all": AllOf,
    "any": AnyOf,
    "not": Not,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition; its first known word (`broker`, `controller`, ...) determines its kind."""

    of: (
        BrokerState
        | ControllerState
        | ReplicaState
        | TopicState
        | Leaderless
        | Committed
        | Refused
        | Carried
        | OwnState
        | Reported
        | FencedAtLeast
        | Held
        | AllOf
        | AnyOf
        | Not
    )

    @staticmethod
    def from_document(value: object, path: Path) -> "Condition":
        """Reads a condition; raises Problem if none of its words is the tag of a kind."""
        words = mapping(value, path)
        tag = next((word for word in words if word in _TAGS), None)
        if tag is None:
            expect_keys(words, tuple(_TAGS), path)
            raise Problem(path, f"expected a condition with one of the keys {', '.join(_TAGS)}")
        return Condition(read(_TAGS[tag], words, path))

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of all kinds of conditions."""
        return any_of(*(of(kind) for kind in _TAGS.values()))

    def to_document(self) -> object:
        """Returns the document from which `from_document` reads an equal value."""
        return document_of(self.of)

    def watched(self, stage: Stage) -> Holds:
        """Returns a function that returns True while the condition holds."""
        return self.of.watched(stage)

    def counted(self, stage: Stage) -> Callable[[], int]:
        """Returns a function that returns how often the condition has come true since this call."""
        if isinstance(self.of, Committed | Refused | Carried | Reported):
            return self.of.counted(stage)
        times, has_held, holds = [0], [False], self.watched(stage)

        def count_change() -> bool:
            held, has_held[0] = has_held[0], holds()
            times[0] += has_held[0] and not held
            return False

        stage.wait_until(count_change, lambda: None)
        return lambda: times[0]
