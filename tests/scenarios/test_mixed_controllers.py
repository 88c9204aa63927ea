"""Controllers of two releases in one quorum, and one that is gone but still registered."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import (
    FeatureUpdate,
    UnregisterControllerRequest,
    UpdateFeaturesRequest,
)
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import ControllerSpec, Topology
from kraftsim.simulation.world import World
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
