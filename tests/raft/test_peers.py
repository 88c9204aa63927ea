"""One request at a time to each of the others."""

import pytest

from kraftsim.controller.core.rpc import FetchRequest, VoteRequest
from kraftsim.controller.raft.peers import Peers
from kraftsim.controller.raft.protocol import Channel, Turn
from kraftsim.controller.time.timeline import NEVER_MS
from tests.raft.replicas import endpoint_of

VOTE = VoteRequest()
FETCH = FetchRequest()


@pytest.fixture
def peers():
    return Peers(Channel.RAFT, request_timeout_ms=2000, retry_backoff_ms=20)


def send(peers, peer_id, request, now_ms=0):
    turn = Turn(now_ms, 0)
    peers.send(peer_id, endpoint_of(peer_id), request, turn)
    (sent,) = turn.sends
    return sent


@pytest.mark.rule("10.54")
def test_a_line_is_busy_until_its_answer_comes(peers):
    assert peers.is_free(2, 0)
    sent = send(peers, 2, VOTE)
    assert (Channel.RAFT, 2, endpoint_of(2), VOTE) == (
        sent.channel,
        sent.peer_id,
        sent.endpoint,
        sent.request,
    )
    assert (False, True) == (peers.is_free(2, 5), peers.is_free(3, 5))

    assert VOTE is peers.take(2, sent.number)
    assert peers.is_free(2, 5)


def test_an_answer_counts_once_and_only_for_what_was_asked_last(peers):
    first = send(peers, 2, VOTE)
    assert peers.take(2, first.number) is VOTE
    assert peers.take(2, first.number) is None

    second = send(peers, 2, FETCH)
    assert peers.take(2, first.number) is None
    assert peers.take(3, second.number) is None
    assert peers.take(2, second.number) is FETCH


def test_numbers_are_never_used_again(peers):
    numbers = []
    for now_ms in range(0, 10_000, 2000):
        numbers.append(send(peers, 2, VOTE, now_ms).number)
        peers.expire(now_ms + 2000)

    assert len(set(numbers)) == len(numbers)


@pytest.mark.rule("10.54")
def test_after_a_failure_a_line_rests_for_a_moment(peers):
    peers.take(2, send(peers, 2, VOTE).number)
    peers.failed(2, 100)

    assert [False, True] == [peers.is_free(2, 119), peers.is_free(2, 120)]
    assert 120 == peers.next_ms(100)


@pytest.mark.rule("10.54")
def test_an_answer_that_does_not_come_is_lost_after_the_request_timeout(peers):
    sent = send(peers, 2, VOTE, now_ms=100)
    assert 2100 == peers.next_ms(100)
    peers.expire(2099)
    assert not peers.is_free(2, 2099)

    peers.expire(2100)

    assert peers.is_free(2, 2100)
    assert peers.take(2, sent.number) is None


def test_what_is_awaited_is_known_by_its_kind(peers):
    send(peers, 2, VOTE)
    assert (True, False) == (peers.awaits(VoteRequest), peers.awaits(FetchRequest))


def test_nothing_is_awaited_of_lines_that_are_free(peers):
    assert NEVER_MS == peers.next_ms(0)
    peers.take(2, send(peers, 2, VOTE).number)
    assert NEVER_MS == peers.next_ms(0)


@pytest.mark.rule("10.54")
def test_who_has_found_a_leader_asks_it_at_once_though_it_was_refused_a_moment_ago(peers):
    """Found by vm-suspend-active-controller, seed 1: a fetch that was refused before its receiver
    led made the new follower ask a sleeping one instead, and wait 2 s for it."""
    peers.take(2, send(peers, 2, FETCH).number)
    peers.failed(2, 100)

    peers.forget()

    assert peers.is_free(2, 100)
