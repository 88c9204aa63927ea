"""A cluster whose nodes run several releases."""

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.image.image import Image

LEVEL_4_3, LEVEL_4_4 = 30, 33
NAME_4_4 = "4.4-IV0"


def newest_levels(image: Image) -> dict[int, int]:
    """The newest metadata.version that each registered node supports."""
    nodes = {**image.brokers, **image.controllers}
    return {
        node_id: feature.max_supported_version
        for node_id, node in nodes.items()
        for feature in node.features
        if feature.name == "metadata.version"
    }


@pytest.mark.rule("5.61")
async def test_each_node_of_a_cluster_runs_the_release_of_its_own_profile() -> None:
    profiles = {3001: "kafka-4.3", 2: "kafka-4.1"}
    async with Cluster(
        brokers=2, controllers=3, profiles=profiles, metadata_version="4.0-IV3", clock="virtual"
    ) as kraft:
        await kraft.clock.advance("10s")

        assert newest_levels(kraft.world.committed) == {1: 33, 2: 27, 3000: 33, 3001: 30, 3002: 33}


async def test_a_mixed_cluster_has_the_newest_level_that_all_of_its_nodes_support() -> None:
    async with Cluster(brokers=1, profiles={1: "kafka-4.3"}, clock="virtual") as kraft:
        assert LEVEL_4_3 == kraft.world.committed.metadata_version


@pytest.mark.parametrize(
    ("profiles", "text"),
    [
        ({7: "kafka-4.3"}, "profiles: expected an id of a node, 1 to 3 or 3000, got 7"),
        ({"1": "kafka-4.3"}, "profiles: expected an id of a node, 1 to 3 or 3000, got '1'"),
        ({1: "kafka-4.33"}, r"profiles: 1: expected 'kafka-4\.3' .*, got 'kafka-4\.33'"),
        (["kafka-4.3"], "profiles: expected a mapping of ids to profiles"),
    ],
)
def test_wrong_profiles_are_refused(profiles: object, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Cluster(brokers=3, profiles=profiles)  # type: ignore[arg-type]
