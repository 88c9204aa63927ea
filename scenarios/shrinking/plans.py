"""Smaller plans: an earlier end, fewer steps and settings, the usual release and network."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from kraftsim.controller.core.profile import DEFAULT_PROFILE

from ..document.calm import Calm
from ..document.cluster_shape import TopicShape
from ..document.network_shape import NetworkShape
from ..document.node_profiles import NodeProfiles
from ..document.scenario import Scenario
from ..language.amounts import Amount
from .search import Failure, Reduction, fewer

T = TypeVar("T")
SECOND_US = 1_000_000
NO_DELAY = NetworkShape(low=Amount(fixed_us=0), high=Amount(fixed_us=0))


def ends_earlier(plan: Scenario, failure: Failure) -> Reduction:
    """Ends the run, or the calm, at the first whole second after the violation."""
    run_us = plan.time.run.us
    if failure.at_us > run_us:
        calm_us = _up_to_second(failure.at_us - run_us)
        if calm_us < plan.time.calm.us:
            yield replace(plan, time=replace(plan.time, calm=Amount(fixed_us=calm_us)))
        return
    end_us = _up_to_second(failure.at_us)
    if end_us < run_us:
        steps = tuple(step for step in plan.do if step.trigger != "at" or _us(step.amount) < end_us)
        times = replace(plan.time, run=Amount(fixed_us=end_us), calm=Amount(fixed_us=SECOND_US))
        yield replace(plan, do=steps, time=times)


def _up_to_second(us: int) -> int:
    return max(-(-us // SECOND_US), 1) * SECOND_US


def _us(amount: Amount | None) -> int:
    return 0 if amount is None else amount.us


def fewer_steps(plan: Scenario, failure: Failure) -> Reduction:
    """Leaves out steps."""
    yield from fewer(plan.do, lambda steps: replace(plan, do=steps))


def less_time(plan: Scenario, failure: Failure) -> Reduction:
    """Halves the phases of the run, down to a second each."""
    for phase in ("run", "calm", "warmup"):
        left_us = getattr(plan.time, phase).us
        while left_us > SECOND_US:
            left_us = max(left_us // 2, SECOND_US)
            shorter = replace(plan.time, **{phase: Amount(fixed_us=left_us)})
            if not (yield replace(plan, time=shorter)):
                break
            plan = replace(plan, time=shorter)


def fewer_topics(plan: Scenario, failure: Failure) -> Reduction:
    """Leaves out topics, then partitions and replicas of those that are left."""
    topics = plan.cluster.topics
    names = yield from fewer(
        tuple(topics), lambda left: _with_topics(plan, {name: topics[name] for name in left})
    )
    left = {name: topics[name] for name in names}
    for name in names:
        for smaller in _smaller_topics(left[name]):
            if (yield _with_topics(plan, left | {name: smaller})):
                left[name] = smaller
                break


def _with_topics(plan: Scenario, topics: dict[str, TopicShape]) -> Scenario:
    return replace(plan, cluster=replace(plan.cluster, topics=topics))


def _smaller_topics(topic: TopicShape) -> Iterator[TopicShape]:
    """Yields smaller topics, the smallest first."""
    for partitions in _smaller(topic.partitions):
        yield replace(topic, partitions=partitions)
    for replication in _smaller(topic.replication or 1):
        yield replace(topic, replication=replication)


def _smaller(number: int) -> Iterator[int]:
    return (less for less in dict.fromkeys((1, number // 2, number - 1)) if 0 < less < number)


def fewer_settings(plan: Scenario, failure: Failure) -> Reduction:
    """Leaves out settings, then racks, directories, feature levels, releases and the calm."""
    settings = plan.config
    keys = yield from fewer(
        tuple(settings), lambda left: replace(plan, config={key: settings[key] for key in left})
    )
    plan = replace(plan, config={key: settings[key] for key in keys})
    for usual in (
        replace(plan, cluster=replace(plan.cluster, racks=())),
        replace(plan, cluster=replace(plan.cluster, log_dirs=1)),
        replace(plan, cluster=replace(plan.cluster, metadata_version=None)),
        replace(plan, cluster=replace(plan.cluster, kraft_version=1)),
        replace(plan, cluster=replace(plan.cluster, profiles=NodeProfiles())),
        replace(plan, profile=DEFAULT_PROFILE.name),
        replace(plan, calm=Calm()),
    ):
        if (yield usual):
            return  # the next round tries the others


def simpler_network(plan: Scenario, failure: Failure) -> Reduction:
    """Delivers messages at once, or as usual, or without loss."""
    for network in (NO_DELAY, NetworkShape(), replace(plan.network, loss=0.0)):
        if network == plan.network or (yield replace(plan, network=network)):
            return
