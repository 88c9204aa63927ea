"""A controller follows the levels that its release knows, and no newer one."""

import pytest

from kraftsim.controller.core.errors import UnknownMetadataVersionError
from kraftsim.controller.core.profile import KAFKA_4_1
from tests.test_node import SlowDisk


@pytest.mark.rule("5.65")
def test_a_level_that_the_release_does_not_know_is_a_fatal_fault() -> None:
    disk = SlowDisk(KAFKA_4_1, metadata_version=33)
    disk.elect()

    text = "No MetadataVersion with feature level 33. Valid feature levels are from 7 to 29."
    with pytest.raises(UnknownMetadataVersionError, match=text):
        disk.persist()


@pytest.mark.rule("5.65")
def test_a_level_that_the_release_knows_and_does_not_support_yet_is_followed() -> None:
    disk = SlowDisk(KAFKA_4_1, metadata_version=29)
    disk.lead()

    assert disk.node.committed.metadata_version == 29
