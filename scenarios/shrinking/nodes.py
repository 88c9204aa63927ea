"""Plans with fewer nodes. The nodes that are left get new ids, without gaps.

A step that names a node that is left out is left out too.
"""

from dataclasses import replace
from itertools import combinations
from typing import TypeVar

from kraftsim.simulation.topology import (
    FIRST_BROKER_ID,
    FIRST_CONTROLLER_ID,
    broker_ids,
    controller_ids,
)

from ..document.cluster_shape import ClusterShape
from ..document.node_profiles import NodeProfiles
from ..document.scenario import Scenario
from ..language.positions import changed, found
from ..language.selectors import Selector
from .search import Failure, Reduction, fewer

T = TypeVar("T")
NOBODY = Selector("every")
VOTERS = (1, 3)  # numbers of controllers of a smaller quorum
Names = dict[int, int]  # the new id of each node whose id changes or stays


def fewer_brokers(plan: Scenario, failure: Failure) -> Reduction:
    """Leaves out brokers."""
    brokers = broker_ids(plan.cluster.brokers)
    controllers = _controllers(plan)
    yield from fewer(brokers, lambda left: _among(plan, controllers, left))


def fewer_controllers(plan: Scenario, failure: Failure) -> Reduction:
    """Leaves out controllers, down to one or three."""
    controllers = _controllers(plan)
    brokers = tuple(broker_ids(plan.cluster.brokers))
    for count in VOTERS:
        for left in combinations(controllers, count) if count < len(controllers) else ():
            candidate = _among(plan, left, brokers)
            if candidate is not None and (yield candidate):
                return


def _controllers(plan: Scenario) -> tuple[int, ...]:
    return tuple(controller_ids(plan.cluster.controllers))


def _among(
    plan: Scenario, controllers: tuple[int, ...], brokers: tuple[int, ...]
) -> Scenario | None:
    """Returns the plan with only these nodes; None if its claims need another, or without broker.

    Ids of brokers that steps add follow those of the first brokers.
    """
    if not brokers:
        return None
    last = FIRST_BROKER_ID + plan.cluster.brokers - 1
    lost = plan.cluster.brokers - len(brokers)
    names = {node: FIRST_CONTROLLER_ID + place for place, node in enumerate(controllers)}
    names |= {node: FIRST_BROKER_ID + place for place, node in enumerate(brokers)}
    names |= {node: node - lost for node in range(last + 1, FIRST_CONTROLLER_ID)}
    kept = (_renamed(step, names) for step in plan.do)
    rest = {
        part: _renamed(value, names)
        for part, value in (("let", plan.let), ("calm", plan.calm), ("expect", plan.expect))
    }
    if None in rest.values():
        return None
    profiles = plan.cluster.profiles.names
    shape = replace(
        _holding(replace(plan.cluster, profiles=NodeProfiles()), len(brokers)),
        controllers=len(controllers),
        profiles=NodeProfiles(
            {names[node]: name for node, name in profiles.items() if node in names}
        ),
    )
    return replace(plan, cluster=shape, do=tuple(filter(None, kept)), **rest)  # type: ignore[arg-type]  # a part keeps its type


def _holding(shape: ClusterShape, brokers: int) -> ClusterShape:
    """Returns the cluster with fewer brokers, and at most as many replicas as brokers."""
    topics = {
        name: replace(topic, replication=min(topic.replication, brokers))
        if topic.replication
        else topic
        for name, topic in shape.topics.items()
    }
    return replace(shape, brokers=brokers, topics=topics)


def _renamed(part: T, names: Names) -> T | None:
    """Returns a part of the plan with the new ids; None if it needs a node that has none."""
    renamed = changed(Selector, part, lambda selector: _selected(selector, names))
    if any(selector == NOBODY for _, selector in found(Selector, renamed)):
        return None
    return renamed


def _selected(selector: Selector, names: Names) -> Selector:
    """Returns the selector with the new ids; NOBODY if nothing of it is left."""
    if selector.word == "id":
        number = int(selector.value)
        return Selector("id", names[number]) if number in names else NOBODY
    parts = tuple(_selected(part, names) for part in selector.of)
    if selector.word == "every":
        return Selector("every", of=tuple(part for part in parts if part != NOBODY))
    return NOBODY if NOBODY in parts else replace(selector, of=parts)
