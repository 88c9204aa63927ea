"""Expands a scenario and a seed into a plan: a scenario in which every random time is drawn.

The selectors of `let` are drawn later, once the cluster is up; a stored plan names the nodes that
they selected. Plans are pinned, shown and shrunk, because a plan leads to the same run even if a
later version draws other values.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from random import Random
from typing import Any, TypeVar

from kraftsim.controller.core.profile import PROFILES
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.core.uuid import random_uuid, uuid_text
from kraftsim.simulation import topology
from kraftsim.simulation.ports import FIRST_CONTROLLER_PORT
from kraftsim.simulation.streams import Streams

from ..drawing.messages import shape_with_messages, with_messages
from ..drawing.own_nodes import own_steps
from ..drawing.releases import mixed_releases
from ..drawing.scenario import drawn_parts
from ..drawing.steps import at_ms_of
from ..language.amounts import Amount
from ..language.positions import changed
from ..language.reading import Problem, document_of, mapping
from ..language.selectors import Selector
from ..language.suggestions import nearest
from .scenario import MESSAGES, MIXED, Binding, Scenario, read_scenario
from .step import Step
from .swarm import faults

T = TypeVar("T")


def expand(scenario: Scenario, seed: int) -> Scenario:
    """Returns the plan of `seed`: every amount is drawn, and chaos is replaced by steps."""
    streams = Streams(seed)
    if scenario.draw:
        scenario = read_scenario(drawn_document(scenario, seed))
    settings = settings_of(scenario)
    plan = _fixed(replace(scenario, chaos=None), settings, streams.of("plan"))
    if scenario.chaos is None:
        return plan
    shape, run_us, stream = plan.cluster, plan.time.run.us, streams.of("swarm")
    drawn = faults(scenario.chaos, shape, tuple(plan.nodes), run_us, settings, stream)
    steps = tuple(
        Step(
            verb=fault.verb,
            word=fault.word,
            trigger="at",
            amount=Amount(fixed_us=fault.at_us),
            optional=fault.is_of_own,  # its code may have returned
        )
        for fault in drawn
    )
    return replace(plan, do=plan.do + _fixed(steps, settings, stream))


def drawn_document(scenario: Scenario, seed: int) -> dict[str, object]:
    """Returns the document of a swarm of everything with the parts that `seed` draws."""
    stream = Streams(seed).of("drawing")
    document = dict(mapping(document_of(replace(scenario, draw="", pins=())), ()))
    run_us = scenario.time.run.fixed(settings_of(scenario), stream).us
    parts = drawn_parts(stream, run_us // 1000)
    # From streams of their own, so that the rest is as in `everything`.
    if scenario.draw == MIXED:
        parts = mixed_releases(parts, Streams(seed).of("releases"), run_us // 1000)
    elif scenario.draw == MESSAGES:
        messages = Streams(seed).of("messages")
        parts = with_messages(shape_with_messages(parts, messages), messages, run_us // 1000)
    if scenario.nodes:
        parts = _with_own_nodes(scenario, parts, Streams(seed).of("own nodes"), run_us // 1000)
    return document | parts


def _with_own_nodes(
    scenario: Scenario, parts: Mapping[str, object], stream: Random, run_ms: int
) -> dict[str, object]:
    """Returns the drawn parts with faults of own nodes, and with the claims of the file."""
    drawn, claims = parts["do"], mapping(parts["expect"], ("expect",))
    assert isinstance(drawn, list), drawn
    steps = sorted([*drawn, *own_steps(tuple(scenario.nodes), stream, run_ms)], key=at_ms_of)
    return {**parts, "do": steps, "expect": {**document_of(scenario.expect), **claims}}


def named(plan: Scenario, bound: Mapping[str, tuple[int, ...]]) -> Scenario:
    """Returns the plan with the nodes `bound` in place of the selectors of `let`."""
    let = {
        name: Binding(Selector("every", of=tuple(Selector("id", number) for number in bound[name])))
        for name in plan.let
    }
    return replace(plan, let=let)


def _fixed(value: T, settings: Settings, stream: Random) -> T:
    """Returns `value` with every amount drawn; raises Problem if amounts contradict each other."""
    return changed(Amount, value, lambda amount: amount.fixed(settings, stream))


def settings_of(scenario: Scenario) -> Settings:
    """Returns the settings of the scenario's profile, overridden by `config` (Kafka's names).

    Leader balancing is off unless `config` enables it: a leader that comes back after five minutes
    would be an event that no step of the file caused. Raises Problem for an unknown setting or a
    value of a wrong type.
    """
    known = {field.name.replace("_", "."): field.name for field in fields(Settings)}
    overrides: dict[str, Any] = {"auto_leader_rebalance_enable": False}
    for key, value in scenario.config.items():
        if key not in known:
            message = f"unknown setting {key!r}: expected {nearest(key, known)}"
            raise Problem(("config", key), message)
        expected = type(getattr(PROFILES[scenario.profile].settings, known[key]))
        if type(value) is not expected:
            type_name = "true or false" if expected is bool else "a whole number"
            raise Problem(("config", key), f"expected {type_name}, got {value!r}")
        overrides[known[key]] = value
    try:
        return replace(PROFILES[scenario.profile].settings, **overrides)
    except (TypeError, ValueError) as error:
        raise Problem(("config",), str(error)) from None


def topology_of(plan: Scenario, streams: Streams) -> topology.Topology:
    """Returns the topology of a plan; the cluster id is drawn from `streams`."""
    shape, racks = plan.cluster, plan.cluster.racks or (None,)
    return topology.Topology(
        cluster_id=uuid_text(random_uuid(streams.draw_of("cluster"))),
        controllers=tuple(
            topology.ControllerSpec(
                node_id=topology.FIRST_CONTROLLER_ID + index,
                port=FIRST_CONTROLLER_PORT + index,
                rack=racks[index % len(racks)],
                profile=shape.profiles.of(topology.FIRST_CONTROLLER_ID + index),
            )
            for index in range(shape.controllers)
        ),
        brokers=tuple(
            topology.BrokerSpec(
                broker_id=topology.FIRST_BROKER_ID + index,
                port=topology.unbound_port(topology.FIRST_BROKER_ID + index),
                rack=racks[index % len(racks)],
                log_dirs=shape.log_dirs,
                profile=shape.profiles.of(topology.FIRST_BROKER_ID + index),
            )
            for index in range(shape.brokers)
        ),
        profile=PROFILES[plan.profile],
        settings=settings_of(plan),
        metadata_version=shape.metadata_version,
        kraft_version=shape.kraft_version,
    )
