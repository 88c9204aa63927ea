"""The checks can fail: each of these breaks a quorum in one place, and is caught by its rule."""

import random

import pytest

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.core.rpc import FetchRequest
from kraftsim.controller.raft import (
    conduct,
    elections,
    fetch_answer,
    following,
    leading,
    membership,
)
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import Leader
from kraftsim.scenarios.explore.quorum_safety import Safety, Violation
from tests.raft.history import CHANGES, COMMON, TROUBLE, History
from tests.raft.replicas import Replicas
from tests.raft.requests import begin
from tests.raft.standing import ME, lead, win

pytestmark = pytest.mark.slow


VERBS = COMMON + TROUBLE + CHANGES


class Broken:
    """How each part is broken."""

    @staticmethod
    def no_log_check(patch):
        grants = elections._grants

        def blind(quorum, request, candidate):
            log, quorum.log = quorum.log, type(quorum.log)()
            granted = grants(quorum, request, candidate)
            quorum.log = log
            return granted

        patch.setattr(elections, "_grants", blind)

    @staticmethod
    def votes_twice(patch):
        grants = elections._grants

        def forgetful(quorum, request, candidate):
            quorum.voted = None
            return grants(quorum, request, candidate)

        patch.setattr(elections, "_grants", forgetful)

    @staticmethod
    def forgets_its_vote_when_it_crashes(patch):
        def note(quorum, turn):
            quorum.durable = turn.election = ElectionState(quorum.epoch, quorum.leader_id)

        patch.setattr(Quorum, "_note_election", note)

    @staticmethod
    def forgets_its_epoch_when_it_crashes(patch):
        patch.setattr(Quorum, "_note_election", lambda quorum, turn: None)

    @staticmethod
    def counts_observers(patch):
        end_offset = leading._end_offset

        def generous(quorum, role, node_id):
            observed = [observer.end_offset for observer in role.observers.values()]
            return max([end_offset(quorum, role, node_id), *observed])

        patch.setattr(leading, "_end_offset", generous)

    @staticmethod
    def counts_itself_before_it_is_on_disk(patch):
        end_offset = leading._end_offset

        def hasty(quorum, role, node_id):
            if node_id == quorum.me.node_id:
                return quorum.log.end_offset
            return end_offset(quorum, role, node_id)

        patch.setattr(leading, "_end_offset", hasty)

    @staticmethod
    def fetches_before_it_is_on_disk(patch):
        patch.setattr(following, "_is_safe", lambda quorum: True)

    @staticmethod
    def never_says_where_logs_part(patch):
        patch.setattr(fetch_answer, "_diverging", lambda log, wanted: None)

    @staticmethod
    def believes_any_watermark(patch):
        def advance(quorum):
            quorum.high_watermark = max(quorum.high_watermark, quorum.persisted_offset)

        patch.setattr(following, "advance", advance)

    @staticmethod
    def changes_voters_before_the_last_are_committed(patch):
        patch.setattr(membership, "_unready", lambda quorum, verb: None)


@pytest.mark.parametrize(
    ("how", "rules"),
    [
        (Broken.no_log_check, {"9.40"}),
        (Broken.votes_twice, {"9.36", "9.37"}),
        (Broken.forgets_its_vote_when_it_crashes, {"9.36", "9.37"}),
        (Broken.forgets_its_epoch_when_it_crashes, {"9.38"}),
        (Broken.counts_observers, {"9.40"}),
        (Broken.fetches_before_it_is_on_disk, {"9.40"}),
        (Broken.never_says_where_logs_part, {"9.40", "9.41"}),
        (Broken.believes_any_watermark, {"9.40"}),
        (Broken.changes_voters_before_the_last_are_committed, {"9.45"}),
    ],
    ids=lambda parameter: getattr(parameter, "__name__", ""),
)
def test_random_histories_catch_a_quorum_that(how, rules, monkeypatch):
    how(monkeypatch)

    assert first_violation() in rules


def first_violation():
    for seed in range(200):
        drawn = random.Random(seed)
        history = History(3, spares=2)
        try:
            for _ in range(300):
                history.do(drawn.choice(VERBS), drawn.randrange(31))
        except Violation as violation:
            return violation.rule
        except Impossible:
            continue  # the quorum itself noticed something
    return None


# What chance does not reach in time is told step by step.


@pytest.fixture
def watched():
    """ME leads two others, and every step is checked."""
    safety = Safety()
    replicas = Replicas((1, 2, 3), watch=safety.check)
    lead(replicas, ME)
    replicas.run_for(1000)
    return replicas


def caught_at(replicas, node_id=ME):
    with pytest.raises(Violation) as caught:
        replicas.step(node_id, conduct.poll)
    return caught.value.rule


def test_a_second_leader_of_an_epoch_is_caught(watched):
    watched.quorums[2].role = Leader(0, 0)

    assert "9.36" == caught_at(watched, 2)


def test_a_watermark_that_moves_down_is_caught(watched):
    watched.quorums[2].high_watermark -= 1

    assert "9.39" == caught_at(watched, 2)


def test_a_truncation_below_the_watermark_is_caught(watched):
    watched.quorums[2].log.truncate(0)

    assert "9.42" == caught_at(watched, 2)


def test_a_leader_that_gives_something_back_is_caught(watched):
    watched.isolate(ME)
    watched.write()
    watched.step(ME, conduct.poll)
    watched.quorums[ME].log.truncate(3)

    assert "9.43" == caught_at(watched)


def test_a_leader_that_counts_what_it_has_not_on_disk_is_caught(monkeypatch):
    Broken.counts_itself_before_it_is_on_disk(monkeypatch)
    replicas = Replicas((1, 2, 3), has_slow_disks=True, watch=Safety().check)
    win(replicas)
    replicas.ask(2, begin(ME, 1))
    (fetch,) = replicas.requests(FetchRequest, sender=2)
    replicas.deliver(fetch)
    replicas.deliver(replicas.in_flight[-1])
    replicas.flush(2)
    (fetch,) = replicas.requests(FetchRequest, sender=2)

    with pytest.raises(Violation, match=r"9\.40: 0 is only on 1 disks"):
        replicas.deliver(fetch)
