"""Finds brokers where only controllers are allowed, and controllers where only brokers are."""

from collections.abc import Iterator
from dataclasses import replace

from kraftsim.simulation.topology import FIRST_CONTROLLER_ID

from ..claims.converge import IMAGES, Converge
from ..conditions.broker_states import BrokerState
from ..conditions.controller_states import ControllerState
from ..document.own_node import OF_OWN_PROCESSES, acts_on_own
from ..document.scenario import Scenario
from ..language.positions import found
from ..language.reading import Problem
from ..language.selectors import Selector
from ..verbs.admin import Decommission, Unregister
from ..verbs.disks import DiskVerb, FailDirectory
from ..verbs.leadership import Transfer
from ..verbs.logs import LogVerb
from ..verbs.membership import RemoveVoter
from ..verbs.processes import Clone, Move, Slow
from ..verbs.request_matching import Requests
from ..verbs.requests import TransferAtRequests

Words = tuple[tuple[type[object], str], ...]
OF_BROKERS: Words = (
    (BrokerState, "broker"),
    (BrokerState, "seen_by"),
    (Clone, "on"),
    (FailDirectory, "on"),
    (LogVerb, "on"),
    (Decommission, "on"),
    (Unregister, "on"),
    (Requests, "broker"),
)
OF_CONTROLLERS: Words = (
    (ControllerState, "controller"),
    (DiskVerb, "on"),
    (Slow, "on"),
    (Move, "on"),
    (RemoveVoter, "on"),
    (Transfer, "to"),
    (TransferAtRequests, "to"),
    (Requests, "controller"),
)


def complaints(scenario: Scenario) -> Iterator[Problem]:
    """Yields the mistakes, each with its position in the document."""
    whole = replace(scenario, chaos=None)  # chaos draws its nodes itself
    for selector, problem in _named(whole, OF_BROKERS, "expected a broker, got a controller"):
        if _is_of_controllers(selector):
            yield problem
    for selector, problem in _named(whole, OF_CONTROLLERS, "expected a controller, got a broker"):
        if _is_of_brokers(selector):
            yield problem
    yield from _of_own(whole)
    for path, claim in found(Converge, whole):
        if claim.equal != IMAGES and _is_of_brokers(claim.of):
            yield Problem((*path, "of"), f"expected controllers: brokers have no {claim.equal}")


def _of_own(whole: Scenario) -> Iterator[Problem]:
    """Yields steps whose verb does nothing to a node that runs a user's code."""
    for number, step in enumerate(whole.do):
        for path, selector in found(Selector, step.verb, ("do", number, step.word)):
            if selector.word == "node" and not acts_on_own(step.word):
                message = f"node {selector.value} takes net.*, {', '.join(OF_OWN_PROCESSES)}"
                yield Problem(path, f"expected a broker or a controller: {message}")


def _named(whole: Scenario, words: Words, message: str) -> Iterator[tuple[Selector, Problem]]:
    for kind, word in words:
        for path, value in found(kind, whole):
            selector = getattr(value, word)
            if selector is not None:
                yield selector, Problem((*path, word), message)


def _is_of_brokers(selector: Selector) -> bool:
    is_id = selector.word == "id" and int(selector.value) < FIRST_CONTROLLER_ID
    return is_id or selector.word == "brokers"


def _is_of_controllers(selector: Selector) -> bool:
    is_id = selector.word == "id" and int(selector.value) >= FIRST_CONTROLLER_ID
    return is_id or selector.word in ("controllers", "active", "standbys")
