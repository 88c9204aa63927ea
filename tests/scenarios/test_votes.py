"""S3: for whom a voter may vote, and what of it is on its disk."""

import pytest

from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.voters import ReplicaKey
from kraftsim.scenarios.oracles.property import Broken
from kraftsim.scenarios.properties.quorum.elections import VoteOnce
from tests.scenarios.lives import active_id
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import settled_world
from tests.worlds import pass_time

pytestmark = pytest.mark.slow

VOTER = (3000, bytes(16), 1)


def test_a_vote_of_an_earlier_epoch_is_none_of_the_next(monkeypatch):
    """S3: a voter that follows the leader of a new epoch keeps its vote (rule 10.14)."""
    keep_the_vote(monkeypatch)
    world, watching = settled_world(classes=(VoteOnce,))
    miss_an_election(world)

    assert "did not ask for it" in watching.violations["S3"].what


def test_without_the_bug_the_same_life_is_right():
    world, watching = settled_world(classes=(VoteOnce,))
    miss_an_election(world)

    assert watching.properties["S3"].exercised
    assert watching.finish() == ()


def keep_the_vote(patch):
    become = Quorum.become_follower

    def buggy(quorum, *arguments):
        voted = quorum.voted
        become(quorum, *arguments)
        quorum.voted = voted
        quorum._note_election(arguments[-1])

    patch.setattr(Quorum, "become_follower", buggy)


def miss_an_election(world):
    """The voter that elected the leader is down while the next one is elected."""
    leader = active_id(world)
    voter = next(
        number
        for number, process in world.controllers.items()
        if process.node.quorum.voted not in (None, process.node.quorum.me)
    )
    (other,) = {*world.controllers} - {leader, voter}
    world.kill_controller(voter)
    begin(world, "quorum.transfer", {"to": other})
    pass_time(world, 3)
    world.start_controller(voter)
    pass_time(world, 3)


def test_a_candidate_with_another_directory_is_another_candidate():
    """S3: it was formatted, and stands again in the same epoch (KIP-853)."""
    _, watching = settled_world(classes=(VoteOnce,))
    votes = watching.properties["S3"]
    votes._agree(VOTER, ReplicaKey(3001, b"a" * 16))
    votes._agree(VOTER, ReplicaKey(3001))

    with pytest.raises(Broken, match="voted in epoch"):
        votes._agree(VOTER, ReplicaKey(3001, b"b" * 16))
