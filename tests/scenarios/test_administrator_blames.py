"""What an administrator's quotas found in a cluster without bugs: a property blamed it.

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
