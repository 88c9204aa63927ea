"""A cluster begins at a metadata.version that its release supports."""

import pytest

from kraftsim import Cluster
from tests.configuration.cases import CONTROLLER
from tests.kraftsim.test_controller_config import bound


@pytest.mark.rule("5.57")
@pytest.mark.parametrize("level", ["4.4-IV0", "3.3-IV0"])
def test_a_level_beyond_the_release_is_refused(level: str) -> None:
    expected = f"expected a metadata.version of kafka-4.3 (3.3-IV3 to 4.3-IV0), got '{level}'"
    for begin in (
        lambda: Cluster(profile="kafka-4.3", metadata_version=level),
        lambda: bound(
            {**CONTROLLER, "controller.quorum.voters": "3000@b:2"}, metadata_version=level
        ),
    ):
        with pytest.raises(ValueError) as refusal:
            begin()
        assert expected in str(refusal.value)


async def test_a_start_that_fails_names_why_its_controller_ended() -> None:
    kraft = Cluster(profiles={3000: "kafka-4.3"}, metadata_version="4.4-IV2", clock="virtual")
    with pytest.raises(
        TimeoutError, match="controller 3000 ends with a fatal fault: No MetadataVersion"
    ):
        await kraft.start()
