"""What a scenario can wait for, or claim: small tagged mappings, never a language of their own.

{broker: $victim, state: fenced}         unfenced, fenced, unregistered, or an agent's own state;
                                         with `seen_by: 2`, as broker 2 knows it
{controller: 3001, state: active}        active, RUNNING, PAUSED, NOT_RUNNING; leading: it thinks so
{controller: 3001, role: CANDIDATE}      its place in the quorum; epoch_at_least, log_end_at_least,
                                         high_watermark_at_least: how far it has come
{replica: 3001, lag_at_least: 20}        as DescribeQuorum tells it; lag_at_most, silent_for: 2s (it
                                         has not fetched), behind_for: 2s (it has not caught up)
{topic: orders, state: leaderless}       led, in_sync, ...: see `TopicState`
{leaderless: 2s}                         nobody has been active for so long
{record: FenceBroker, of: $victim}       committed since the condition was set, `count` times;
                                         `committed: false`: appended by whoever leads
{message: Vote, from: 3001, to: active}  arrived since the condition was set, `count` times; with
                                         `replies` its answer, with `lost` what did not arrive
{refused: STALE_BROKER_EPOCH, of: 2}     answered since the condition was set
{fenced_at_least: 2}
{held: {...}, for: 7s}                   holds, and has held for so long without a break
{all: [...]}  {any: [...]}  {not: {...}}
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..language.amounts import Amount
from ..language.reading import Path, Problem, document_of, expect_keys, mapping, read
from ..language.schema import Schema, SchemaOf, any_of
from ..stage.evaluation import Holds
from ..stage.stage import Stage
from .broker_states import BrokerState, FencedAtLeast
from .controller_states import ControllerState, ReplicaState
from .occurrences import Carried, Committed, Refused
from .topic_states import TopicState


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderless:
    """Nobody has been active for so long."""

    leaderless: Amount

    def watched(self, stage: Stage) -> Holds:
        since_us = [-1]

        def holds() -> bool:
            now_us = stage.world.timeline.now_us
            if stage.world.active is not None:
                since_us[0] = -1
                return False
            if since_us[0] < 0:
                since_us[0] = now_us
                stage.look_again_at(now_us + self.leaderless.us)
            return now_us - since_us[0] >= self.leaderless.us

        return holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """It holds, and has held for so long without a break."""

    held: "Condition"
    for_: Amount

    def watched(self, stage: Stage) -> Holds:
        part, since_us = self.held.watched(stage), [-1]

        def holds() -> bool:
            now_us = stage.world.timeline.now_us
            if not part():
                since_us[0] = -1
                return False
            if since_us[0] < 0:
                since_us[0] = now_us
                stage.look_again_at(now_us + self.for_.us)
            return now_us - since_us[0] >= self.for_.us

        return holds


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    """Each of them holds."""

    all: "tuple[Condition, ...]"

    def watched(self, stage: Stage) -> Holds:
        parts = [one.watched(stage) for one in self.all]
        return lambda: all([part() for part in parts])  # each: `held` must not miss a moment


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """One of them holds, or several."""

    any: "tuple[Condition, ...]"

    def watched(self, stage: Stage) -> Holds:
        parts = [one.watched(stage) for one in self.any]
        return lambda: any([part() for part in parts])


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """It does not hold."""

    not_: "Condition"

    def watched(self, stage: Stage) -> Holds:
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
    "fenced_at_least": FencedAtLeast,
    "held": Held,
    "all": AllOf,
    "any": AnyOf,
    "not": Not,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """One of those above: `of` is the tagged mapping, checked."""

    of: (
        BrokerState
        | ControllerState
        | ReplicaState
        | TopicState
        | Leaderless
        | Committed
        | Refused
        | Carried
        | FencedAtLeast
        | Held
        | AllOf
        | AnyOf
        | Not
    )

    @staticmethod
    def from_document(value: object, path: Path) -> "Condition":
        words = mapping(value, path)
        tag = next((one for one in words if one in _TAGS), None)
        if tag is None:
            expect_keys(words, tuple(_TAGS), path)
            raise Problem(path, f"expected a condition, one of {', '.join(_TAGS)}")
        return Condition(read(_TAGS[tag], words, path))

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        return any_of(*(of(kind) for kind in _TAGS.values()))

    def to_document(self) -> object:
        return document_of(self.of)

    def watched(self, stage: Stage) -> Holds:
        """A function that says whether it holds, from now on."""
        return self.of.watched(stage)

    def counted(self, stage: Stage) -> Callable[[], int]:
        """A function that says how often it came about, from now on."""
        if isinstance(self.of, Committed | Refused | Carried):
            return self.of.counted(stage)
        times, has_held, holds = [0], [False], self.watched(stage)

        def look() -> bool:
            held, has_held[0] = has_held[0], holds()
            times[0] += has_held[0] and not held
            return False

        stage.wait_until(look, lambda: None)
        return lambda: times[0]
