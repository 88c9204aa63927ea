"""Shrinks a failing run to a smaller scenario that fails in the same way.

It shrinks the plan, so that the result does not depend on draws. Smaller candidates are run one
after the other. The first candidate that breaks the same property replaces the plan, and the search
begins again. It ends when no candidate fails.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from ..document.cluster_shape import ClusterShape
from ..document.network_shape import NetworkShape
from ..document.plan import expand, named
from ..document.scenario import Scenario
from ..language.amounts import Amount
from ..language.limits import LimitError
from .run import Result, run

T = TypeVar("T")
SHORTEST_US = 1_000_000
NO_DELAY = Amount(fixed_us=0)


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The smallest failing scenario with its result; `tried` counts the runs of the search."""

    scenario: Scenario
    result: Result
    tried: int


def signature(result: Result) -> str:
    """Returns the name of the property or claim that was broken first."""
    return min(result.violations, key=lambda violation: violation.t_us).name


def shrink(
    scenario: Scenario, seed: int, *, may_go_on: Callable[[], bool] = lambda: True
) -> Shrunk:
    """Returns the smallest scenario that still fails in the same way.

    Raises ValueError if the run does not fail. `may_go_on` is called before every try; False
    stops the search.
    """
    plan = expand(scenario, seed)
    result = run(plan, seed)
    if not result.violations:
        raise ValueError(
            f"{plan.name}: expected a seed whose run fails, got {result.verdict} with seed {seed}"
        )
    wanted = signature(result)
    plan, better, tried = smallest(
        plan, lambda scenario: _fails_alike(scenario, seed, wanted), may_go_on
    )
    result = better or result
    return Shrunk(named(plan, result.bound), result, tried + 1)


def smallest(
    plan: Scenario, outcome_of: Callable[[Scenario], T | None], may_go_on: Callable[[], bool]
) -> tuple[Scenario, T | None, int]:
    """Returns the smallest scenario for which `outcome_of` does not return None.

    Also returns its outcome and the number of tries. The outcome is None if that is `plan`
    itself. `may_go_on` is called before every try; False stops the search.
    """
    best: T | None = None
    tried, is_smaller = 0, True
    while is_smaller and may_go_on():
        is_smaller = False
        for candidate in _smaller(plan):
            if not may_go_on():
                break
            tried += 1
            outcome = outcome_of(candidate)
            if outcome is not None:
                plan, best, is_smaller = candidate, outcome, True
                break
    return plan, best, tried


def _fails_alike(candidate: Scenario, seed: int, wanted: str) -> Result | None:
    """Returns the result if the candidate fails in the same way, otherwise None.

    Returns None as well if a step of the candidate is impossible in the smaller cluster.
    """
    try:
        result = run(candidate, seed)
    except (LimitError, KeyError, IndexError, ValueError):
        return None
    return result if result.violations and signature(result) == wanted else None


def _smaller(plan: Scenario) -> Iterator[Scenario]:
    """Yields smaller candidates, the greatest reduction first."""
    yield from _fewer_steps(plan)
    yield from _fewer_picked(plan)
    yield from _fewer_nodes(plan)
    yield from _less_time(plan)
    if plan.network != NetworkShape(low=NO_DELAY, high=NO_DELAY):
        yield replace(plan, network=NetworkShape(low=NO_DELAY, high=NO_DELAY))
    yield from _fewer_claims(plan)


def _fewer_steps(plan: Scenario) -> Iterator[Scenario]:
    half = len(plan.do) // 2
    if half > 1:
        yield replace(plan, do=plan.do[:half])
        yield replace(plan, do=plan.do[half:])
    for number in range(len(plan.do)):
        yield replace(plan, do=plan.do[:number] + plan.do[number + 1 :])


def _fewer_picked(plan: Scenario) -> Iterator[Scenario]:
    """Yields candidates whose selectors draw fewer nodes."""
    for name, binding in plan.let.items():
        nodes = binding.nodes
        if nodes.word == "pick":
            for count in dict.fromkeys((1, int(nodes.value) // 2, int(nodes.value) - 1)):
                if 0 < count < int(nodes.value):
                    fewer = replace(binding, nodes=replace(nodes, value=count))
                    yield replace(plan, let={**plan.let, name: fewer})


def _fewer_nodes(plan: Scenario) -> Iterator[Scenario]:
    shape = plan.cluster
    for brokers in dict.fromkeys((1, shape.brokers // 2, shape.brokers - 1)):
        if 0 < brokers < shape.brokers:
            yield replace(plan, cluster=_among(shape, brokers))
    for controllers in (1, 3):
        if controllers < shape.controllers:
            yield replace(plan, cluster=replace(shape, controllers=controllers))
    for name in shape.topics:
        topics = {key: topic for key, topic in shape.topics.items() if key != name}
        yield replace(plan, cluster=replace(shape, topics=topics))


def _among(shape: ClusterShape, brokers: int) -> ClusterShape:
    """Returns the cluster with fewer brokers, and at most as many replicas as brokers."""
    topics = {
        name: replace(topic, replication=min(topic.replication, brokers))
        if topic.replication
        else topic
        for name, topic in shape.topics.items()
    }
    return replace(shape, brokers=brokers, topics=topics)


def _less_time(plan: Scenario) -> Iterator[Scenario]:
    for name in ("run", "calm", "warmup"):
        us = getattr(plan.time, name).us
        if us > SHORTEST_US:
            shorter = Amount(fixed_us=max(us // 2, SHORTEST_US))
            yield replace(plan, time=replace(plan.time, **{name: shorter}))


def _fewer_claims(plan: Scenario) -> Iterator[Scenario]:
    """Yields candidates without one kind of claims.

    A claim is named by its index, as in `never[1]`, so single claims cannot be removed.
    """
    expect = plan.expect
    for fewer in (
        replace(expect, leads_to=()),
        replace(expect, never=()),
        replace(expect, sometimes=()),
        replace(expect, during=()),
        replace(expect, calm=()),
        replace(expect, converge=()),
        replace(expect, measure={}),
    ):
        if fewer != expect:
            yield replace(plan, expect=fewer)
