"""What a scenario can wait for, or claim: small tagged mappings, never a language of their own.

{broker: $victim, state: fenced}         unfenced, fenced, unregistered, or an agent's own state
{controller: 3001, state: active}        active, RUNNING, PAUSED, NOT_RUNNING
{leaderless: 2s}                         nobody has been active for so long
{record: FenceBroker, of: $victim}       committed since the condition was set
{fenced_at_least: 2}
{all: [...]}  {any: [...]}  {not: {...}}
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .amounts import Amount
from .journal import EventRow
from .reading import Path, Problem, document_of, expect_keys, mapping, read
from .selectors import Selector
from .words import nearest

if TYPE_CHECKING:
    from .stage import Stage

Holds = Callable[[], bool]
BROKER_STATES = ("fenced", "unfenced", "unregistered")
AGENT_STATES = ("STARTING", "RECOVERY", "RUNNING", "PENDING_CONTROLLED_SHUTDOWN", "NOT_RUNNING")
CONTROLLER_STATES = ("active", "RUNNING", "PAUSED", "NOT_RUNNING")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerState:
    broker: Selector
    state: str

    def watched(self, stage: "Stage") -> Holds:
        """All of those it names, of which there must be one."""
        return lambda: _every(stage.nodes(self.broker), lambda one: self._is(stage, one))

    def _is(self, stage: "Stage", broker_id: int) -> bool:
        world = stage.world
        known = world.committed.brokers.get(broker_id)
        if self.state == "unregistered":
            return known is None
        if self.state in BROKER_STATES:
            return known is not None and known.fenced == (self.state == "fenced")
        agent = world.agents.get(broker_id)
        return agent is not None and agent.state == self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerState:
    controller: Selector
    state: str

    def watched(self, stage: "Stage") -> Holds:
        return lambda: _every(stage.nodes(self.controller), lambda one: self._is(stage, one))

    def _is(self, stage: "Stage", node_id: int) -> bool:
        process = stage.world.controllers.get(node_id)
        if process is None:
            return False
        if self.state == "active":
            return stage.world.active is process
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
class Committed:
    record: str
    of: Selector | None = None

    def watched(self, stage: "Stage") -> Holds:
        """Since it is watched: what was committed before does not count."""
        seen: list[EventRow] = []

        def notice(row: EventRow) -> None:
            wanted = None if self.of is None else stage.nodes(self.of)
            if row.kind == RECORDS[self.record] and (wanted is None or row.broker_id in wanted):
                seen.append(row)

        stage.world.journal.listeners.append(notice)
        return lambda: bool(seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class FencedAtLeast:
    fenced_at_least: int

    def watched(self, stage: "Stage") -> Holds:
        def holds() -> bool:
            brokers = stage.world.committed.brokers.values()
            return sum(bool(one.fenced) for one in brokers) >= self.fenced_at_least

        return holds


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    all: "tuple[Condition, ...]"

    def watched(self, stage: "Stage") -> Holds:
        parts = [one.watched(stage) for one in self.all]
        return lambda: all(part() for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    any: "tuple[Condition, ...]"

    def watched(self, stage: "Stage") -> Holds:
        parts = [one.watched(stage) for one in self.any]
        return lambda: any(part() for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    not_: "Condition"

    def watched(self, stage: "Stage") -> Holds:
        part = self.not_.watched(stage)
        return lambda: not part()


_TAGS: dict[str, type] = {
    "broker": BrokerState,
    "controller": ControllerState,
    "leaderless": Leaderless,
    "record": Committed,
    "fenced_at_least": FencedAtLeast,
    "all": AllOf,
    "any": AnyOf,
    "not": Not,
}
_STATES = {
    "broker": (*BROKER_STATES, *AGENT_STATES, "PAUSED"),
    "controller": CONTROLLER_STATES,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """One of those above: `of` is the tagged mapping, checked."""

    of: BrokerState | ControllerState | Leaderless | Committed | FencedAtLeast | AllOf | AnyOf | Not

    @staticmethod
    def from_document(value: object, path: Path) -> "Condition":
        words = mapping(value, path)
        tag = next((one for one in words if one in _TAGS), None)
        if tag is None:
            expect_keys(words, tuple(_TAGS), path)
            raise Problem(path, f"expected a condition, one of {', '.join(_TAGS)}")
        condition = read(_TAGS[tag], words, path)
        _expect_state(tag, condition, path)
        return Condition(condition)

    def to_document(self) -> object:
        return document_of(self.of)

    def watched(self, stage: "Stage") -> Holds:
        """A function that says whether it holds, from now on."""
        return self.of.watched(stage)


def _expect_state(tag: str, condition: object, path: Path) -> None:
    if isinstance(condition, BrokerState | ControllerState):
        known = _STATES[tag]
        if condition.state not in known:
            what = f"expected {nearest(condition.state, known)}, got {condition.state!r}"
            raise Problem((*path, "state"), what)
    if isinstance(condition, Committed) and condition.record not in RECORDS:
        what = f"expected {nearest(condition.record, RECORDS)}, got {condition.record!r}"
        raise Problem((*path, "record"), what)


def _every(nodes: tuple[int, ...], holds: Callable[[int], bool]) -> bool:
    return bool(nodes) and all(holds(one) for one in nodes)
