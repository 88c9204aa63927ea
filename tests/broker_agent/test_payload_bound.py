"""All logs of a cluster hold a bounded number of bytes: the oldest batches make room."""

from kraftsim.broker_agent.log.log import Instant, Log
from kraftsim.broker_agent.log.settings import LogSettings
from kraftsim.broker_agent.log.validation import check
from kraftsim.broker_agent.messages.bound import PayloadBound
from kraftsim.broker_agent.replication.copying import copy_rest, follow_marks
from tests.batches import NOW_MS, batch
from tests.worlds import world_of

KIBIBYTE = 1024
SHIPPED = LogSettings()


def test_the_oldest_batches_of_all_logs_and_replicas_make_room() -> None:
    world = world_of(2)
    bound = PayloadBound(world.agents.values, 64 * KIBIBYTE, lambda: None)
    old, new = (bytes(16), 0), (bytes(16), 1)
    for key, age_ms in ((old, 1000), (new, 0)):
        leader = world.agents[1].store.logs[key] = Log(0)
        at = Instant(0, NOW_MS)
        for _ in range(40):
            data = batch(b"x" * 1000, at_ms=NOW_MS - age_ms)
            _, stored = leader.append(check(data, SHIPPED, "t-0", NOW_MS), 0, at, SHIPPED)
            leader.high_watermark = leader.end_offset
            follower = world.agents[2].store.logs.setdefault(key, Log(0))
            copy_rest(leader, follower, at, SHIPPED)
            follow_marks(leader, follower, 0)
            bound.note(len(stored or b""))

    held = [world.agents[1].store.logs[key].size for key in (old, new)]
    assert sum(held) <= 64 * KIBIBYTE
    assert held[0] < held[1]
    for key in (old, new):
        leader, follower = (world.agents[number].store.logs[key] for number in (1, 2))
        assert leader.batches == follower.batches
        assert leader.start_offset == follower.start_offset
    assert world.agents[1].store.logs[old].end_offset == 40
