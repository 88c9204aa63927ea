"""What is durable before what is sent: the table of docs/quorum-contract.md, at every step."""

import random

import pytest

from kraftsim.controller.core.rpc import FetchRequest, VoteRequest, VoteResponse
from kraftsim.controller.raft import following, messages
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.quorum import Quorum
from tests.raft.history import CHANGES, COMMON, SNAPSHOTS, TROUBLE, History

VERBS = (*COMMON, *TROUBLE, *SNAPSHOTS, *CHANGES)
SEEDS, STEPS = 12, 250


class Contract:
    """Compares the new messages of each step with the sender's disk."""

    def __init__(self):
        self.seen = []
        self.fetches = self.votes = 0

    def check(self, replicas, node_id):
        quorum, disk = replicas.quorums[node_id], replicas.disks[node_id]
        assert ElectionState(quorum.epoch, quorum.leader_id, quorum.voted) == disk.election
        known = {id(message) for message in self.seen}
        for message in replicas.in_flight:
            if message.sender == node_id and id(message) not in known:
                self._check_message(message, disk)
        self.seen = list(replicas.in_flight)

    def _check_message(self, message, disk):
        match message.response or message.request:
            case FetchRequest() as fetch:
                self.fetches += 1
                assert fetch.topics[0].partitions[0].fetch_offset <= end_of(disk)
            case VoteRequest() as vote:
                assert messages.vote_partition(vote).replica_epoch <= disk.election.epoch
            case VoteResponse() as response if not response.error_code:
                self._check_vote(message.request, messages.vote_answer(response), disk)
            case _:
                pass

    def _check_vote(self, request, answer, disk):
        asked = messages.vote_partition(request)
        if answer.vote_granted and not asked.pre_vote:
            self.votes += 1
            assert asked.replica_epoch == disk.election.epoch
            assert asked.replica_id == disk.election.voted.node_id


def end_of(disk):
    """The end of the log on the disk."""
    held = 0 if disk.snapshot is None else disk.snapshot.snapshot_id.end_offset
    return max(held, disk.batches[-1].last_offset + 1 if disk.batches else 0)


def live_through(seed):
    drawn, contract = random.Random(seed), Contract()
    history = History(3, spares=1)
    history.replicas.watch = contract.check
    for _ in range(STEPS):
        history.do(drawn.choice(VERBS), drawn.randrange(31))
    return contract


def live_through_all():
    return [live_through(seed) for seed in range(SEEDS)]


@pytest.mark.slow
@pytest.mark.rule("10.5", "10.32")
def test_nothing_leaves_before_its_state_is_durable():
    lived = live_through_all()

    assert (
        min(sum(history.fetches for history in lived), sum(history.votes for history in lived)) > 10
    )


def forgets_its_epoch(patch):
    patch.setattr(Quorum, "_note_election", lambda quorum, turn: None)


def fetches_before_its_log_is_durable(patch):
    patch.setattr(following, "_is_safe", lambda quorum: True)


@pytest.mark.python_modules
@pytest.mark.parametrize("how", [forgets_its_epoch, fetches_before_its_log_is_durable])
def test_a_replica_that_breaks_the_contract_is_caught(how, monkeypatch):
    how(monkeypatch)

    with pytest.raises(AssertionError):
        live_through_all()
