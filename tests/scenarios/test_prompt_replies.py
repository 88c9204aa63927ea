"""L13: a reply leaves at the commit that it waits for, and S16 says that it leaves no earlier."""

import pytest

from kraftsim.controller.core.rpc import DeleteTopicsRequest, DeleteTopicState
from kraftsim.controller.node.active import Active
from tests.scenarios.lives import follower_id
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched_cluster import watched
from tests.worlds import ask, create_topic, pass_time

pytestmark = pytest.mark.slow

OF_NO_TOPIC = DeleteTopicsRequest(topics=(DeleteTopicState(name="nowhere"),))
IDLE = {"metadata_max_idle_interval_ms": 60_000}


@pytest.mark.rule("0A.6")
def test_a_reply_without_records_does_not_wait_for_the_commit_after_a_change_of_the_voters():
    """A swarm: the controller compared the high watermark with the end of its own records."""
    world, watching = watched("L13", **IDLE)
    begin(world, "quorum.remove", {"on": follower_id(world)})
    pass_time(world, 2)

    ask(world, OF_NO_TOPIC)

    assert watching.finish() == ()


def test_a_reply_that_waits_for_the_next_commit_is_found(monkeypatch):
    world, watching = watched("L13")
    pass_time(world, 2)
    defers = Active._reply_to

    def buggy(active, decision, token, turn):
        state, quorum = active.state, active._quorum
        if decision.reply is None or quorum.high_watermark != state.next_offset:
            defers(active, decision, token, turn)
        else:
            active._deferred.add(state.next_offset, token, decision.reply)

    monkeypatch.setattr(Active, "_reply_to", buggy)
    ask(world, OF_NO_TOPIC)
    pass_time(world, 1)

    assert "DeleteTopics" in watching.violations["L13"].what


def test_a_reply_that_waits_for_its_own_records_is_in_time():
    world, watching = watched("L13", **IDLE)
    create_topic(world, "orders", (1, 2))
    pass_time(world, 1)

    assert watching.properties["L13"].exercised
    assert watching.finish() == ()
