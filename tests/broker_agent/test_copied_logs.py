"""A follower's log becomes that of its leader: where they part, what is cut, what is copied."""

import pytest

from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.replication.copying import copy_rest, cut_where_logs_part, follow_marks
from kraftsim.broker_agent.replication.followers import Truncated
from tests.batches import batch
from tests.broker_agent.message_logs import SHIPPED, append, instant


def written(*terms: tuple[int, int]) -> Log:
    """A log of terms: a leader epoch, and how many records it has."""
    log = Log(0)
    for epoch, count in terms:
        log.epochs.assign(epoch, log.end_offset)
        for number in range(count):
            append(log, batch(b"%d-%d" % (epoch, number)), epoch=epoch)
    return log


def became(follower: Log, leader: Log) -> Truncated | None:
    """What the follower gave up on the way to its leader's log, which it has afterwards."""
    truncated = cut_where_logs_part(leader, follower, 0)
    assert copy_rest(leader, follower, instant(), SHIPPED)
    follow_marks(leader, follower, 0)
    assert follower.end_offset == leader.end_offset
    assert follower.high_watermark == leader.high_watermark
    assert follower.start_offset == leader.start_offset
    return truncated


@pytest.mark.rule("B5.10", "B5.11")
def test_a_follower_of_a_former_term_gives_up_what_the_new_leader_lacks() -> None:
    """KIP-101: offsets agree, and records do not."""
    leader, follower = written((0, 1), (1, 1)), written((0, 2))
    follower.high_watermark = 2

    assert became(follower, leader) == Truncated(1, 2, committed=2)
    assert follower.batches == leader.batches


@pytest.mark.rule("B5.11")
def test_logs_of_crossed_terms_part_where_neither_has_another() -> None:
    """KIP-279: the leader does not know the follower's last epoch."""
    leader, follower = written((0, 2), (2, 3)), written((0, 1), (1, 5))

    became(follower, leader)

    assert follower.batches == leader.batches
    assert follower.epochs.entries == leader.epochs.entries


@pytest.mark.rule("B5.11", "B5.32")
def test_a_term_without_a_record_is_forgotten() -> None:
    """KAFKA-10706: nothing is cut, and the entry goes."""
    leader, follower = written((4, 10), (6, 1)), written((4, 10), (5, 0))

    assert became(follower, leader) is None
    assert follower.epochs.entries == [(4, 0), (6, 10)]


@pytest.mark.rule("B5.15", "B5.35")
def test_a_follower_that_ends_before_the_log_of_its_leader_begins_anew() -> None:
    leader, follower = written((0, 6), (1, 2)), written((0, 3))
    leader.delete_before(5, 0)
    leader._drop_before(5)

    became(follower, leader)

    assert (follower.start_offset, list(follower.base_offsets)) == (5, [5, 6, 7])
    assert follower.epochs.entries == [(0, 5), (1, 6)]


@pytest.mark.rule("B5.15")
def test_a_follower_ahead_of_a_leader_that_lost_everything_is_cut() -> None:
    leader, follower = Log(0), written((0, 3))
    leader.epochs.assign(1, 0)

    assert became(follower, leader) == Truncated(0, 3, committed=3)
    assert follower.batches == []


@pytest.mark.rule("B3.2")
def test_a_follower_knows_the_producers_of_what_it_has_and_forgets_those_of_what_it_cut() -> None:
    leader = written((0, 1))
    append(leader, batch(b"x", producer=(7, 0, 0)), epoch=0)
    follower = written((0, 1))
    append(follower, batch(b"y", producer=(8, 0, 0)), epoch=0)
    follower.epochs.entries = [(0, 0)]
    leader.epochs.assign(1, 1)
    leader.epochs.entries = [(0, 0), (1, 1)]

    became(follower, leader)

    assert {producer.producer_id for producer in follower.producers} == {7}
