"""Shrinks a failing run to a smaller scenario that fails in the same way, for the same cause.

It shrinks the plan, in which everything is drawn, so that the result does not depend on draws: its
end, steps, nodes, topics, settings, release, network, and the words and times of its steps. A run
of a smaller plan ends at its first violation, and watches only what has to break. The same plan,
seed and number of tries give the same result.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..claims.expect import Expect
from ..document.plan import expand, named
from ..document.scenario import Scenario
from ..language.positions import changed
from ..language.selectors import Selector
from ..running.run import bound_by
from ..running.until_broken import CRASH, START, UntilBroken, violations_until
from ..running.watch import ASSERTION, NODE_FAILED
from . import plans
from .cause import cause_of
from .nodes import fewer_brokers, fewer_controllers
from .search import Failure, Reduce, Reduction, Smallest, Tries, smallest
from .step_values import bare_steps, shorter_times, simpler_steps

REDUCTIONS = (
    plans.fewer_steps,
    fewer_controllers,
    fewer_brokers,
    plans.fewer_topics,
    plans.fewer_settings,
    plans.simpler_network,
    bare_steps,
    simpler_steps,
    shorter_times,
    plans.less_time,
)
COST_MAX = 1_000  # events that a candidate may take more than the plan that it replaces
OF_NO_CLAIM = (ASSERTION, NODE_FAILED, START, CRASH)


def shrink(scenario: Scenario, seed: int, tries: Tries) -> Smallest:
    """Returns the smallest scenario that still fails in the same way.

    Raises ValueError if the run does not fail.
    """
    plan = replace(expand(scenario, seed), smoke={}, lesson=(), mutants=(), pins=())
    failure = failure_of(plan, seed)
    if failure is None:
        raise ValueError(
            f"{plan.name}: expected a seed whose run fails, got no violation with seed {seed}"
        )
    wanted, cause = failure.violation.name, failure.cause

    def fails(candidate: Scenario, before: Failure) -> Failure | None:
        found = failure_of(candidate, seed, wanted, before)
        return found if found is not None and cause.is_kept_by(found.cause) else None

    return smallest(plan, failure, fails, reductions_of(plan, seed, wanted), tries)


def failure_of(
    plan: Scenario, seed: int, wanted: str | None = None, before: Failure | None = None
) -> Failure | None:
    """Returns the first violation of a run, or of `wanted` if it is given; None without.

    A run that takes longer than that of `before` ends early, because its plan is not smaller.
    """
    run = UntilBroken(plan, seed)
    run.wanted = wanted
    if before is not None:
        run.events_max = before.events + COST_MAX
    for violation in violations_until(run, lambda: run.finish().violations):
        if wanted in (None, violation.name):
            events = run.world.timeline.scheduled_count
            at_us = violation.t_us - run.begin_us
            return Failure(violation, at_us, events, cause_of(run, violation))
    return None


def reductions_of(plan: Scenario, seed: int, wanted: str) -> tuple[Reduce, ...]:
    """Returns the reductions of a plan that breaks `wanted`, in the order in which they are tried.

    The nodes of `let` are those of the run of this seed.
    """
    bound = bound_by(plan, seed)

    def named_nodes(plan: Scenario, failure: Failure) -> Reduction:
        if not (yield _with_ids(plan, bound)):
            yield named(plan, bound)

    def claimed_alone(plan: Scenario, failure: Failure) -> Reduction:
        yield replace(plan, expect=_alone(wanted, plan.expect))

    return (plans.ends_earlier, claimed_alone, named_nodes, *REDUCTIONS)


def _with_ids(plan: Scenario, bound: Mapping[str, tuple[int, ...]]) -> Scenario:
    """Returns the plan with the ids of nodes in place of the names of `let`."""
    nodes = {name: _of_ids(bound[name]) for name in plan.let}
    parts = {"do": plan.do, "calm": plan.calm, "expect": plan.expect}
    changes: dict[str, Any] = {
        part: changed(Selector, value, lambda selector: _unnamed(selector, nodes))
        for part, value in parts.items()
    }
    return replace(plan, let={}, **changes)


def _of_ids(numbers: tuple[int, ...]) -> Selector:
    ids = tuple(Selector("id", number) for number in numbers)
    return ids[0] if len(ids) == 1 else Selector("every", of=ids)


def _unnamed(selector: Selector, nodes: Mapping[str, Selector]) -> Selector:
    if selector.word == "let":
        return nodes.get(str(selector.value), selector)
    return replace(selector, of=tuple(_unnamed(part, nodes) for part in selector.of))


def _alone(wanted: str, expect: Expect) -> Expect:
    """Returns `expect` with only the property or the claim that has to break.

    A claim is named by its index, as in `never[1]`, so those of its kind before it are kept.
    """
    if wanted in OF_NO_CLAIM:
        return Expect()
    if wanted not in expect.names():
        return Expect(always=(wanted,))
    kind, _, which = wanted.replace(".", "[").rstrip("]").partition("[")
    claims = getattr(expect, kind)
    kept = {which: claims[which]} if kind == "measure" else claims[: int(which) + 1]
    changes: dict[str, Any] = {kind: kept}
    return replace(Expect(always=()), **changes)
