"""Where a follower cuts its log by the replies of a leader in another process."""

from random import Random

import pytest

from kraftsim.broker_agent.following.fetching import (
    EARLIEST,
    LATEST,
)
from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.replication.followers import Truncated
from kraftsim.controller.core.rpc import EpochEndOffset
from tests.batches import batch
from tests.broker_agent.fetching import KEY, Follower, Leader
from tests.broker_agent.message_logs import append, moved
from tests.broker_agent.test_copied_logs import written


@pytest.mark.rule("B5.10", "B5.11")
def test_a_follower_of_a_former_term_gives_up_what_its_leader_lacks() -> None:
    """KIP-101: offsets agree, and records do not."""
    leader, follower = Leader({KEY: written((0, 1), (1, 1))}), Follower(written((0, 2)))

    assert follower.follow(leader) == [Truncated(1, 2, committed=2)]
    assert follower.log.batches == leader.logs[KEY].batches


@pytest.mark.rule("B5.11")
def test_logs_of_crossed_terms_part_after_several_rounds() -> None:
    """KIP-279: the leader does not know the follower's last epochs."""
    leader = Leader({KEY: written((0, 2), (4, 3))})
    follower = Follower(written((0, 1), (1, 2), (2, 2), (3, 2)))

    lost = follower.follow(leader)

    assert [records.start for records in lost] == [1]
    assert follower.log.batches == leader.logs[KEY].batches
    assert follower.log.epochs.entries == leader.logs[KEY].epochs.entries


@pytest.mark.rule("B5.12")
def test_a_diverging_reply_says_nothing_of_the_high_watermark() -> None:
    """KAFKA-14704."""
    follower = Follower(written((0, 5)))
    follower.log.high_watermark = 1

    follower.hear_of(
        diverging_epoch=EpochEndOffset(epoch=0, end_offset=3), high_watermark=3, log_start_offset=2
    )

    assert follower.log.end_offset == 3
    assert (follower.log.high_watermark, follower.log.start_offset) == (1, 0)


@pytest.mark.rule("B5.5")
def test_without_an_epoch_nothing_above_the_high_watermark_is_kept() -> None:
    log = written((0, 3))
    log.epochs.entries.clear()
    log.high_watermark = 1

    follower = Follower(log)

    assert follower.began.truncated == {KEY: Truncated(1, 3, committed=1)}
    assert follower.fetch().topics[0].partitions[0].fetch_offset == 1


@pytest.mark.rule("B5.15")
def test_a_follower_ahead_of_its_leader_is_cut_at_its_end() -> None:
    leader, follower = Leader({KEY: written((0, 3))}), Follower(written((0, 3), (4, 2)))

    lost = follower.follow(leader)  # which has no entry of epoch 4

    assert leader.asked == [LATEST]
    assert lost == [Truncated(3, 5, committed=5)]
    assert follower.log.batches == leader.logs[KEY].batches


@pytest.mark.rule("B5.15")
def test_a_follower_behind_the_log_start_of_its_leader_begins_there() -> None:
    led = written((0, 5), (5, 1))
    led.delete_before(4, 0)
    led = moved(led)
    leader, follower = Leader({KEY: led}), Follower(written((0, 2)))

    follower.follow(leader)

    assert leader.asked == [LATEST, EARLIEST]
    assert (follower.log.start_offset, follower.log.end_offset) == (4, 6)
    assert follower.log.batches == led.batches


@pytest.mark.rule("B5.11", "B5.31", "B5.32")
@pytest.mark.parametrize("seed", range(100))
def test_after_any_elections_all_logs_become_that_of_the_last_leader(seed: int) -> None:
    """Any replica is elected, cleanly or not, and the others fetch as much as they come to."""
    random = Random(seed)
    replicas = [Follower() for _ in range(3)]
    for epoch in range(1, 12):
        leading = random.choice(replicas)
        leader = elected(leading, epoch, records=random.randint(0, 3))
        for follower in replicas:
            follower.elect(epoch)
            for _ in range(random.randint(0, 6) if follower is not leading else 0):
                request = follower.ask()
                assert request is not None
                follower.hear(request, leader.answer(request))

    led = leading.log
    with_records = [entry for entry in led.epochs.entries if entry[1] < led.end_offset]
    for follower in replicas:
        if follower is not leading:
            follower.follow(leader)
            assert follower.log.batches == led.batches
            assert follower.log.epochs.entries == with_records


def elected(replica: Follower, epoch: int, *, records: int) -> Leader:
    """The replica leads, and appends records."""
    log = replica.logs.setdefault(KEY, Log(0))
    log.epochs.begin_to_lead(epoch, log.end_offset)
    for number in range(records):
        append(log, batch(b"%d-%d" % (epoch, number)), epoch=epoch)
    return Leader({KEY: log}, batches_max=1)
