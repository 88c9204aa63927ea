"""Answers that bring nothing: a follower waits a moment before it fetches again."""

import pytest

from kraftsim.controller.core.rpc import EpochEndOffset, FetchRequest, SnapshotId
from kraftsim.controller.raft import conduct
from tests.raft.followers import answer, batch, the_fetch
from tests.raft.replicas import Replicas
from tests.raft.requests import begin
from tests.raft.standing import ME, standing


@pytest.fixture
def follower() -> Replicas:
    """ME follows 2 in epoch 1, has ten records, and its next fetch is on its way."""
    replicas = standing("unattached")
    replicas.ask(ME, begin(2, 1))
    answer(replicas, the_fetch(replicas), records=(batch(0, 1, 5), batch(5, 1, 5)))
    return replicas


@pytest.mark.rule("10.34", "10.54")
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"diverging_epoch": EpochEndOffset(epoch=1, end_offset=10)},
        {"diverging_epoch": EpochEndOffset(epoch=1, end_offset=-1)},
        {"snapshot_id": SnapshotId(end_offset=10, epoch=2)},
        {"snapshot_id": SnapshotId(end_offset=0, epoch=0)},
        {"snapshot_id": SnapshotId(end_offset=10, epoch=-1)},
        {"records": (batch(11, 1),)},
        {"records": (batch(10, 0),)},
        {"records": (batch(10, 2),)},
    ],
)
def test_an_answer_that_brings_nothing_at_once_is_asked_for_again_only_after_a_pause(
    follower, fields
):
    answer(follower, the_fetch(follower), high_watermark=10)
    answer(follower, the_fetch(follower), **fields)

    assert 10 == follower.quorums[ME].log.end_offset
    assert 2 not in {request.receiver for request in follower.requests(FetchRequest, sender=ME)}
    follower.now_ms += 20
    follower.lose_everything()
    follower.step(ME, conduct.on_deadline)
    assert 2 == the_fetch(follower).receiver


@pytest.mark.rule("10.35", "10.54")
def test_an_empty_answer_that_has_waited_for_news_is_asked_for_again_at_once(follower):
    follower.now_ms += 500
    answer(follower, the_fetch(follower))

    assert 2 == the_fetch(follower).receiver
