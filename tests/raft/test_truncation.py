"""A follower gives back what its leader does not have, and nothing that is committed."""

import pytest

from kraftsim.controller.core.rpc import (
    EpochEndOffset,
)
from tests.raft.followers import answer, batch, following, the_fetch
from tests.raft.replicas import Replicas
from tests.raft.requests import begin
from tests.raft.standing import ME, lead


@pytest.fixture
def follower():
    """ME follows 2 in epoch 1, has ten records of epoch 1, and its next fetch is on its way."""
    return following()


@pytest.mark.rule("10.34", "9.41", "10.50")
@pytest.mark.parametrize(
    ("diverging", "end_offset", "next_offset"),
    [((1, 5), 5, 5), ((1, 8), 5, 5), ((0, 0), 0, 0), ((1, 99), 10, 10)],
)
def test_where_the_logs_part_the_followers_ends(follower, diverging, end_offset, next_offset):
    """At the end of a batch: 8 is within one."""
    where = EpochEndOffset(epoch=diverging[0], end_offset=diverging[1])
    answer(follower, the_fetch(follower), diverging_epoch=where)

    assert end_offset == follower.quorums[ME].log.end_offset
    assert end_offset == follower.quorums[ME].persisted_offset
    assert next_offset == the_fetch(follower).sent.request.topics[0].partitions[0].fetch_offset


@pytest.mark.rule("10.34")
def test_the_driver_is_told_where_the_log_ends(follower):
    message = the_fetch(follower)
    quorum = follower.quorums[ME]
    turn = follower.turn()
    quorum.truncate(8, turn)

    assert 5 == turn.truncate_to
    assert message is not None


@pytest.mark.rule("10.34", "9.42")
def test_a_follower_gives_back_nothing_that_it_knows_as_committed(follower):
    answer(follower, the_fetch(follower), high_watermark=10)

    answer(follower, the_fetch(follower), diverging_epoch=EpochEndOffset(epoch=1, end_offset=5))

    assert 10 == follower.quorums[ME].log.end_offset


@pytest.mark.rule("10.34", "9.42")
def test_nor_does_one_whose_log_begins_there(follower):
    """Its log would end at its snapshot, whatever smaller offset a reply names."""
    answer(follower, the_fetch(follower), high_watermark=5)
    follower.take_snapshot(ME)

    answer(follower, the_fetch(follower), diverging_epoch=EpochEndOffset(epoch=1, end_offset=4))

    log = follower.quorums[ME].log
    assert (5, 10) == (log.start_offset, log.end_offset)


@pytest.mark.rule("10.34")
def test_the_offset_of_an_epoch_that_a_follower_lacks_does_not_count(follower):
    """It ends at the end of the epoch before, and asks again."""
    former = the_fetch(follower)
    follower.ask(ME, begin(2, 4))
    answer(follower, former)
    answer(follower, the_fetch(follower), records=(batch(10, 3, 5),))

    answer(follower, the_fetch(follower), diverging_epoch=EpochEndOffset(epoch=2, end_offset=6))

    assert 10 == follower.quorums[ME].log.end_offset
    assert 1 == the_fetch(follower).sent.request.topics[0].partitions[0].last_fetched_epoch


@pytest.mark.rule("10.34", "9.41", "9.42")
def test_what_an_old_leader_wrote_alone_is_replaced_when_it_returns():
    replicas = Replicas((1, 2, 3))
    lead(replicas, ME)
    replicas.run_for(1000)
    replicas.isolate(ME)
    replicas.write(3)
    replicas.run_for(10_000)
    leader = replicas.elect()
    replicas.write(2)
    replicas.heal()
    replicas.run_for(10_000)

    assert leader.me.node_id != ME
    assert replicas.leader.log.batches == replicas.quorums[ME].log.batches
    assert replicas.leader.high_watermark == replicas.quorums[ME].high_watermark


# Times
