"""Finds nodes, racks and topics that do not exist, and counts that exceed the number of nodes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kraftsim.simulation.topology import BROKERS_MAX, FIRST_BROKER_ID, FIRST_CONTROLLER_ID

from ..conditions.own_nodes import OwnState, Reported
from ..conditions.topic_states import TopicState
from ..document.scenario import Scenario
from ..language.positions import found
from ..language.reading import Path, Problem
from ..language.selectors import Selector
from ..language.suggestions import nearest
from ..verbs.admin import CreateTopic, Decommission, Flood, Unregister
from ..verbs.membership import AddBrokers


def complaints(scenario: Scenario) -> Iterator[Problem]:
    """Yields the mistakes, each with its position in the document."""
    population = Population(scenario)
    for path, selector in found(Selector, replace(scenario, chaos=None)):
        message = population.lacks(selector)
        if message and not _may_be_refused(scenario, path):
            yield Problem(path, message)
    if population.brokers > BROKERS_MAX:
        reason = f"ids from {FIRST_CONTROLLER_ID} on belong to controllers"
        yield Problem(
            ("do",), f"expected at most {BROKERS_MAX} brokers, got {population.brokers}: {reason}"
        )
    for name, topic in scenario.cluster.topics.items():
        most = scenario.cluster.brokers
        if topic.replicas(most) > most:
            message = (
                f"expected at most {most}, as many as there are brokers, got {topic.replication}"
            )
            yield Problem(("cluster", "topics", name, "replication"), message)
    for path, name in _own_in_conditions(scenario):
        if name not in population.own:
            yield Problem(path, _not_among(name, population.own))
    for path, state in found(TopicState, scenario):
        if state.topic not in population.topics and not population.has_flood:
            yield Problem((*path, "topic"), _not_among(state.topic, population.topics))


def _own_in_conditions(scenario: Scenario) -> Iterator[tuple[Path, str]]:
    """Yields the names of own nodes in conditions."""
    for path, state in found(OwnState, scenario):
        yield (*path, "node"), state.node
    for path, reported in found(Reported, scenario):
        if reported.by is not None:
            yield (*path, "by"), reported.by


class Population:
    """The nodes, racks and topics that can exist at any time of a run."""

    def __init__(self, scenario: Scenario) -> None:
        shape = scenario.cluster
        added = [inner for _, inner in found(AddBrokers, scenario.do)]
        self._let = scenario.let
        self._has_repeats = any(inner.trigger == "every" for inner in scenario.do)
        self.brokers = shape.brokers + sum(inner.count for inner in added)
        self.controllers = shape.controllers
        self.may_grow = bool(added) and self._has_repeats
        self.own = tuple(scenario.nodes)
        of_own = (node.rack for node in scenario.nodes.values() if node.rack)
        self.racks = (*shape.racks, *of_own, *(inner.rack for inner in added if inner.rack))
        created = (inner.name for _, inner in found(CreateTopic, scenario.do))
        self.topics = (*shape.topics, *created)
        self.has_flood = any(found(Flood, scenario.do))

    def lacks(self, selector: Selector) -> str:
        """Returns a text about the nonexistent node that the selector names; otherwise empty."""
        match selector.word:
            case "id" if not self._has(int(selector.value)):
                return f"unknown node {selector.value}: expected an id of {self._ids()}"
            case "node" if selector.value not in self.own:
                return _not_among(str(selector.value), self.own)
            case "rack" if selector.value not in self.racks:
                return _not_among(str(selector.value), self.racks)
            case "leader_of" if selector.value not in self.topics and not self.has_flood:
                return _not_among(str(selector.value), self.topics)
            case "pick" | "nth":
                return self._lacks_so_many(selector)
            case _:
                return ""

    def _lacks_so_many(self, selector: Selector) -> str:
        most = self.most(selector.of[0])
        if self.may_grow or int(selector.value) <= most:
            return ""
        return f"{selector.word}: expected at most {most}, got {selector.value}"

    def most(self, selector: Selector) -> int:
        """Returns the largest number of nodes that the selector can name."""
        match selector.word:
            case "id" | "nth" | "active" | "leader_of" | "node":
                return 1
            case "every":
                return sum(self.most(inner) for inner in selector.of)
            case "let" if selector.value in self._let:
                return self.most(self._let[str(selector.value)].nodes)
            case "brokers":
                return self.brokers
            case "controllers" | "standbys":
                return self.controllers
            case "pick":
                return min(int(selector.value), self.most(selector.of[0]))
            case "minority":
                return (self.most(selector.of[0]) - 1) // 2
            case "majority":
                return self.most(selector.of[0]) // 2 + 1
            case "other_than":
                return self.most(selector.of[1])
            case _:
                return self.brokers + self.controllers

    def controllers_of(self, selector: Selector) -> int:
        """Returns the number of controllers that the selector selects in every run."""
        match selector.word:
            case "id":
                return int(selector.value) >= FIRST_CONTROLLER_ID
            case "active":
                return 1
            case "controllers" | "all":
                return self.controllers
            case "standbys":
                return self.controllers - 1
            case "every":
                return sum(self.controllers_of(inner) for inner in selector.of)
            case "let" if selector.value in self._let:
                return self.controllers_of(self._let[str(selector.value)].nodes)
            case "pick" | "nth" | "minority" | "majority" if selector.of[0].word in (
                "controllers",
                "standbys",
            ):
                return self.most(selector)
            case _:
                return 0

    def _has(self, node_id: int) -> bool:
        if node_id >= FIRST_CONTROLLER_ID:
            return node_id < FIRST_CONTROLLER_ID + self.controllers
        return node_id >= FIRST_BROKER_ID and (node_id <= self.brokers or self.may_grow)

    def _ids(self) -> str:
        last = FIRST_CONTROLLER_ID + self.controllers - 1
        return f"{FIRST_BROKER_ID} to {self.brokers}, or {FIRST_CONTROLLER_ID} to {last}"


def _not_among(name: str, known: Sequence[str]) -> str:
    return f"expected {nearest(name, known) or 'none, because there are none'}, got {name!r}"


def _may_be_refused(scenario: Scenario, path: Path) -> bool:
    """Returns True for an admin's verb with `refused`: its broker need not exist."""
    match path:
        case ("do", int(number), *_):
            verb = scenario.do[number].verb
            return isinstance(verb, Unregister | Decommission) and verb.refused is not None
        case _:
            return False
