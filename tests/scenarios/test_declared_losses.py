"""What properties of logs judge once an unclean election has lost messages."""

import pytest

from tests.scenarios import planted_messages
from tests.scenarios.test_topic_write import SESSION_S, Written
from tests.worlds import partition, pass_time


def elected_uncleanly() -> Written:
    """Returns a topic whose leader was elected without the records that the ISR acknowledged."""
    written = Written(1, 2, 3)
    stopped = written.begin("replica.stop", {"on": 3})
    pass_time(written.world, 50)
    assert partition(written.world, "t").isr == (1, 2)
    for broker_id in (1, 2):
        written.world.agents[broker_id].kill()
    pass_time(written.world, 2 * SESSION_S)
    written.stage.lift(stopped)
    written.begin("topic.elect_leaders", {"name": "t", "election": "unclean"})
    pass_time(written.world, 5)
    assert partition(written.world, "t").isr == (3,)
    return written


def bring_back_followers(written: Written) -> None:
    for broker_id in (1, 2):
        written.world.agents[broker_id].start()
    pass_time(written.world, 2 * SESSION_S)
    assert sorted(partition(written.world, "t").isr) == [1, 2, 3]


def test_logs_are_compared_again_and_agree() -> None:
    written = elected_uncleanly()
    before = {name: written.exercised(name) for name in JUDGED}
    bring_back_followers(written)

    assert all(written.exercised(name) > before[name] for name in JUDGED)
    assert written.watching.finish() == ()


JUDGED = (
    "replicas-agree",
    "in-sync-replicas-have-it",
    "high-watermark-never-falls",
    "enough-replicas-have-it",
)


def test_members_that_have_not_given_up_what_is_lost_do_not_agree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = elected_uncleanly()
    planted_messages.truncates_too_little(monkeypatch)
    bring_back_followers(written)

    assert "replicas-agree" in [violation.name for violation in written.watching.finish()]


def test_a_member_that_lacks_what_the_new_leader_has_committed_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = elected_uncleanly()
    bring_back_followers(written)
    planted_messages.waits_for_nobody(monkeypatch)
    written.world.agents[1].pause()
    pass_time(written.world, 3)

    found = [violation.name for violation in written.watching.finish()]
    assert "in-sync-replicas-have-it" in found
