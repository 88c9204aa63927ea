"""Scenarios whose nodes run several releases."""

import json

import pytest

from kraftsim.files.scenario_files import written
from kraftsim.scenarios.document.plan import expand
from kraftsim.scenarios.document.scenario import Scenario, read_scenario
from kraftsim.scenarios.language.reading import Problem, document_of
from kraftsim.scenarios.running.run import Run
from kraftsim.scenarios.shrinking.nodes import fewer_controllers


def scenario_with(cluster: dict[str, object], do: list[object] | None = None) -> Scenario:
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "mixed",
            "claim": "Nothing breaks.",
            "cluster": cluster,
            "time": {"run": "20s"},
            "do": do or [],
        }
    )


MIXED: dict[str, object] = {
    "controllers": 3,
    "brokers": 2,
    "profiles": {3002: "kafka-4.1", 2: "kafka-4.3"},
}


def test_a_node_of_a_scenario_runs_the_release_of_its_own_profile() -> None:
    run = Run(expand(scenario_with(MIXED), 1), 1)
    run.finish()

    world = run.world
    assert 27 == world.committed.metadata_version
    profiles = {number: process.node.profile.name for number, process in world.controllers.items()}
    assert {3000: "kafka-4.4", 3001: "kafka-4.4", 3002: "kafka-4.1"} == profiles
    assert "kafka-4.3" == world.agents[2].agent.config.profile.name


def test_a_plan_keeps_the_profiles_in_yaml_and_json() -> None:
    plan = expand(scenario_with(MIXED), 1)
    text = json.dumps(document_of(plan))

    assert plan.cluster == read_scenario(json.loads(text)).cluster
    assert "3002: kafka-4.1" in written(plan)


@pytest.mark.parametrize(
    ("profiles", "text"),
    [
        ({3003: "kafka-4.3"}, "expected an id of a node, 1 to 2 or 3000 to 3002, got 3003"),
        ({3: "kafka-4.3"}, "expected an id of a node, 1 to 2 or 3000 to 3002, got 3"),
        ({"active": "kafka-4.3"}, "expected the id of a node as key, got 'active'"),
        ({1: "kafka-5"}, r"cluster\.profiles\.1: expected .*kafka-4.*got kafka-5"),
        (["kafka-4.3"], "expected a mapping of ids to profiles"),
    ],
)
def test_wrong_profiles_are_refused(profiles: object, text: str) -> None:
    with pytest.raises(Problem, match=text):
        scenario_with(MIXED | {"profiles": profiles})


def test_a_smaller_plan_keeps_the_profiles_of_the_nodes_that_are_left() -> None:
    plan = expand(scenario_with(MIXED), 1)
    reduction = fewer_controllers(plan, None)  # type: ignore[arg-type]  # it is not looked at
    smaller = next(reduction)
    names = [smaller.cluster.profiles.names]
    try:
        while True:
            names.append(reduction.send(False).cluster.profiles.names)
    except StopIteration:
        pass

    assert [{2: "kafka-4.3"}, {2: "kafka-4.3"}, {2: "kafka-4.3", 3000: "kafka-4.1"}] == names


@pytest.mark.slow
@pytest.mark.rule("5.65")
def test_a_controller_ends_with_an_older_release_and_the_calm_installs_a_newer_one() -> None:
    steps: list[object] = [
        {"at": "1s", "controller.install": {"on": 3000, "release": "kafka-4.3"}},
        {"at": "5s", "proc.restart": {"on": 3000}},
    ]
    run = Run(expand(scenario_with({"controllers": 3, "brokers": 1}, steps), 1), 1)
    failures: list[object] = []
    run.world.journal.listeners.append(lambda row: failures.append(row.detail.get("failure")))
    run.finish()

    assert ["kafka-4.3" in str(failure) for failure in failures if failure is not None] == [True]
    controller = run.world.controllers[3000]
    assert (controller.is_alive, controller.profile.name) == (True, "kafka-4.4")
