"""The version in which a change of a registration is written: rules 2.24 and 2.30."""

import pytest

from kraftsim.controller.core.log.record_versions import record_version
from kraftsim.controller.core.log.records import (
    FENCE,
    IN_CONTROLLED_SHUTDOWN,
    UNFENCE,
    BrokerRegistrationChangeRecord,
)
from tests.builders import directory_of


@pytest.mark.rule("2.24", "2.30")
@pytest.mark.parametrize(
    ("fields", "version"),
    [
        ({"fenced": FENCE}, 0),
        ({"fenced": UNFENCE}, 0),
        ({"in_controlled_shutdown": IN_CONTROLLED_SHUTDOWN}, 1),
        ({"log_dirs": (directory_of(1),)}, 2),
        ({"log_dirs": ()}, 2),
        ({}, 2),
        ({"cordoned_log_dirs": ()}, 3),
        ({"cordoned_log_dirs": (directory_of(1),)}, 3),
    ],
)
def test_a_change_of_a_registration_has_the_lowest_version_that_holds_it(fields, version):
    """Without any field set it says that no directory remains online, and has version 2."""
    record = BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=7, **fields)

    assert version == record_version(record, 30)
