"""What a scenario can wait for, or claim: small tagged mappings, never a language of their own.

{broker: $victim, state: fenced}         unfenced, fenced, unregistered, or an agent's own state;
                                         with `seen_by: 2`, as broker 2 knows it
{controller: 3001, state: active}        active, RUNNING, PAUSED, NOT_RUNNING; leading: it thinks so
{topic: orders, state: leaderless}       see `topic_states.py`
{leaderless: 2s}                         nobody has been active for so long
{record: FenceBroker, of: $victim}       committed since the condition was set; `count` times
{refused: STALE_BROKER_EPOCH, of: 2}     answered since the condition was set
{fenced_at_least: 2}
{held: {...}, for: 7s}                   holds, and has held for so long without a break
{all: [...]}  {any: [...]}  {not: {...}}
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from kraftsim.controller.core.image import Image

from .amounts import Amount
from .constraints import OneOf
from .happenings import Committed, Refused
from .holding import Holds
from .reading import Path, Problem, document_of, expect_keys, mapping, read
from .schema import Schema, SchemaOf, any_of
from .selectors import Selector
from .topic_states import TopicState

if TYPE_CHECKING:
    from .stage import Stage

BROKER_STATES = ("fenced", "unfenced", "unregistered")
AGENT_STATES = (
    "STARTING",
    "RECOVERY",
    "RUNNING",
    "PENDING_CONTROLLED_SHUTDOWN",
    "NOT_RUNNING",
    "PAUSED",
)
CONTROLLER_STATES = ("active", "leading", "RUNNING", "PAUSED", "NOT_RUNNING")


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerState:
    broker: Selector
    state: Annotated[str, OneOf((*BROKER_STATES, *AGENT_STATES))]
    seen_by: Selector | None = None

    def watched(self, stage: "Stage") -> Holds:
        """All of those it names, of which there must be one."""
        return lambda: _every(stage.nodes(self.broker), lambda one: self._is(stage, one))

    def _is(self, stage: "Stage", broker_id: int) -> bool:
        world = stage.world
        known = self._image(stage).brokers.get(broker_id)
        if self.state == "unregistered":
            return known is None
        if self.state in BROKER_STATES:
            return known is not None and known.fenced == (self.state == "fenced")
        agent = world.agents.get(broker_id)
        return agent is not None and agent.state == self.state

    def _image(self, stage: "Stage") -> Image:
        if self.seen_by is None:
            return stage.world.committed
        observer, *_ = stage.nodes(self.seen_by)
        return stage.world.agents[observer].agent.image


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerState:
    controller: Selector
    state: Annotated[str, OneOf(CONTROLLER_STATES)]

    def watched(self, stage: "Stage") -> Holds:
        return lambda: _every(stage.nodes(self.controller), lambda one: self._is(stage, one))

    def _is(self, stage: "Stage", node_id: int) -> bool:
        process = stage.world.controllers.get(node_id)
        if process is None:
            return False
        if self.state == "active":
            return stage.world.active is process
        if self.state == "leading":
            return process.state == "RUNNING" and process.node.is_active
        return process.state == self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderless:
    leaderless: Amount

    def watched(self, stage: "Stage") -> Holds:
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
class FencedAtLeast:
    fenced_at_least: int

    def watched(self, stage: "Stage") -> Holds:
        def holds() -> bool:
            brokers = stage.world.committed.brokers.values()
            return sum(bool(one.fenced) for one in brokers) >= self.fenced_at_least

        return holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    held: "Condition"
    for_: Amount

    def watched(self, stage: "Stage") -> Holds:
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
    all: "tuple[Condition, ...]"

    def watched(self, stage: "Stage") -> Holds:
        parts = [one.watched(stage) for one in self.all]
        return lambda: all([part() for part in parts])  # each: `held` must not miss a moment


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    any: "tuple[Condition, ...]"

    def watched(self, stage: "Stage") -> Holds:
        parts = [one.watched(stage) for one in self.any]
        return lambda: any([part() for part in parts])


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    not_: "Condition"

    def watched(self, stage: "Stage") -> Holds:
        part = self.not_.watched(stage)
        return lambda: not part()


_TAGS: dict[str, type] = {
    "broker": BrokerState,
    "controller": ControllerState,
    "topic": TopicState,
    "leaderless": Leaderless,
    "record": Committed,
    "refused": Refused,
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
        | TopicState
        | Leaderless
        | Committed
        | Refused
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

    def watched(self, stage: "Stage") -> Holds:
        """A function that says whether it holds, from now on."""
        return self.of.watched(stage)

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """A function that says how often it came about, from now on."""
        if isinstance(self.of, Committed | Refused):
            return self.of.counted(stage)
        times, has_held, holds = [0], [False], self.watched(stage)

        def look() -> bool:
            held, has_held[0] = has_held[0], holds()
            times[0] += has_held[0] and not held
            return False

        stage.wait_until(look, lambda: None)
        return lambda: times[0]


def _every(nodes: tuple[int, ...], holds: Callable[[int], bool]) -> bool:
    return bool(nodes) and all(holds(one) for one in nodes)
