"""What requests of an administrator found in a cluster without bugs: properties blamed it.

docs/hunting.md has the table.
"""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from tests.scenarios.blames import watched
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import topic
from tests.worlds import ask, pass_time

pytestmark = pytest.mark.slow


@pytest.mark.rule("4.63")
def test_a_client_that_exceeds_its_quota_is_refused():
    """S41: the quota of mutations also concerns the requests that it asks."""
    world, watching = watched("S41")
    rate = {"client": "default", "key": "controller_mutation_rate", "value": 1.5}
    begin(world, "quota.set", rate)
    pass_time(world, 1)
    replies = [ask(world, topic(f"t{number}", partitions=9)) for number in range(8)]

    assert replies[-1].topics[0].error_code == ErrorCode.THROTTLING_QUOTA_EXCEEDED
    for number in range(60):  # a commit, after which the property asks
        begin(world, "config.set", {"name": "t0", "key": "retention.ms", "value": str(number)})
        pass_time(world, 0.05)
    assert watching.finish() == ()


def test_a_leader_that_resigns_while_its_disk_stalls_cannot_be_elected_again():
    """L1: its vote for itself is not on the disk, and nobody else votes."""
    world, watching = watched("L1", controllers=1)
    (controller,) = world.controllers
    begin(world, "disk.stall", {"on": controller})
    begin(world, "quorum.transfer", {"to": controller})
    pass_time(world, 20)

    assert world.active is None
    assert watching.finish() == ()
