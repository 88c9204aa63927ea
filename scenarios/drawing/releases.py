"""Draws the releases of the nodes of a mixed cluster, and what becomes of its controllers.

A node that does not support a finalized level is refused or ends, in Kafka as well, and no node
that is healed could serve. So the levels that are drawn are those that every node supports.
"""

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from kraftsim.controller.core.feature_levels import METADATA_VERSION
from kraftsim.controller.core.profile import PROFILES
from kraftsim.simulation.topology import broker_ids, controller_ids

from .lot import Words
from .shape import RELEASE_WEIGHTS, RELEASES
from .steps import at_ms_of, step_of

PART_OF_ANOTHER_RELEASE = 0.5  # of the nodes; some draw the release of their cluster
UPGRADES_MAX = 3  # of controllers in a run
UNREGISTRATIONS_MAX = 2  # of controllers in a run; one that runs registers again


def mixed_releases(document: Mapping[str, Any], stream: Random, run_ms: int) -> Words:
    """Returns the document of a drawn cluster with a drawn release of each node."""
    cluster: dict[str, Any] = document["cluster"]
    controllers = controller_ids(cluster["controllers"])
    nodes = (*controllers, *broker_ids(cluster["brokers"]))
    profiles = {
        node_id: stream.choices(RELEASES, RELEASE_WEIGHTS)[0]
        for node_id in nodes
        if stream.random() < PART_OF_ANOTHER_RELEASE
    }
    newest = _newest_levels(profiles.get(node_id, document["profile"]) for node_id in nodes)
    cluster = cluster | {"profiles": profiles}
    if "metadata_version" in cluster:
        level = cluster["metadata_version"]
        assert isinstance(level, int)
        cluster["metadata_version"] = min(level, newest[METADATA_VERSION])
    steps = [_within(step, newest) for step in document["do"]]
    steps += _upgrades(stream, controllers, newest[METADATA_VERSION], run_ms)
    steps += _unregistrations(stream, controllers, run_ms)
    return {**document, "cluster": cluster, "do": sorted(steps, key=at_ms_of)}


def _newest_levels(releases: Iterable[str]) -> dict[str, int]:
    """Returns the newest level of each feature that all of these releases support."""
    supported = [
        {name: high for name, _, high in PROFILES[release].supported_features}
        for release in {*releases}
    ]
    names = {name for levels in supported for name in levels}
    return {name: min(levels.get(name, 0) for levels in supported) for name in names}


def _within(step: Words, newest: Mapping[str, int]) -> Words:
    """Returns the step; an update of a feature has at most the newest level."""
    words: Any = step.get("features.update")
    if words is None:
        return step
    level = min(words["level"], newest.get(words["feature"], 0))
    return step | {"features.update": words | {"level": level}}


def _upgrades(stream: Random, controllers: range, level: int, run_ms: int) -> list[Words]:
    """Returns steps that install releases which support the level on controllers."""
    releases = [name for name in RELEASES if PROFILES[name].metadata_version >= level]
    return [
        step_of(
            stream.randrange(run_ms),
            "controller.install",
            {"on": stream.choice(controllers), "release": stream.choice(releases)},
        )
        for _ in range(stream.randint(0, UPGRADES_MAX))
    ]


def _unregistrations(stream: Random, controllers: range, run_ms: int) -> list[Words]:
    """Returns steps that unregister controllers; below 4.4-IV2 they are refused."""
    return [
        step_of(
            stream.randrange(run_ms), "controller.unregister", {"on": stream.choice(controllers)}
        )
        for _ in range(stream.randint(0, UNREGISTRATIONS_MAX))
    ]
