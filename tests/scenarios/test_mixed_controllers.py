"""Controllers of two releases in one quorum, and one that is gone but still registered."""

from dataclasses import replace
from typing import Any

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, KAFKA_4_4
from kraftsim.controller.core.rpc import (
    FeatureUpdate,
    UnregisterControllerRequest,
    UpdateFeaturesRequest,
)
from kraftsim.controller.raft import elections
from kraftsim.controller.raft.protocol import Turn
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.expected import quorum as expected
from kraftsim.scenarios.expected.quorum_replies import told_of_vote
from kraftsim.scenarios.running.run import Run
from kraftsim.simulation.requests.spoken import read_by
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import ControllerSpec, Topology
from kraftsim.simulation.world import World
from tests.raft.requests import vote
from tests.worlds import SECOND_US, ask, pass_time

OLD, LEVEL_4_3, LEVEL_4_4 = 3002, 30, 33
RAISE = UpdateFeaturesRequest(
    feature_updates=(FeatureUpdate(feature="metadata.version", max_version_level=LEVEL_4_4),)
)


@pytest.fixture
def world() -> World:
    """Two controllers of 4.4 and one of 4.3, at the level of 4.3; all are registered."""
    specs = tuple(ControllerSpec(node_id=3000 + place, port=9990 + place) for place in range(3))
    specs = (*specs[:2], replace(specs[2], profile=KAFKA_4_3))
    topology = Topology(
        cluster_id="kraftsimTestCluster001", controllers=specs, metadata_version=LEVEL_4_3
    )
    world = World(topology, streams=Streams(1))
    world.start()
    assert world.run_until(lambda: registered(world) == {3000, 3001, OLD}, limit_us=60 * SECOND_US)
    return world


def registered(world: World) -> set[int]:
    return set(world.committed.controllers)


def newest_of(world: World, node_id: int) -> int:
    features = {of.name: of for of in world.committed.controllers[node_id].features}
    return features["metadata.version"].max_supported_version


@pytest.mark.rule("5.61")
def test_each_controller_registers_the_levels_of_its_own_release(world: World) -> None:
    assert [LEVEL_4_4, LEVEL_4_3] == [newest_of(world, node_id) for node_id in (3000, OLD)]


@pytest.mark.rule("5.56")
def test_a_ghost_controller_blocks_the_upgrade_that_its_removal_needs(world: World) -> None:
    """KIP-1312 unregisters a controller from 4.4-IV2 on, which the registration forbids."""
    world.controllers[OLD].kill()
    pass_time(world, 30)

    assert ErrorCode.INVALID_UPDATE_VERSION == ask(world, RAISE).error_code
    unregister = UnregisterControllerRequest(controller_id=OLD)
    assert ErrorCode.UNSUPPORTED_VERSION == ask(world, unregister).code
    assert LEVEL_4_3 == world.committed.metadata_version


def run_of(**words: Any) -> Run:
    """A finished run of three controllers and two brokers, whose calm heals every node."""
    usual = {
        **{"schema": "kraftsim/scenario/1", "name": "mixed", "claim": "It goes on."},
        **{"time": {"run": "60s"}, "calm": {"heals": "all"}, "expect": {"always": ["all"]}},
    }
    run = Run(read_scenario(usual | words), 1)
    run.finish()
    return run


@pytest.mark.rule("10.18")
def test_a_voter_without_pre_votes_must_refuse_one() -> None:
    """S42 expected an answer; 3.9 has no such version of Vote."""
    specs = (ControllerSpec(node_id=3000, port=9990, profile=KAFKA_3_9),)
    topology = Topology(cluster_id="kraftsimTestCluster001", controllers=specs)
    quorum = World(topology, streams=Streams(1)).controllers[3000].node.quorum
    asked = vote(3001, 0, pre_vote=True, cluster_id=topology.cluster_id)

    of_a_newer_peer = read_by(KAFKA_3_9, KAFKA_4_4, asked)
    of_a_stranger = elections.on_request(quorum, asked, Turn(0, 0))

    assert [(35,), (35,)] == [told_of_vote(reply) for reply in (of_a_newer_peer, of_a_stranger)]
    assert (35,) == expected.vote(quorum, asked)


RAISED = {"at": "5s", "features.update": {"feature": "metadata.version", "level": LEVEL_4_4}}


@pytest.mark.slow
@pytest.mark.rule("1.30", "5.65")
def test_a_node_that_lacks_the_finalized_level_is_upgraded_in_the_calm() -> None:
    """A downgraded controller has ended, and a downgraded broker is refused until then."""
    installs = [
        *({"at": "10s", "controller.install": {"on": 3001, "release": "kafka-4.3"}},),
        *({"at": "10s", "broker.install": {"on": 1, "release": "kafka-4.3"}},),
        *({"at": "10s", "proc.restart": {"on": node}} for node in (3001, 1)),
    ]
    cluster = {"controllers": 3, "brokers": 2, "metadata_version": LEVEL_4_3}

    run = run_of(cluster=cluster, do=[RAISED, *installs])

    world = run.world
    states = [row for row in world.journal.since(0) if row.kind == "controller_state"]
    ended = {row.node for row in states if row.detail.get("state") == "NOT_RUNNING"}
    assert () == run.broken
    assert world.committed.metadata_version == LEVEL_4_4
    assert not world.committed.brokers[1].fenced
    assert ["kafka-4.4"] * 2 == [world.controllers[3001].profile.name, world.agents[1].profile.name]
    assert {"controller-3001"} == ended
