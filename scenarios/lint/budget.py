"""Finds faults that a claim cannot survive, in chaos and in steps."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ..conditions.condition import Leaderless
from ..conditions.topic_states import TopicState
from ..document.own_node import acts_on_own
from ..document.scenario import Scenario
from ..language.durations import duration_text
from ..language.reading import Problem
from ..verbs.clocks import Suspend
from ..verbs.processes import Crash, Pause, Stop, Wipe
from .nodes import Population

FELLING = (Crash, Stop, Pause, Wipe, Suspend)  # verbs that silence a node while they last


def complaints(scenario: Scenario, plan: Scenario) -> Iterator[Problem]:
    """Yields the mistakes: steps are judged by the times in `plan`, chaos by its budget."""
    yield from _of_chaos(scenario)
    if scenario.expect.fails_with is None:
        yield from _without_leaders(scenario)
        yield from _without_quorum(scenario, plan)


def _of_chaos(scenario: Scenario) -> Iterator[Problem]:
    chaos, shape = scenario.chaos, scenario.cluster
    if chaos is None:
        return
    if chaos.max_brokers > shape.brokers:
        message = f"expected at most {shape.brokers}, got {chaos.max_brokers}"
        yield Problem(("chaos", "max_brokers"), message)
    spares = {"brokers": chaos.max_brokers, "controllers": (shape.controllers - 1) // 2}
    for kind in chaos.kinds.members:
        spares["own"] = len(scenario.nodes) if acts_on_own(kind.word) else 0
        budget = spares.get(kind.of, sum(spares.values()))
        if budget < 1 or kind.weight < 1:
            message = "this verb is never chosen, because its budget or its weight is 0"
            yield Problem(("chaos", "kinds", kind.word), message)


def _without_leaders(scenario: Scenario) -> Iterator[Problem]:
    """Reports `never: leaderless` of a topic all of whose replicas chaos may stop at once."""
    chaos = scenario.chaos
    if chaos is None:
        return
    struck = min(chaos.max_brokers, chaos.max_open_faults)
    for number, condition in enumerate(scenario.expect.never):
        state = condition.of
        if not isinstance(state, TopicState) or state.state != "leaderless":
            continue
        topic = scenario.cluster.topics.get(state.topic)
        replicas = 0 if topic is None else topic.replicas(scenario.cluster.brokers)
        if 0 < replicas <= struck:
            message = (
                f"{state.topic!r} has {replicas} replicas, and "
                f"chaos may strike {struck} brokers at a time: expected more replicas or fewer"
            )
            yield Problem(("expect", "never", number), message)


class _Absence(NamedTuple):
    """A time from `begins_us` to `ends_us` of the run with `controllers` controllers down.

    Absences with equal `name` have the same nodes.
    """

    begins_us: int
    ends_us: int
    controllers: int
    name: object


def _without_quorum(scenario: Scenario, plan: Scenario) -> Iterator[Problem]:
    """Yields claims about leaders that fail because a majority of controllers is down too long."""
    away_us = _longest_without_majority(scenario, plan)
    for number, condition in enumerate(plan.expect.never):
        if isinstance(condition.of, Leaderless) and away_us > condition.of.leaderless.us:
            allowed = duration_text(condition.of.leaderless.us)
            message = (
                f"a majority of controllers may be away for {duration_text(away_us)}, "
                f"longer than the {allowed} that the scenario allows without a leader"
            )
            yield Problem(("expect", "never", number), message)


def _longest_without_majority(scenario: Scenario, plan: Scenario) -> int:
    voters = plan.cluster.controllers
    chaos = scenario.chaos
    by_chaos = 0 if chaos is None else min((voters - 1) // 2, chaos.max_open_faults)
    absences = list(_absences(scenario, plan))
    longest_us = since_us = 0
    for begins_us, ends_us in _stretches(absences):
        away = sum(_away(absences, begins_us).values())
        is_majority = bool(away) and away + by_chaos > (voters - 1) // 2
        since_us = since_us + ends_us - begins_us if is_majority else 0
        longest_us = max(longest_us, since_us)
    return longest_us


def _away(absences: list[_Absence], at_us: int) -> dict[object, int]:
    return {
        absence.name: absence.controllers
        for absence in absences
        if absence.begins_us <= at_us < absence.ends_us
    }


def _stretches(absences: list[_Absence]) -> Iterator[tuple[int, int]]:
    """Yields the intervals (begin, end) in which the set of absent controllers is constant."""
    times = sorted({time for absence in absences for time in (absence.begins_us, absence.ends_us)})
    return pairwise(times)


def _absences(scenario: Scenario, plan: Scenario) -> Iterator[_Absence]:
    """Yields the absences whose time and number of nodes are known without a run."""
    population, run_us = Population(scenario), plan.time.run.us
    for number, step in enumerate(plan.do[: len(scenario.do)]):
        verb = step.verb
        if step.trigger != "at" or step.amount is None or not isinstance(verb, FELLING):
            continue
        controllers = population.controllers_of(verb.on)
        if controllers:
            lasting_us = run_us if verb.for_ is None else verb.for_.us
            ends_us = min(step.amount.us + lasting_us, run_us)
            name = verb.on if verb.on.word in ("id", "let") else number
            yield _Absence(step.amount.us, ends_us, controllers, name)
